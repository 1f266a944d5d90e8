from __future__ import annotations

import pytest

from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.store.label_store import LabelSchema, LabelStore, Project


@pytest.fixture
def codes(store: LabelStore) -> LabelStore:
    store.projects.create(
        Project(name="desk", dataset="desk", label_schema=LabelSchema()), actor="lea"
    )
    items = [Item(id=f"i{n}", input="q", output=f"a{n}") for n in range(4)]
    store.projects.import_items("desk", items, actor="lea")
    for n in range(4):
        store.codes.add_note("desk", f"i{n}", f"note {n}", author="eva", op_id=f"n{n}")
    return store


def names(store: LabelStore) -> dict[str, int]:
    return {code.name: code.n_notes for code in store.codes.book("desk").codes}


def test_a_note_sent_twice_is_stored_once(codes: LabelStore) -> None:
    again = codes.codes.add_note("desk", "i0", "other words", author="eva", op_id="n0")
    assert again.text == "note 0"
    assert len(codes.codes.book("desk").notes) == 4


def test_a_note_needs_words_and_an_item_that_is_there(codes: LabelStore) -> None:
    with pytest.raises(InputError, match="words"):
        codes.codes.add_note("desk", "i0", "  \n", author="eva", op_id="x")
    with pytest.raises(InputError, match="no item 'nowhere'"):
        codes.codes.add_note("desk", "nowhere", "words", author="eva", op_id="x")
    assert len(codes.codes.events("desk")) == 4


def test_a_mode_name_is_trimmed_and_must_be_new(codes: LabelStore) -> None:
    made = codes.codes.new_code("desk", "  Wrong   city ", actor="eva", op_id="a")
    assert made.name == "Wrong city"
    for bad in ("wrong CITY", "  ", "x" * 81):
        with pytest.raises(InputError):
            codes.codes.new_code("desk", bad, actor="eva", op_id="b")
    renamed = codes.codes.rename("desk", "a", "wrong CITY", actor="eva", op_id="c")
    assert renamed.name == "wrong CITY"


def test_merge_keeps_all_notes_and_undo_brings_both_modes_back(codes: LabelStore) -> None:
    """E2."""
    codes.codes.new_code("desk", "A", actor="eva", op_id="a")
    codes.codes.new_code("desk", "B", actor="eva", op_id="b")
    codes.codes.assign("desk", ["n0", "n1"], "a", actor="eva", op_id="s1")
    codes.codes.assign("desk", ["n2"], "b", actor="eva", op_id="s2")
    codes.codes.merge("desk", "a", "b", actor="eva", op_id="m")
    assert names(codes) == {"B": 3}
    assert len(codes.codes.book("desk").notes) == 4
    undone = codes.codes.undo("desk", actor="eva", op_id="u")
    assert undone is not None
    assert undone.op_id == "m"
    assert names(codes) == {"A": 2, "B": 1}


def test_undo_goes_back_step_by_step_and_leaves_notes_and_other_people_alone(
    codes: LabelStore,
) -> None:
    codes.codes.new_code("desk", "A", actor="eva", op_id="a")
    codes.codes.new_code("desk", "B", actor="max", op_id="b")
    codes.codes.assign("desk", ["n0"], "a", actor="eva", op_id="s")
    assert codes.codes.undo("desk", actor="eva", op_id="u1") is not None
    assert codes.codes.undo("desk", actor="eva", op_id="u1") is not None
    assert names(codes) == {"A": 0, "B": 0}
    assert codes.codes.undo("desk", actor="eva", op_id="u2") is not None
    assert codes.codes.undo("desk", actor="eva", op_id="u3") is None
    assert names(codes) == {"B": 0}
    assert len(codes.codes.book("desk").notes) == 4


def test_split_takes_only_notes_of_that_mode(codes: LabelStore) -> None:
    codes.codes.new_code("desk", "A", actor="eva", op_id="a")
    codes.codes.assign("desk", ["n0", "n1"], "a", actor="eva", op_id="s")
    with pytest.raises(InputError, match="not under"):
        codes.codes.split("desk", "a", ["n1", "n2"], "B", actor="eva", op_id="b")
    codes.codes.split("desk", "a", ["n1"], "B", actor="eva", op_id="b")
    assert names(codes) == {"A": 1, "B": 1}


def test_only_its_author_rewords_or_discards_a_note(codes: LabelStore) -> None:
    with pytest.raises(InputError, match="author"):
        codes.codes.edit_note("desk", "n0", "mine", actor="max", op_id="e")
    codes.codes.edit_note("desk", "n0", "better", actor="eva", op_id="e")
    codes.codes.discard_note("desk", "n1", actor="eva", op_id="d")
    book = codes.codes.book("desk")
    assert [note.text for note in book.notes] == ["better", "note 2", "note 3"]
    assert ("eva", "i1") in book.read


def test_what_is_gone_meanwhile_is_refused_and_nothing_is_written(codes: LabelStore) -> None:
    codes.codes.new_code("desk", "A", actor="eva", op_id="a")
    before = codes.codes.events("desk")
    with pytest.raises(InputError, match="no such failure mode"):
        codes.codes.assign("desk", ["n0"], "gone", actor="eva", op_id="s")
    with pytest.raises(InputError, match="no such note"):
        codes.codes.assign("desk", ["gone"], "a", actor="eva", op_id="s")
    with pytest.raises(InputError, match="no such note"):
        codes.codes.assign("desk", [], "a", actor="eva", op_id="s")
    with pytest.raises(InputError, match="itself"):
        codes.codes.merge("desk", "a", "a", actor="eva", op_id="s")
    assert codes.codes.events("desk") == before


def test_hostile_words_come_back_verbatim(codes: LabelStore) -> None:
    """E7."""
    words = "<img src=x onerror=alert(1)> ![x](http://x.example) \u202e\U0001f600 $x$ =cmd()"
    note = codes.codes.add_note("desk", "i0", words, author="eva", op_id="h")
    code = codes.codes.new_code("desk", words, actor="eva", op_id="hc")
    assert (note.text, code.name) == (words, words)


def test_items_read_without_a_note_are_remembered_per_person(codes: LabelStore) -> None:
    codes.codes.mark_read("desk", "i3", author="max", op_id="r")
    read = codes.codes.book("desk").read
    assert ("max", "i3") in read
    assert ("max", "i0") not in read


def test_a_half_typed_note_is_kept_for_its_author_only_and_is_no_note(codes: LabelStore) -> None:
    codes.codes.save_draft("desk", "i3", "max", "half a")
    codes.codes.save_draft("desk", "i3", "max", "half a thought")
    assert codes.codes.load_draft("desk", "i3", "max") == "half a thought"
    assert codes.codes.load_draft("desk", "i3", "eva") is None
    assert codes.adjudication.load_draft("desk", "i3", "max") is None
    assert len(codes.codes.book("desk").notes) == 4
    codes.codes.clear_draft("desk", "i3", "max")
    assert codes.codes.load_draft("desk", "i3", "max") is None
