"""Adjudicate: one label per item, and why they differed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import streamlit as st
from label_desk import component
from review_desk import HOSTILE, differ, label, make_project, make_workspace, opened, press, words
from streamlit.testing.v1 import AppTest

from judgekit.model.item import Item
from judgekit.store.label_files.fold import fold
from judgekit.store.label_store import Answer, Decision, LabelStore, Release, open_label_store
from parts import adjudicate_bench as bench
from parts.adjudicate_keys import CAUSES, choices_of, labels_of, legend_rows, modes_of
from parts.adjudicate_lists import task_row

CHOOSE = "key-choose-"
CAUSE = "key-save-"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabelStore]:
    make_workspace(tmp_path, monkeypatch)
    monkeypatch.setattr(bench, "DWELL_S", 0.0)
    with open_label_store(None, tmp_path) as opened_store:
        yield make_project(opened_store)
    st.cache_resource.clear()


def decided(store: LabelStore, item_id: str, field: str = "_overall") -> Decision | None:
    case = store.adjudication.case("desk", item_id, "nobody")
    return next(task.decision for task in case.fields if task.field == field)


def adjudicate(user: str = "ada", **query: str) -> AppTest:
    return opened("adjudicate", user=user, **query)


def said(app: AppTest) -> str:
    return app.session_state["_bench_status"].text


def test_agreeing_items_are_counted_and_never_listed(store: LabelStore) -> None:
    """A1."""
    for who in ("zoraq", "bexqu"):
        label(store, who, "i0", "pass")
    differ(store, "i1")
    app = adjudicate()
    assert "1 agrees and is accepted without being shown" in words(app)
    assert [task.item_id for task in store.adjudication.tasks("desk")] == ["i1"]
    assert "i0" not in repr(app)


def test_no_annotator_is_named_to_the_adjudicator(store: LabelStore) -> None:
    """A2, A3: the whole page, with the answers' own words as the control."""
    differ(store, "i1")
    page = repr(adjudicate())
    assert "fine" in page
    for secret in ("zoraq", "bexqu", "SECRET-MODEL"):
        assert secret not in page


def test_a_choice_with_a_cause_is_stored_as_one_revision(store: LabelStore) -> None:
    differ(store, "i1")
    app = press(adjudicate(), CHOOSE + "A")
    assert decided(store, "i1") is None
    press(app, CAUSE + "guideline_gap")
    stored = decided(store, "i1")
    assert stored is not None
    assert (stored.choice, stored.cause, stored.rev) == ("A", "guideline_gap", 1)
    assert (
        said(app) == f"Saved: i1, the whole item: {'Pass' if stored.label == 'pass' else 'Fail'}."
    )


def test_a_choice_between_the_two_may_go_without_a_cause(store: LabelStore) -> None:
    differ(store, "i1")
    press(adjudicate(), CHOOSE + "B", CAUSE + "none")
    stored = decided(store, "i1")
    assert stored is not None
    assert (stored.choice, stored.cause) == ("B", None)


def test_a_decision_against_both_cannot_be_stored_without_a_cause(store: LabelStore) -> None:
    """A4."""
    for who in ("zoraq", "bexqu"):
        label(store, who, "i1", "unsure")
    app = press(adjudicate(), CHOOSE + "other", "key-choose_label-fail", "key-choose_mode-rude")
    assert "A decision against both needs one." in words(app)
    press(app, CAUSE + "none")
    assert said(app) == "Not stored: a decision against both answers needs a cause."
    assert decided(store, "i1") is None
    result = store.adjudication.adjudicate(
        "desk",
        Decision(item_id="i1", choice="other", label="fail"),
        adjudicator="ada",
        op_id="x",
        rev_seen=0,
    )
    assert result.kind == "needs_reason"
    press(app, CAUSE + "edge_case")
    stored = decided(store, "i1")
    assert stored is not None
    assert (stored.label, stored.failure_mode, stored.cause) == ("fail", "rude", "edge_case")


def test_the_second_of_two_adjudicators_sees_both_values_and_overwrites_nothing(
    store: LabelStore,
) -> None:
    """A5."""
    differ(store, "i1")
    first, second = adjudicate("ada"), adjudicate("abe", case="i1")
    store.adjudication.adjudicate(
        "desk",
        Decision(item_id="i1", choice="other", label="fail", cause="slip"),
        adjudicator="abe",
        op_id="theirs",
        rev_seen=0,
    )
    press(first, CHOOSE + "other", "key-choose_label-pass", CAUSE + "taste")
    shown = words(first)
    assert "Stored: Fail, cause: slip" in shown
    assert "Yours: Pass, cause: taste" in shown
    assert "abe" not in shown
    assert [d.label for d in store.adjudication.history("desk", "i1")] == ["fail"]
    press(first, "key-store_mine-mine")
    assert [d.label for d in store.adjudication.history("desk", "i1")] == ["fail", "pass"]
    assert second is not None


