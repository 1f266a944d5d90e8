"""Adjudicate: what was decided is listed, looked at and decided again; what waits, comes last."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from label_desk import component
from review_desk import differ, label, make_project, make_workspace, opened, press, words
from streamlit.testing.v1 import AppTest
from test_adjudicate_page import CAUSE, CHOOSE, decided, release, said

from judgekit.model.item import Item
from judgekit.store.label_store import Answer, Decision, LabelStore, open_label_store
from parts import adjudicate_bench as bench
from parts.adjudicate_keys import legend_rows
from parts.adjudicate_lists import opening, task_row


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabelStore]:
    make_workspace(tmp_path, monkeypatch)
    monkeypatch.setattr(bench, "DWELL_S", 0.0)
    with open_label_store(None, tmp_path) as opened_store:
        yield make_project(opened_store)
    st.cache_resource.clear()


def adjudicate(**query: str) -> AppTest:
    return opened("adjudicate", user="ada", **query)


def in_hand(app: AppTest) -> str:
    return str(app.session_state["_bench"][2].case.task.item_id)


def rows(app: AppTest, state: str) -> list[dict[str, Any]]:
    """Return the rows of a list after its tab was opened."""
    app.session_state["queue-tab"] = state.capitalize()
    app.run()
    return list(component(app, "text_list")["rows"])


def decide_i1(store: LabelStore, **values: Any) -> None:
    differ(store, "i1")
    decision = Decision(
        item_id="i1", **(values or {"choice": "other", "label": "fail", "cause": "slip"})
    )
    store.adjudication.adjudicate("desk", decision, adjudicator="ada", op_id="d", rev_seen=0)


def look(app: AppTest, item_id: str) -> AppTest:
    app.session_state["_bench_look"] = ("desk", "ada", item_id)
    return app.run()


def test_back_with_nothing_to_take_back_is_answered(store: LabelStore) -> None:
    differ(store, "i1")
    app = press(adjudicate(), "key-back-back")
    assert said(app) == "Nothing to take back."
    press(app, CHOOSE + "B", "key-back-back")
    assert said(app) == "Taken back; nothing was stored."
    assert app.session_state["_bench"][2].choice is None


def test_what_was_put_off_comes_after_all_others(store: LabelStore) -> None:
    for item in ("i1", "i2", "i3"):
        differ(store, item)
    app = press(adjudicate(), "key-later-later")
    assert in_hand(app) == "i2"
    press(app, CHOOSE + "A", CAUSE + "slip")
    assert in_hand(app) == "i3"
    press(app, "key-later-later")
    assert in_hand(app) == "i1"
    press(app, "key-later-later")
    assert in_hand(app) == "i3"
    press(app, CHOOSE + "A", CAUSE + "slip")
    assert in_hand(app) == "i1"
    press(app, "key-later-later")
    assert said(app) == "This is the only open case."


def test_a_case_that_one_holds_oneself_is_not_told_as_held(store: LabelStore) -> None:
    decide_i1(store)
    store.claims.take("desk", "i1", queue="adjudicate", holder="ada")
    assert [row["flag"] for row in rows(adjudicate(), "decided")] == [""]
    (theirs,) = store.adjudication.tasks("desk", state="decided", viewer="abe")
    assert task_row(theirs).flag == "another adjudicator has it open"


def test_an_unsure_answer_is_not_taken_as_right(store: LabelStore) -> None:
    for who, answer in (("zoraq", "unsure"), ("bexqu", "pass")):
        label(store, who, "i1", answer)
    app = adjudicate()
    options = app.session_state["_bench"][2].task.options
    letter = {option.label: option.letter for option in options}
    press(app, CHOOSE + letter["unsure"])
    unsure = f"Not taken: {letter['unsure']} is unsure, which decides nothing."
    assert said(app) == f"{unsure} Give an answer with 3 (Other), or exclude with x."
    app.button(key=CAUSE + "slip").click()
    app.button(key=CHOOSE + letter["unsure"]).click().run()
    assert said(app).startswith(unsure)
    assert decided(store, "i1") is None
    press(app, CHOOSE + letter["pass"], CAUSE + "slip")
    stored = decided(store, "i1")
    assert stored is not None
    assert stored.label == "pass"


def test_reopening_says_what_stood_and_that_it_is_released(store: LabelStore) -> None:
    decide_i1(store)
    release(store)
    app = press(look(adjudicate(), "i1"), "look-again")
    before = "the whole item: Fail, cause: slip (released already in 1)"
    assert said(app) == f"Reopened: i1. Before: {before}. Decide again."
    assert f"Decided before: {before}" in words(app)
    assert in_hand(app) == "i1"


def test_a_decided_case_is_only_looked_at(store: LabelStore) -> None:
    decide_i1(store)
    differ(store, "i2")
    app = adjudicate()
    look(app, "i1")
    keys = {button.key for button in app.button}
    assert {"look-again", "look-leave"} <= keys
    assert not [key for key in keys if str(key).startswith((CHOOSE, CAUSE))]
    assert "Decided: Fail, cause: slip" in words(app)
    press(app, "look-leave")
    assert in_hand(app) == "i2"
    assert CHOOSE + "A" in {button.key for button in app.button}
    stood = decided(store, "i1")
    assert stood is not None
    assert (stood.label, stood.rev) == ("fail", 1)
    assert not store.adjudication.case("desk", "i1", "abe").task.claimed_by_other


def test_a_case_looked_at_before_it_is_decided_is_taken_in_hand_on_demand(
    store: LabelStore,
) -> None:
    label(store, "zoraq", "i2", Answer(label="pass"))
    app = look(adjudicate(), "i2")
    assert "Not decided; 1 label so far." in words(app)
    press(app, "look-again")
    assert in_hand(app) == "i2"


def test_the_lists_show_how_an_item_begins_and_what_was_decided(store: LabelStore) -> None:
    decide_i1(store)
    differ(store, "i2")
    app = adjudicate()
    assert [row["text"] for row in rows(app, "open")] == ["i2: q2"]
    (row,) = rows(app, "decided")
    assert (row["text"], row["meta"][0]) == ("i1: q1", "Fail, cause: slip")
    assert "SECRET-MODEL" not in repr(app)


def test_an_opening_is_the_start_of_the_first_text() -> None:
    assert (
        opening(Item(id="a", input={"question": " \n", "more": "why\n so"}, output="o")) == "why so"
    )
    assert opening(Item(id="a", input="x" * 101, output="o")) == "x" * 100 + "…"


def test_the_guidelines_open_beside_the_item_with_a_key(store: LabelStore) -> None:
    differ(store, "i1")
    app = press(adjudicate(), "show-guidelines")
    assert "Guidelines" in [header.value for header in app.header]
    press(app, "close-guidelines")
    assert "Guidelines" not in [header.value for header in app.header]
    assert ("d", "Guidelines") in legend_rows("AB")


def test_excluded_fields_are_counted_among_the_decided(store: LabelStore) -> None:
    decide_i1(store, choice="exclude", reason="unclear")
    assert "0 open · 1 decided, among them 1 field excluded" in words(adjudicate())
