from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.errors import InputError
from judgekit.goldens.coding import Coding, check_name, fold, saturation, shares
from judgekit.stats.estimate import Estimate, Undefined


@dataclass(frozen=True)
class Event:
    seq: int
    kind: str
    body: dict[str, Any]
    actor: str = "ana"


@dataclass
class Log:
    events: list[Event] = field(default_factory=list)

    def add(self, kind: str, actor: str = "ana", **body: Any) -> int:
        self.events.append(Event(len(self.events) + 1, kind, body, actor))
        return len(self.events)

    def notes(self, n: int) -> Log:
        for i in range(1, n + 1):
            self.add("note", note_id=f"n{i}", item_id=f"item{i}", text=f"note {i}")
        return self

    def fold(self) -> Coding:
        return fold(self.events)


def modes_of(coding: Coding) -> dict[str, tuple[str, ...]]:
    return {mode.name: mode.notes for mode in coding.modes}


def test_a_merge_keeps_every_note_and_undo_restores_both_modes_exactly() -> None:
    """E2."""
    log = Log().notes(5)
    log.add("create_mode", mode_id="a", name="wrong city", note_ids=["n1", "n2"])
    log.add("create_mode", mode_id="b", name="wrong town", note_ids=["n3"])
    before = log.fold()
    merge = log.add("merge_modes", mode_id="b", into="a")
    merged = log.fold()
    assert modes_of(merged) == {"wrong city": ("n1", "n2", "n3")}
    assert [n.text for n in merged.notes] == [n.text for n in before.notes]
    log.add("undo", seq=merge)
    assert modes_of(log.fold()) == modes_of(before)
    log.add("undo", seq=len(log.events))
    assert modes_of(log.fold()) == modes_of(merged)


def test_a_note_assigned_to_a_mode_merged_meanwhile_goes_under_the_mode_that_stands() -> None:
    log = Log().notes(2)
    log.add("create_mode", mode_id="a", name="A")
    log.add("create_mode", mode_id="b", name="B")
    merge = log.add("merge_modes", mode_id="a", into="b")
    log.add("assign", note_ids=["n1"], mode_id="a")
    assert modes_of(log.fold()) == {"B": ("n1",)}
    log.add("undo", seq=merge)
    assert modes_of(log.fold()) == {"A": ("n1",), "B": ()}


def test_merging_in_a_circle_loses_nothing_and_ends() -> None:
    log = Log().notes(1)
    log.add("create_mode", mode_id="a", name="A", note_ids=["n1"])
    log.add("create_mode", mode_id="b", name="B")
    log.add("merge_modes", mode_id="a", into="b")
    log.add("merge_modes", mode_id="b", into="a")
    assert modes_of(log.fold()) == {"B": ("n1",)}


def test_a_split_moves_only_the_chosen_notes_of_that_mode() -> None:
    log = Log().notes(3)
    log.add("create_mode", mode_id="a", name="A", note_ids=["n1", "n2"])
    log.add("split_mode", mode_id="a", new_mode_id="b", name="B", note_ids=["n2", "n3"])
    assert modes_of(log.fold()) == {"A": ("n1",), "B": ("n2",)}
    assert [n.id for n in log.fold().unassigned] == ["n3"]


def test_undoing_a_mode_leaves_its_notes_unassigned() -> None:
    log = Log().notes(1)
    made = log.add("create_mode", mode_id="a", name="A")
    log.add("assign", note_ids=["n1"], mode_id="a")
    log.add("undo", seq=made)
    assert modes_of(log.fold()) == {}
    assert [n.id for n in log.fold().unassigned] == ["n1"]


def test_undo_offers_the_last_own_step_and_never_a_note_or_another_persons_step() -> None:
    log = Log().notes(1)
    made = log.add("create_mode", mode_id="a", name="A")
    log.add("rename_mode", actor="ben", mode_id="a", name="B")
    log.add("note", note_id="n2", item_id="item2", text="later")
    coding = log.fold()
    step = coding.last_step("ana")
    assert step is not None
    assert step.seq == made
    assert coding.last_step("cy") is None


def test_a_reworded_note_keeps_its_mode_and_its_place() -> None:
    log = Log().notes(2)
    log.add("create_mode", mode_id="a", name="A", note_ids=["n1"])
    log.add("edit_note", note_id="n1", text="better words")
    note = log.fold().notes[0]
    assert (note.id, note.text, note.mode) == ("n1", "better words", "a")