def test_keeping_the_stored_decision_writes_nothing(store: LabelStore) -> None:
    """A5."""
    differ(store, "i1")
    app = adjudicate()
    store.adjudication.adjudicate(
        "desk", Decision(item_id="i1", choice="A"), adjudicator="abe", op_id="t", rev_seen=0
    )
    press(app, CHOOSE + "B", CAUSE + "none", "key-keep_stored-keep")
    assert len(store.adjudication.history("desk", "i1")) == 1


def test_an_excluded_field_leaves_the_items_other_fields(store: LabelStore) -> None:
    """A6."""
    for who, answer in (("zoraq", "pass"), ("bexqu", "fail")):
        label(store, who, "i1", Answer(label="pass", criteria={"right": answer, "polite": "pass"}))
    app = adjudicate()
    assert app.session_state["_bench"][2].at == "right"
    app = press(app, CHOOSE + "exclude", "exclude-now")
    assert said(app) == "Not stored: an exclusion needs a reason."
    app.session_state["_bench"][2].reason = "the criterion is unclear"
    press(app, "exclude-now")
    gone = decided(store, "i1", "right")
    assert gone is not None
    assert (gone.choice, gone.reason) == ("exclude", "the criterion is unclear")
    assert decided(store, "i1", "polite") is None
    assert store.adjudication.counts("desk").excluded == 1
    released = fold(store.events.since(0, project="desk"))
    kept = {(row.item_id, row.criterion) for row in released.labels}
    assert kept == {("i1", "_overall"), ("i1", "polite")}
    assert [(gone.item_id, gone.criterion) for gone in released.exclusions] == [("i1", "right")]


def test_undo_reopens_the_last_decision_as_a_new_revision(store: LabelStore) -> None:
    """A7."""
    differ(store, "i1")
    app = press(adjudicate(), CHOOSE + "A", CAUSE + "slip", "undo")
    assert decided(store, "i1") is None
    assert said(app).startswith("Reopened: i1. Before: the whole item: ")
    assert said(app).endswith(", cause: slip (not released yet). Decide again.")
    assert "Decided before: the whole item: " in words(app)
    press(app, CHOOSE + "B", CAUSE + "slip")
    stored = decided(store, "i1")
    assert stored is not None
    assert (stored.choice, stored.rev) == ("B", 3)
    assert [d.choice for d in store.adjudication.history("desk", "i1")] == ["A", "B"]


def test_one_label_is_shown_as_incomplete_and_not_as_disagreement(store: LabelStore) -> None:
    """A8."""
    label(store, "zoraq", "i2", "pass")
    differ(store, "i1")
    app = adjudicate()
    assert "1 incomplete" in words(app)
    (task,) = store.adjudication.tasks("desk", state="incomplete")
    assert "incomplete: waits for another label" in task_row(task).meta
    assert "disagreement" not in " ".join(task_row(task).meta)


def test_agreement_is_told_only_where_it_says_something(store: LabelStore) -> None:
    """Two who differ in the one field agree to 0 %, always."""
    differ(store, "i1")
    (task,) = store.adjudication.tasks("desk", state="open")
    assert task_row(task).meta == ("disagreement", "2 labels")
    three = task.model_copy(update={"n_labels": 3})
    assert "agreement 0 %" in task_row(three).meta
    half = task.model_copy(update={"agreement": 0.5})
    assert "agreement 50 %" in task_row(half).meta


def test_the_legend_says_how_to_save_without_a_cause() -> None:
    assert ("0", "Save without a cause") in legend_rows(["A", "B"])


def test_who_labelled_an_item_does_not_adjudicate_it(store: LabelStore) -> None:
    differ(store, "i1")
    app = adjudicate("zoraq")
    assert any(heading.value == "All decided" for heading in app.header)


def test_confidence_and_the_guideline_tick_start_empty_and_are_stored(store: LabelStore) -> None:
    differ(store, "i1")
    app = adjudicate()
    assert app.session_state["_bench"][2].confidence is None
    press(app, "key-choose_confidence-high", "key-tick_guideline-guideline")
    press(app, CHOOSE + "A", CAUSE + "slip")
    stored = decided(store, "i1")
    assert stored is not None
    assert (stored.confidence, stored.guideline_should_change) == ("high", True)


def test_half_made_decisions_come_back_in_another_session(store: LabelStore) -> None:
    differ(store, "i1")
    differ(store, "i2")
    app = adjudicate(case="i2")
    app.session_state["_bench"][2].note = "half a thought"
    press(app, CHOOSE + "B")
    again = adjudicate(case="i2").session_state["_bench"][2]
    assert (again.case.task.item_id, again.choice, again.note) == ("i2", "B", "half a thought")


def test_a_key_typed_before_the_case_was_shown_is_refused(store: LabelStore) -> None:
    differ(store, "i1")
    differ(store, "i2")
    app = adjudicate()
    late = app.button(key=CHOOSE + "A")
    store.adjudication.adjudicate(
        "desk", Decision(item_id="i1", choice="A"), adjudicator="ada", op_id="o", rev_seen=0
    )
    case = store.adjudication.case("desk", "i2", "ada")
    app.session_state["_bench"][2].case = case
    late.click().run()
    assert said(app) == "Not taken: the key was typed before this case was shown."
    assert decided(store, "i2") is None


