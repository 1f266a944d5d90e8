"""Home: what should I do next?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import decide, open_label
from seed_files import SECRETS, plain_items
from seed_store import PROJECT, label_as, open_store, seed

from judgekit.store.label_store import Answer

Visit = Callable[..., Visitor]
COUNT = 6


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("home"), plain_items(COUNT))


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def _home(visitor: Visitor, user: str) -> str:
    visitor.open(f"/?user={user}")
    visitor.wait_probe(page="home", user=user)
    return visitor.seen_text(".stMain")


def test_enter_on_the_primary_button_opens_the_first_unlabelled_item(visit: Visit) -> None:
    """H1, and H2: the counts are those of the store."""
    ann = visit()
    first = open_label(ann, "ann")
    second = decide(ann, "p")
    assert "1 done by you, 5 left for you" in _home(ann, "ann")
    button = ann.page.get_by_role("button", name="Continue labelling")
    button.focus()
    ann.page.keyboard.press("Enter")
    shown = ann.wait_probe(page="label", item_not="")

    assert shown["item"] == second["item"] != first["item"]


def test_what_another_person_does_changes_nothing_here(visit: Visit, workspace: Path) -> None:
    """H2, H4 and H5: no verdicts, no agreement, nobody else's work."""
    ann = visit()
    before = _home(ann, "ann")
    with open_store(workspace) as store:
        own = store.queue.progress(PROJECT, "ann")
        label_as(store, "bob", {f"case-{n:05d}": Answer(label="fail") for n in range(COUNT)})
    after = _home(visit(), "ann")

    assert f"{own.labelled} done by you, {own.left} left for you" in before
    assert after == before
    ann.expect_never_sent(*SECRETS, "bob", "kappa", control="Continue labelling")
    assert "agree" not in after.lower()


def test_each_own_label_has_a_button_of_its_own_name(visit: Visit, workspace: Path) -> None:
    with open_store(workspace) as store:
        label_as(store, "bob", {f"case-{n:05d}": Answer(label="pass") for n in range(2)})
    bob = visit()
    _home(bob, "bob")
    bob.page.get_by_role("button", name="Reopen case-00001", exact=True).click()

    assert bob.wait_probe(page="label", item_not="")["item"] == "case-00001"
