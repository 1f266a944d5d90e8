from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InputError
from judgekit.store.label_store import CodeBook, CodeEvent
from judgekit.store.label_store.reviewing.code_fold import fold_codes

AT = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)


@dataclass
class Log:
    events: list[CodeEvent] = field(default_factory=list)

    def add(self, operation: str, kind: Any, /, actor: str = "ana", **body: Any) -> str:
        seq = len(self.events) + 1
        self.events.append(
            CodeEvent(
                seq=seq, op_id=operation, project="p", kind=kind, body=body, actor=actor, at=AT
            )
        )
        return operation

    def notes(self, n: int) -> Log:
        for i in range(1, n + 1):
            self.add(f"n{i}", "note", item_id=f"item{i}", text=f"note {i}")
        return self

    def mode(self, code: str, name: str, *notes: str) -> Log:
        self.add(code, "name", name=name)
        if notes:
            self.add(f"{code}-notes", "assign", notes=list(notes), code=code)
        return self

    def fold(self) -> CodeBook:
        return fold_codes("p", self.events)


def modes_of(book: CodeBook) -> dict[str, tuple[str, ...]]:
    return {
        code.name: tuple(note.id for note in book.notes if note.code == code.id)
        for code in book.codes
    }


def test_a_merge_keeps_every_note_and_undo_restores_both_modes_exactly() -> None:
    """E2."""
    log = Log().notes(5).mode("a", "wrong city", "n1", "n2").mode("b", "wrong town", "n3")
    before = log.fold()
    log.add("m", "merge", source="b", target="a")
    merged = log.fold()
    assert modes_of(merged) == {"wrong city": ("n1", "n2", "n3")}
    assert [n.text for n in merged.notes] == [n.text for n in before.notes]
    log.add("u", "undo", op_id="m")
    assert modes_of(log.fold()) == modes_of(before)


def test_an_undo_can_be_undone() -> None:
    log = Log().notes(1).mode("a", "A", "n1").mode("b", "B")
    log.add("m", "merge", source="a", target="b")
    merged = modes_of(log.fold())
    log.add("u", "undo", op_id="m")
    log.add("uu", "undo", op_id="u")
    assert modes_of(log.fold()) == merged


def test_a_note_assigned_to_a_mode_merged_meanwhile_goes_under_the_mode_that_stands() -> None:
    log = Log().notes(2).mode("a", "A").mode("b", "B")
    log.add("m", "merge", source="a", target="b")
    log.add("late", "assign", notes=["n1"], code="a")
    assert modes_of(log.fold()) == {"B": ("n1",)}
    log.add("u", "undo", op_id="m")
    assert modes_of(log.fold()) == {"A": ("n1",), "B": ()}


def test_merging_in_a_circle_loses_nothing_and_ends() -> None:
    log = Log().notes(1).mode("a", "A", "n1").mode("b", "B")
    log.add("m1", "merge", source="a", target="b")
    log.add("m2", "merge", source="b", target="a")
    assert modes_of(log.fold()) == {"B": ("n1",)}


def test_a_split_moves_only_the_chosen_notes_of_that_mode() -> None:
    log = Log().notes(3).mode("a", "A", "n1", "n2")
    log.add("b", "split", source="a", name="B", notes=["n2", "n3"])
    assert modes_of(log.fold()) == {"A": ("n1",), "B": ("n2",)}
    assert [n.id for n in log.fold().unassigned] == ["n3"]


def test_undoing_a_mode_leaves_its_notes_unassigned() -> None:
    log = Log().notes(1).mode("a", "A", "n1")
    log.add("u", "undo", op_id="a")
    assert modes_of(log.fold()) == {}
    assert [n.id for n in log.fold().unassigned] == ["n1"]


def test_undo_offers_the_last_own_step_and_never_a_note_or_another_persons_step() -> None:
    log = Log().notes(1).mode("a", "A")
    log.add("r", "rename", actor="ben", code="a", name="B")
    log.add("n2", "note", item_id="item2", text="later")
    step = log.fold().last_step("ana")
    assert step is not None
    assert (step.op_id, step.words) == ("a", "new mode 'A'")
    assert log.fold().last_step("cy") is None


def test_a_reworded_note_keeps_its_mode_and_its_place_and_a_discarded_one_is_gone() -> None:
    log = Log().notes(3).mode("a", "A", "n1")
    log.add("e", "edit", note="n1", text="better words")
    log.add("d", "discard", note="n2")
    notes = log.fold().notes
    assert [(n.id, n.text, n.code) for n in notes] == [
        ("n1", "better words", "a"),
        ("n3", "note 3", None),
    ]


def test_reading_without_a_note_counts_as_read_and_not_as_a_note() -> None:
    log = Log().notes(1)
    log.add("r", "read", item_id="item9")
    assert log.fold().read == {("ana", "item9"), ("ana", "item1")}
    assert len(log.fold().notes) == 1


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("assign"), st.sampled_from("abc"), st.integers(1, 6)),
        st.tuples(st.just("merge"), st.sampled_from("abc"), st.sampled_from("abc")),
        st.tuples(st.just("take out"), st.just(""), st.integers(1, 6)),
        st.tuples(st.just("split"), st.sampled_from("abc"), st.integers(1, 6)),
        st.tuples(st.just("undo"), st.just(""), st.integers(0, 25)),
    ),
    max_size=25,
)


@given(STEPS)
def test_counts_over_modes_and_unassigned_always_add_up_to_all_notes(
    steps: list[tuple[str, str, Any]],
) -> None:
    """E3."""
    log = Log().notes(6).mode("a", "A").mode("b", "B").mode("c", "C")
    for i, (kind, mode, other) in enumerate(steps):
        op_id = f"s{i}"
        match kind:
            case "assign":
                log.add(op_id, "assign", notes=[f"n{other}"], code=mode)
            case "merge":
                log.add(op_id, "merge", source=mode, target=other)
            case "take out":
                log.add(op_id, "assign", notes=[f"n{other}"], code=None)
            case "split":
                log.add(op_id, "split", source=mode, name=op_id, notes=[f"n{other}"])
            case _:
                log.add(op_id, "undo", op_id=f"s{other}")
    book = log.fold()
    assert sum(code.n_notes for code in book.codes) + len(book.unassigned) == 6
    assert {note.code for note in book.notes} <= {None, *(code.id for code in book.codes)}


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("assign", {"notes": [], "code": "a"}),
        ("note", {"item_id": "i", "text": "t", "more": 1}),
        ("undo", {}),
    ],
)
def test_an_event_that_does_not_fit_is_refused_with_its_kind(
    kind: str, body: dict[str, Any]
) -> None:
    log = Log()
    log.add("x", kind, **body)
    with pytest.raises(InputError, match=kind):
        log.fold()