def test_a_choice_within_the_dwell_is_refused_and_told(
    store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    differ(store, "i1")
    app = adjudicate()
    monkeypatch.setattr(bench, "DWELL_S", 1e9)
    press(app, CHOOSE + "A")
    assert said(app) == "Too fast, not taken: read both answers first."
    assert app.session_state["_bench"][2].choice is None


def test_later_puts_the_case_back_and_brings_another(store: LabelStore) -> None:
    differ(store, "i1")
    differ(store, "i2")
    app = press(adjudicate(), "key-later-later")
    assert app.session_state["_bench"][2].case.task.item_id == "i2"
    assert len(store.adjudication.tasks("desk")) == 2


def test_hostile_notes_are_plain_text_and_nowhere_markdown(store: LabelStore) -> None:
    differ(store, "i1")
    app = adjudicate()
    assert f"Note: fine {HOSTILE}" in words(app)
    assert all("onerror" not in element.value for element in app.markdown)


def test_an_annotator_is_not_allowed_and_no_data_is_read(store: LabelStore) -> None:
    differ(store, "i1")
    app = adjudicate("bexqu")
    assert "Not allowed" in words(app)
    assert "fine" not in repr(app)


def test_no_key_means_two_things_at_once(store: LabelStore) -> None:
    schema = store.projects.get("desk").label_schema
    always = {"h", "m", "l", "w", "n", "u", "z", "j"}
    steps = ([*choices_of("AB"), *CAUSES], labels_of(schema, "_overall"), modes_of(schema))
    for step in steps:
        keys = [binding.key for binding in step if binding.key]
        assert len(keys) == len(set(keys))
        assert not always & {*keys, "b"}


def test_more_than_two_answers_get_a_digit_each_and_the_other_one_the_next() -> None:
    assert [(b.key, b.value) for b in choices_of("ABC")] == [
        ("1", "A"),
        ("2", "B"),
        ("3", "C"),
        ("4", "other"),
        ("x", "exclude"),
    ]
    assert choices_of("A")[1].key == "3"


def test_a_cause_without_a_choice_is_refused_and_told(store: LabelStore) -> None:
    differ(store, "i1")
    app = press(adjudicate(), CAUSE + "slip")
    assert said(app) == "Not stored: choose 1, 2 or 3 first."
    assert decided(store, "i1") is None


def test_a_choice_and_its_cause_typed_at_once_are_stored_together(store: LabelStore) -> None:
    differ(store, "i1")
    app = adjudicate()
    app.button(key=CAUSE + "slip").click()
    app.button(key=CHOOSE + "B").click().run()
    stored = decided(store, "i1")
    assert stored is not None
    assert (stored.choice, stored.cause) == ("B", "slip")
    assert said(app).startswith("Saved: i1")


def test_annotators_see_what_was_decided_about_their_own_items_only_after_release(
    store: LabelStore,
) -> None:
    """A9."""
    differ(store, "i1")
    store.adjudication.adjudicate(
        "desk",
        Decision(item_id="i1", choice="other", label="fail", cause="slip"),
        adjudicator="ada",
        op_id="d",
        rev_seen=0,
    )
    heading = "Decided about your items"
    before = opened("home", user="bexqu")
    assert heading not in [header.value for header in before.header]
    release(store)
    after = opened("home", user="bexqu")
    assert heading in [header.value for header in after.header]
    assert [one.item_id for one in store.adjudication.outcomes("desk", "bexqu")] == ["i1"]
    assert store.adjudication.outcomes("desk", "somebody-else") == ()


def test_of_many_answers_eight_have_a_digit_and_all_a_button() -> None:
    letters = [chr(ord("A") + place) for place in range(26)]
    for first, held in ((0, "ABCDEFGH"), (8, "IJKLMNOP"), (24, "YZ")):
        shown = choices_of(letters, first)
        assert "".join(b.value for b in shown if b.key in tuple("12345678")) == held
        assert [b.value for b in shown] == [*letters, "other", "exclude"]
        assert {b.value: b.key for b in shown}["other"] == "9"
        assert ("v", "More answers") in legend_rows(letters, first)


def test_the_whole_of_a_long_item_can_be_asked_for(store: LabelStore) -> None:
    long = Item(id="long", input="q", output="x" * 250_000)
    store.projects.import_items("desk", [long], actor="lea")
    differ(store, "long")
    app = adjudicate()
    assert _characters(app) == 100_000
    press(app, "show-all")
    assert _characters(app) == 250_001


def release(store: LabelStore) -> None:
    store.releases.add(
        Release(
            project="desk",
            dataset="desk",
            version="1",
            last_seq=store.events.last_seq("desk"),
            hashes={},
            actor="lea",
            at=datetime.now(UTC),
        )
    )


def _characters(app: AppTest) -> int:
    return sum(len(block["text"]) for block in component(app, "item_view")["blocks"])
