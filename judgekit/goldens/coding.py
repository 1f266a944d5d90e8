"""What a code book says: shares of the failure modes, saturation, and an order to read in.

The store keeps notes and modes as events and folds them (`LabelStore.codes`); here are the
numbers that Error analysis shows.
"""

from __future__ import annotations

from collections.abc import Iterable

from judgekit.model.base import Record
from judgekit.model.canonical import unit_interval
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import wilson
from judgekit.store.label_store import CodeBook

DISPLAY_TAIL = 0.025
"""Displayed intervals are two-sided at 95 %."""


class ModeShare(Record):
    """How many notes a failure mode holds, and its share of all notes."""

    code: str
    name: str
    count: int
    share: Statistic


class Saturation(Record):
    """How far new notes still bring new modes.

    `since_new` counts the coded notes written after the one that last showed a new mode; notes
    without a mode say nothing yet and are in `n_uncoded`. `found[k]` is how many modes the first
    k + 1 coded notes showed.
    """

    n_notes: int
    n_uncoded: int
    n_modes: int
    since_new: int
    found: tuple[int, ...] = ()


def shares(book: CodeBook) -> tuple[ModeShare, ...]:
    """Return count and share of each living mode among all notes, most frequent first.

    The counts and the unassigned notes add up to all notes. Intervals: Wilson, two-sided 95 %,
    each note counted as independent. A share is Undefined where there is no note. It says how
    the notes read fall, not how often a mode occurs: that depends on how the items were drawn.
    """
    n = len(book.notes)
    rows = [
        ModeShare(code=code.id, name=code.name, count=code.n_notes, share=_share(code.n_notes, n))
        for code in book.codes
    ]
    return tuple(sorted(rows, key=lambda row: -row.count))


def saturation(book: CodeBook) -> Saturation:
    """Return how many coded notes were written since the last one that showed a new mode."""
    seen: set[str] = set()
    since, found = 0, []
    for note in book.notes:
        if note.code is None:
            continue
        since = 0 if note.code not in seen else since + 1
        seen.add(note.code)
        found.append(len(seen))
    return Saturation(
        n_notes=len(book.notes),
        n_uncoded=len(book.unassigned),
        n_modes=len(seen),
        since_new=since,
        found=tuple(found),
    )


def reading_order(item_ids: Iterable[str], *, seed: str, coder: str) -> tuple[str, ...]:
    """Return the items in the coder's own order, by hash of seed, coder and item."""
    return tuple(
        sorted(item_ids, key=lambda i: (unit_interval("error analysis", seed, coder, i), i))
    )


def _share(count: int, n: int) -> Statistic:
    bounds = wilson(count, n, DISPLAY_TAIL)
    if bounds is None:
        return Undefined(undefined="there are no notes")
    return Estimate(value=count / n, low=bounds.low, high=bounds.high, n=n, method="wilson")