def test_reading_without_a_note_counts_as_read_and_not_as_a_note() -> None:
    log = Log()
    log.add("read", item_id="item9")
    log.add("note", note_id="n1", item_id="item1", text="x")
    coding = log.fold()
    assert coding.read == {("ana", "item9"), ("ana", "item1")}
    assert len(coding.notes) == 1
    assert coding.note_of("ben", "item1") is None


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("assign"), st.sampled_from("abc"), st.integers(1, 6)),
        st.tuples(st.just("merge_modes"), st.sampled_from("abc"), st.sampled_from("abc")),
        st.tuples(st.just("unassign"), st.just(""), st.integers(1, 6)),
        st.tuples(st.just("split_mode"), st.sampled_from("abc"), st.integers(1, 6)),
        st.tuples(st.just("undo"), st.just(""), st.integers(1, 20)),
    ),
    max_size=25,
)


@given(ACTIONS)
def test_counts_over_modes_and_unassigned_always_add_up_to_all_notes(
    steps: list[tuple[str, str, Any]],
) -> None:
    """E3."""
    log = Log().notes(6)
    for mode in "abc":
        log.add("create_mode", mode_id=mode, name=mode.upper())
    for kind, mode, other in steps:
        match kind:
            case "assign":
                log.add(kind, note_ids=[f"n{other}"], mode_id=mode)
            case "merge_modes":
                log.add(kind, mode_id=mode, into=other)
            case "unassign":
                log.add(kind, note_ids=[f"n{other}"])
            case "split_mode":
                new = f"s{len(log.events)}"
                log.add(kind, mode_id=mode, new_mode_id=new, name=new, note_ids=[f"n{other}"])
            case _:
                log.add(kind, seq=other + 6)
    coding = log.fold()
    rows = shares(coding)
    assert sum(row.count for row in rows) + len(coding.unassigned) == 6
    assert sorted(note for mode in coding.modes for note in mode.notes) == sorted(
        note.id for note in coding.notes if note.mode is not None
    )


def test_a_share_carries_its_interval_and_n() -> None:
    log = Log().notes(10)
    log.add("create_mode", mode_id="a", name="A", note_ids=[f"n{i}" for i in range(1, 9)])
    share = shares(log.fold())[0].share
    assert isinstance(share, Estimate)
    assert (share.value, share.n, share.method) == (0.8, 10, "wilson")
    # Wilson interval of 8 of 10: R, prop.test(8, 10, correct = FALSE).
    assert share.low == pytest.approx(0.490162, abs=1e-6)
    assert share.high == pytest.approx(0.943318, abs=1e-6)


def test_without_notes_a_share_is_undefined() -> None:
    log = Log()
    log.add("create_mode", mode_id="a", name="A")
    assert isinstance(shares(log.fold())[0].share, Undefined)


def test_saturation_counts_coded_notes_since_the_last_new_mode() -> None:
    log = Log().notes(7)
    log.add("create_mode", mode_id="a", name="A", note_ids=["n1", "n2", "n5"])
    log.add("create_mode", mode_id="b", name="B", note_ids=["n3", "n6"])
    line = saturation(log.fold())
    assert (line.n_notes, line.n_uncoded, line.n_modes, line.since_new) == (7, 2, 2, 2)
    assert line.found == (1, 1, 2, 2, 2)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("nonsense", {}),
        ("assign", {"note_ids": [], "mode_id": "a"}),
        ("note", {"note_id": "n", "item_id": "i", "text": "t", "more": 1}),
    ],
)
def test_an_event_that_does_not_fit_is_refused_with_its_kind(
    kind: str, body: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=kind):
        fold([Event(1, kind, body)])


def test_a_mode_name_is_trimmed_and_must_be_new() -> None:
    log = Log()
    log.add("create_mode", mode_id="a", name="Wrong city")
    coding = log.fold()
    assert check_name(coding, "  Wrong   town ") == "Wrong town"
    assert check_name(coding, "wrong CITY", renaming="a") == "wrong CITY"
    for bad in ("wrong city", "  ", "x" * 81):
        with pytest.raises(InputError):
            check_name(coding, bad)
