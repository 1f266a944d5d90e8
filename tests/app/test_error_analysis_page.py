"""Error analysis: read traces and note, group the notes, promote what is telling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from golden_desk import sent
from review_desk import HOSTILE, make_project, make_workspace, opened, words

from judgekit.errors import InputError, StoreFailed
from judgekit.goldens.candidates import AlreadyPromoted, TunedOn, parse_candidate
from judgekit.goldens.coding import saturation, shares
from judgekit.model.item import Item
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_store import open_label_store
from parts import coding_open
from parts.coding_acts import alike_to, mode_act, note_act, undo_act
from parts.coding_axial import note_rows
from parts.coding_chart import chart_of
from parts.coding_desk import Desk, percent
from parts.coding_open import keep_note, saturation_words
from parts.coding_promote import earlier, promote, promotion_rows
from parts.text_list import Act


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    make_workspace(tmp_path, monkeypatch)
    with open_label_store(None, tmp_path) as store:
        make_project(store)
        yield Desk(store=store, project=store.projects.get("desk"), coder="eng")
    st.cache_resource.clear()


def act(name: str, *ids: str, row: str = "", option: str = "", text: str = "", op: str = "") -> Act:
    return Act(
        name=name,
        ids=ids,
        row=row or (ids[0] if ids else ""),
        option=option,
        text=text,
        op_id=op or f"{name}-{'-'.join(ids)}-{option}{text}",
    )


def notes(desk: Desk, n: int = 4) -> Desk:
    for k in range(n):
        keep_note(desk, f"i{k}", f"note {k}", op_id=f"n{k}")
    return desk


def modes(desk: Desk) -> dict[str, int]:
    return {code.name: code.n_notes for code in desk.book.codes}


def code_id(desk: Desk, name: str) -> str:
    return next(code.id for code in desk.book.codes if code.name == name)


def test_a_note_can_be_kept_reworded_and_taken_back_and_an_empty_box_means_read(
    desk: Desk,
) -> None:
    assert keep_note(desk, "i0", "  wrong sum ", op_id="a") == "Item i0: note kept."
    assert keep_note(desk, "i0", "wrong sum", op_id="b") == "Item i0: note as before."
    assert keep_note(desk, "i0", "wrong total", op_id="c") == "Item i0: note reworded."
    assert [note.text for note in desk.book.notes] == ["wrong total"]
    assert "taken back" in keep_note(desk, "i0", " ", op_id="d")
    assert keep_note(desk, "i1", "", op_id="e") == "Item i1: read, nothing wrong noted."
    assert desk.book.notes == ()
    assert desk.book.read == {("eng", "i0"), ("eng", "i1")}


def test_assigning_to_a_new_name_makes_the_mode_and_says_so(desk: Desk) -> None:
    notes(desk)
    assert note_act(desk, act("assign", "n0", "n1", text="Wrong sum")) == (
        "2 notes under 'Wrong sum'."
    )
    assert note_act(desk, act("assign", "n2", option=code_id(desk, "Wrong sum"))) == (
        "1 note under 'Wrong sum'."
    )
    assert modes(desk) == {"Wrong sum": 3}
    assert note_act(desk, act("take_out", "n2")) == "1 note taken out."
    assert modes(desk) == {"Wrong sum": 2}


def test_merge_keeps_every_note_and_one_undo_brings_both_modes_back(desk: Desk) -> None:
    """E2."""
    notes(desk)
    note_act(desk, act("assign", "n0", "n1", text="A"))
    note_act(desk, act("assign", "n2", text="B"))
    words_ = mode_act(desk, act("merge", row=code_id(desk, "B"), option=code_id(desk, "A")))
    assert words_ == "Merged: 1 note moved under 'A'. Undo brings both back."
    assert modes(desk) == {"A": 3}
    assert undo_act(desk, "u1") == "Undone: 'B' merged into 'A'."
    assert modes(desk) == {"A": 2, "B": 1}
    assert len(desk.book.notes) == 4


def test_rename_and_split_change_names_and_move_only_the_chosen(desk: Desk) -> None:
    notes(desk)
    note_act(desk, act("assign", "n0", "n1", text="A"))
    mode_act(desk, act("rename", row=code_id(desk, "A"), text="Amount"))
    note_act(desk, act("split", "n1", text="Currency"))
    assert modes(desk) == {"Amount": 1, "Currency": 1}
    with pytest.raises(InputError, match="one mode"):
        note_act(desk, act("split", "n0", "n1", text="Both"))
    with pytest.raises(InputError, match="one mode"):
        note_act(desk, act("split", "n3", text="Unassigned"))


def test_rows_counts_and_shares_add_up_to_all_notes(desk: Desk) -> None:
    """E3."""
    notes(desk)
    note_act(desk, act("assign", "n0", "n1", text="A"))
    note_act(desk, act("assign", "n2", text="B"))
    book = desk.book
    counted = shares(book)
    rows = note_rows(book, counted)
    assert [row.group for row in rows] == ["Unassigned (1)", "A (2)", "A (2)", "B (1)"]
    assert sum(row.count for row in counted) + len(book.unassigned) == len(rows) == 4
    assert percent(counted[0].share) == "50 % (15 to 85 %, n = 4)"


def test_alike_notes_are_suggested_and_nothing_is_assigned(desk: Desk) -> None:
    keep_note(desk, "i0", "the refund sum is wrong", op_id="n0")
    keep_note(desk, "i1", "refund sum is wrong", op_id="n1")
    keep_note(desk, "i2", "rude greeting", op_id="n2")
    assert alike_to(desk.book, "n0") == ("n0", "n1")
    assert modes(desk) == {}
    assert alike_to(desk.book, "gone") == ()


def test_saturation_is_told_in_words(desk: Desk) -> None:
    assert saturation_words(saturation(desk.book)) == "No notes yet."
    notes(desk)
    assert "saturation is not known" in saturation_words(saturation(desk.book))
    note_act(desk, act("assign", "n0", "n1", "n2", text="A"))
    assert saturation_words(saturation(desk.book)) == (
        "Saturation: 2 coded notes since the last new mode (1 mode so far). 1 not coded yet."
    )


def coded(desk: Desk) -> Desk:
    notes(desk, 5)
    note_act(desk, act("assign", "n0", "n1", "n2", "n3", text="A"))
    return desk


def test_promotion_makes_a_pending_candidate_and_no_golden(desk: Desk) -> None:
    """E4."""
    coded(desk)
    assert "pending in Approvals" in promote(desk, desk.book.notes[0], "regression")
    (proposal,) = desk.store.proposals.list(state="pending", project="desk")
    candidate = parse_candidate(proposal.payload)
    assert (proposal.kind, proposal.subject, proposal.proposer) == ("golden_candidate", "i0", "eng")
    assert (candidate.item_id, candidate.mode_name, candidate.note) == ("i0", "A", "note 0")
    assert desk.store.goldens.cases("desk", "eng") == ()
    assert desk.store.proposals.list(state="pending", kind="golden") == ()


def test_an_item_promoted_twice_is_refused_with_a_link_to_the_first(desk: Desk) -> None:
    """E5."""
    coded(desk)
    promote(desk, desk.book.notes[0], "regression")
    (first,) = earlier(desk).values()
    with pytest.raises(AlreadyPromoted) as refusal:
        promote(desk, desk.book.notes[0], "calibration")
    assert refusal.value.first == str(first.id)
    assert len(desk.store.proposals.list(state=None)) == 1


def test_an_item_used_to_tune_a_judge_is_refused_for_calibration_with_the_reason(
    desk: Desk,
) -> None:
    """E6: i1 is in a tuning split, i3 is an example of the rubric."""
    coded(desk)
    by_item = {note.item_id: note for note in desk.book.notes}
    with pytest.raises(TunedOn, match="development"):
        promote(desk, by_item["i1"], "calibration")
    with pytest.raises(TunedOn, match="example"):
        promote(desk, by_item["i3"], "calibration")
    promote(desk, by_item["i2"], "calibration")
    promote(desk, by_item["i1"], "regression")
    assert set(earlier(desk)) == {"i1", "i2"}


def test_near_duplicates_of_promoted_items_are_flagged_in_the_list(desk: Desk) -> None:
    long = "The customer asks for a refund of the delivery fee of order number {}"
    items = [Item(id=f"x{k}", input=long.format(k), output="Paid back.") for k in range(2)]
    desk.store.projects.import_items("desk", items, actor="lea")
    for k in range(2):
        keep_note(desk, f"x{k}", f"words {k}", op_id=f"x{k}")
    note_act(desk, act("assign", "x0", "x1", text="Fee"))
    promote(desk, desk.book.notes[0], "regression")
    rows = {row.id: row.flag for row in promotion_rows(desk, desk.book, earlier(desk))}
    (first,) = earlier(desk).values()
    assert rows["x0"] == f"Promoted: candidate {first.id}, pending"
    assert rows["x1"].startswith("Alike 9")
    assert rows["x1"].endswith(f"item x0, candidate {first.id}")


def test_the_chart_holds_names_as_plain_data_without_tooltips_or_links(desk: Desk) -> None:
    """E7."""
    notes(desk)
    note_act(desk, act("assign", "n0", text=HOSTILE[:70]))
    chart = chart_of(shares(desk.book), ink="#000000").to_dict()
    values = str(chart)
    assert "href" not in values
    assert "'tooltip': {'value': None}" in values
    assert HOSTILE[:70] in values


@pytest.mark.parametrize("step", ["Open", "Axial", "Promote"])
def test_hostile_notes_and_names_are_nowhere_markdown(desk: Desk, step: str) -> None:
    """E7."""
    keep_note(desk, "i0", HOSTILE, op_id="n0")
    note_act(desk, act("assign", "n0", text=HOSTILE[:70]))
    app = opened("error_analysis", user="eng", step=step)
    for element in (*app.markdown, *app.button, *app.selectbox):
        assert "onerror" not in f"{getattr(element, 'value', '')}{getattr(element, 'label', '')}"


def test_the_page_draws_each_step_and_only_the_open_one(desk: Desk) -> None:
    coded(desk)
    page = opened("error_analysis", user="eng", step="Axial")
    assert [header.value for header in page.header] == ["Notes", "Failure modes"]
    page = opened("error_analysis", user="eng")
    assert [header.value for header in page.header] == ["Trace", "First failure"]
    assert "You read 5 and noted 5." in words(page)


def test_undo_on_the_page_takes_back_the_last_step_of_this_person(desk: Desk) -> None:
    coded(desk)
    app = opened("error_analysis", user="eng", step="Axial")
    assert "Last step: 4 notes under 'A'" in words(app)
    app.button(key="undo-button").click().run()
    assert modes(desk) == {"A": 0}


def test_an_empty_note_kept_too_fast_is_not_stored(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened("error_analysis", user="eng")
    monkeypatch.setattr(coding_open, "DWELL_S", 1e9)
    app.button(key="keep").click().run()
    assert desk.book.read == frozenset()
    monkeypatch.setattr(coding_open, "DWELL_S", 0.0)
    app.button(key="keep").click().run()
    assert len(desk.book.read) == 1


def test_a_note_whose_copy_cannot_be_written_is_said_to_be_saved(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: EventMirror, written: object) -> None:
        raise StoreFailed("the disk is full")

    app = opened("error_analysis", user="eng")
    monkeypatch.setattr(coding_open, "DWELL_S", 0.0)
    monkeypatch.setattr(EventMirror, "append", full)
    app.button(key="keep").click().run()
    assert "Warning: saved in the label database, but not copied" in sent(app)
    assert len(desk.book.read) == 1


def test_an_annotator_is_not_allowed(desk: Desk) -> None:
    notes(desk)
    app = opened("error_analysis", user="bexqu")
    assert "Not allowed" in words(app)
    assert "note 0" not in repr(app)


def test_a_project_without_items_says_so(desk: Desk) -> None:
    empty = desk.project.model_copy(update={"name": "empty"})
    desk.store.projects.create(empty, actor="lea")
    app = opened("error_analysis", user="eng", project="empty")
    assert "The project has no items." in words(app)


def test_a_half_typed_note_is_in_the_box_after_a_reload(desk: Desk) -> None:
    item = str(opened("error_analysis", user="eng").session_state["_coding_at"])
    desk.store.codes.save_draft("desk", item, "eng", "half a thought")
    app = opened("error_analysis", user="eng")
    app.session_state["_coding_shown_at"] = 0.0
    app.button(key="keep").click().run()
    assert [note.text for note in desk.book.notes] == ["half a thought"]
    assert desk.store.codes.load_draft("desk", item, "eng") is None
