"""Verdicts on an own saved label, where the project shows them: never before, and on record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import decide, go_to, open_label
from seed_files import JUDGE, MODEL, RATIONALE, plain_items
from seed_store import PLAIN, PROJECT, events_of, open_store, seed

from judgekit.store.label_files.fold import fold

Visit = Callable[..., Visitor]
STATUS = ".st-key-save-state"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("reveal"), plain_items(6), settings=PLAIN)


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def test_where_it_is_off_the_key_shows_nothing(visit: Visit) -> None:
    ann = visit()
    first = open_label(ann, "ann")
    decide(ann, "p")
    go_to(ann, first["item"])
    ann.press("v")
    assert "verdicts" not in ann.seen_text(".st-key-legend")
    ann.expect_never_sent(JUDGE, MODEL, RATIONALE, control="Question")


def test_a_verdict_is_shown_after_saving_only_and_a_later_change_is_marked(
    visit: Visit, workspace: Path
) -> None:
    """Honest 2, with the control that the verdict does come once it is asked for."""
    with open_store(workspace) as store:
        now = store.projects.get(PROJECT).settings
        shown = now.model_copy(update={"reveal_after_save": True})
        store.projects.change_settings(PROJECT, shown, actor="lea")
    bob = visit()
    first = open_label(bob, "bob")
    bob.press("v")
    assert "verdicts" not in bob.seen_text(".st-key-legend")
    decide(bob, "p")
    go_to(bob, first["item"])
    bob.expect_text("Judges' verdicts", ".st-key-reveal")
    bob.expect_never_sent(JUDGE, MODEL, RATIONALE, control="Question")
    bob.press("v")
    bob.expect_text(RATIONALE, ".st-key-reveal")
    bob.expect_text("stays out of calibration", STATUS)
    bob.expect_inert(".st-key-reveal")
    decide(bob, "n")

    log = events_of(workspace, "bob")
    assert [(e.kind, e.after_reveal) for e in log] == [("label", False), ("unsure", True)]
    assert [label.label for label in fold(log).labels] == ["pass"]
