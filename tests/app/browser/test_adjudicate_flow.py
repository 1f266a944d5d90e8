"""Adjudicate by keyboard, blind to names and verdicts, two adjudicators at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from hostile_items import HOSTILE_TEXTS, MARK
from seed_files import SECRETS, plain_items
from seed_store import events_of, label_as, open_store, seed

from judgekit.store.label_store import Answer

Visit = Callable[..., Visitor]
NAMES = ("zzfirstperson", "zzsecondperson")
COUNT = 14


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    yaml = "".join(f"    {name}: {{roles: [annotator]}}\n" for name in NAMES)
    folder = seed(tmp_path_factory.mktemp("adjudicate"), plain_items(COUNT), yaml=yaml)
    ids = [f"case-{number:05d}" for number in range(COUNT)]
    with open_store(folder) as store:
        passed = Answer(label="pass", note=HOSTILE_TEXTS["markdown"])
        failed = Answer(label="fail", failure_mode="rude", note=HOSTILE_TEXTS["html"])
        label_as(store, NAMES[0], dict.fromkeys(ids, passed))
        label_as(
            store, NAMES[1], {item: failed if n < 12 else passed for n, item in enumerate(ids)}
        )
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def open_case(visitor: Visitor, user: str) -> dict[str, str]:
    visitor.open(f"/adjudicate?user={user}")
    return visitor.wait_probe(page="adjudicate", user=user, item_not="")


def read_case(visitor: Visitor) -> None:
    visitor.wait_for(
        "() => window.__shown !== null && performance.now() - window.__shown > 400",
        None,
        "the case to have been shown long enough",
    )


def decide(visitor: Visitor, *keys: str) -> dict[str, str]:
    before = visitor.probe()
    read_case(visitor)
    for key in keys[:-1]:
        words = visitor.seen_text(".st-key-save-state")
        visitor.page.keyboard.press(key)
        visitor.wait_for(
            "words => document.querySelector('.st-key-save-state').innerText !== words",
            words,
            f"an answer to {key}",
        )
        visitor.idle()
    visitor.page.keyboard.press(keys[-1])
    return visitor.wait_probe(saved_not=before["saved"])


def decisions(folder: Path) -> list[tuple[str, str | None]]:
    adjudicated = [e for e in events_of(folder) if e.kind in ("adjudicate", "exclude")]
    return [(e.item_id, (e.value or {}).get("label")) for e in adjudicated]


def test_names_and_verdicts_never_reach_the_adjudicator(visit: Visit) -> None:
    """A2, A3 and acceptance D; hostile notes are inert."""
    ada = visit()
    shown = open_case(ada, "ada")
    control = f"Question {shown['item'].removeprefix('case-')}"
    ada.expect_text("img src=x onerror")
    ada.expect_never_sent(*SECRETS, *NAMES, control=control)
    ada.expect_inert(".st-key-answer-a", MARK)
    ada.expect_inert(".st-key-answer-b", MARK)
    text = ada.held_text(".stMain")
    assert HOSTILE_TEXTS["html"] in text
    assert HOSTILE_TEXTS["markdown"].split("\n", maxsplit=1)[0] in text


def test_ten_cases_are_decided_by_keyboard_alone(visit: Visit, workspace: Path) -> None:
    """X8 and A1: the two items on which people agree are never shown."""
    ada = visit()
    shown = open_case(ada, "ada")
    seen = []
    for number in range(10):
        seen.append(shown["item"])
        keys = (("1", "s"), ("2", "t"), ("3", "p", "g"))[number % 3]
        shown = decide(ada, *keys)

    assert len(set(seen)) == 10
    assert not {"case-00012", "case-00013"} & set(seen)
    stored = decisions(workspace)
    assert [item for item, _ in stored] == seen
    assert {label for _, label in stored} <= {"pass", "fail"}


def test_two_adjudicators_at_once_are_given_different_cases(visit: Visit) -> None:
    """Claims: what A5 asks for when both decide one case is in test_adjudicate_page."""
    ada, abe = visit(), visit()

    assert open_case(ada, "ada")["item"] != open_case(abe, "abe")["item"]
