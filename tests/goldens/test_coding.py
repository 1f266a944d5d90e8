from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.goldens.coding import reading_order, saturation, shares
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.store.label_store import Code, CodeBook, CodeNote

AT = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)


def book(*codes: str | None, unused: tuple[str, ...] = ()) -> CodeBook:
    """Return a book whose notes, in the order written, have these codes."""
    notes = tuple(
        CodeNote(id=f"n{i}", project="p", item_id=f"i{i}", text="t", author="ana", at=AT, code=code)
        for i, code in enumerate(codes)
    )
    names = sorted({code for code in codes if code} | set(unused))
    return CodeBook(
        project="p",
        notes=notes,
        codes=tuple(Code(id=name, name=name.upper(), n_notes=codes.count(name)) for name in names),
    )


@settings(deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([None, "a", "b", "c"]), max_size=40))
def test_counts_over_modes_and_unassigned_add_up_to_all_notes(codes: list[str | None]) -> None:
    """E3."""
    made = book(*codes, unused=("d",))
    assert sum(row.count for row in shares(made)) + len(made.unassigned) == len(codes)


def test_a_share_carries_its_interval_and_n_and_the_most_frequent_comes_first() -> None:
    rows = shares(book("b", "b", *["a"] * 8))
    assert [row.name for row in rows] == ["A", "B"]
    share = rows[0].share
    assert isinstance(share, Estimate)
    assert (share.value, share.n, share.method) == (0.8, 10, "wilson")
    # Wilson interval of 8 of 10: R, prop.test(8, 10, correct = FALSE).
    assert share.low == pytest.approx(0.490162, abs=1e-6)
    assert share.high == pytest.approx(0.943318, abs=1e-6)


def test_without_notes_a_share_is_undefined() -> None:
    assert isinstance(shares(book(unused=("a",)))[0].share, Undefined)


def test_saturation_counts_coded_notes_since_the_last_new_mode() -> None:
    line = saturation(book("a", "a", "b", None, "a", "b", None))
    assert (line.n_notes, line.n_uncoded, line.n_modes, line.since_new) == (7, 2, 2, 2)
    assert line.found == (1, 1, 2, 2, 2)


def test_without_coded_notes_nothing_is_said_about_saturation() -> None:
    line = saturation(book(None, None))
    assert (line.n_modes, line.since_new, line.found) == (0, 0, ())


def test_two_coders_read_in_different_orders_and_each_in_the_same_order_again() -> None:
    items = [f"i{i}" for i in range(50)]
    ana = reading_order(items, seed="1", coder="ana")
    assert ana == reading_order(reversed(items), seed="1", coder="ana")
    assert sorted(ana) == sorted(items)
    assert ana != reading_order(items, seed="1", coder="ben")
    assert ana != reading_order(items, seed="2", coder="ana")
