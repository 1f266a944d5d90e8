from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pytest
from desk import label, new_op, open_desk

from judgekit.errors import NotMirrored, StoreFailed
from judgekit.store.label_store import (
    Answer,
    LabelEvent,
    LabelStore,
    open_label_store,
)


class Mirror:
    """A mirror in memory that can be made to fail."""

    def __init__(self) -> None:
        self.events: dict[str, LabelEvent] = {}
        self.broken = False

    def append(self, events: Sequence[LabelEvent]) -> None:
        if self.broken:
            raise StoreFailed("the disk is full")
        self.events |= {event.key: event for event in events}

    def held(self, dataset: str) -> Collection[str]:
        return {key for key, event in self.events.items() if event.dataset == dataset}


def some_work(store: LabelStore) -> None:
    label(store, "ana", "c1", Answer(label="fail", criteria={"amount": "fail"}))
    label(store, "ana", "c1", "pass")
    label(store, "ben", "c1", "fail")
    label(store, "ben", "c2", "unsure")
    store.labels.undo("desk", annotator="ben", op_id=new_op())
    label(store, "ben", "c2", "pass")


def test_sequence_numbers_and_revisions_have_no_gaps(store: LabelStore) -> None:
    open_desk(store)
    some_work(store)
    events = list(store.events.since())
    assert [e.seq for e in events] == list(range(1, len(events) + 1))
    revs = [e.rev for e in events if e.annotator == "ben" and e.item_id == "c2"]
    assert revs == [1, 2, 3]
    assert list(store.events.since(3, until=5)) == events[3:5]
    assert store.events.last_seq() == store.events.count("desk") == len(events)


def test_the_log_goes_into_an_empty_store_and_says_the_same(
    store: LabelStore, tmp_path: Path
) -> None:
    """M3, M4: importing twice gives 0 new; what stands is the same."""
    open_desk(store)
    some_work(store)
    events = list(store.events.since())
    with open_label_store(None, tmp_path / "other") as other:
        open_desk(other)
        dry = other.events.import_events("desk", events, actor="lea", dry_run=True)
        assert (dry.n_new, dry.written, other.events.count()) == (len(events), False, 0)
        first = other.events.import_events("desk", events, actor="lea")
        again = other.events.import_events("desk", events, actor="lea")
        assert (first.n_new, first.n_known, first.conflicts) == (len(events), 0, ())
        assert (again.n_new, again.n_known, again.written) == (0, len(events), False)
        assert list(other.events.since()) == events
        assert other.events.current("desk") == store.events.current("desk")
        assert other.queue.progress("desk", "ben") == store.queue.progress("desk", "ben")
        assert other.ratings.fill("desk") == store.ratings.fill("desk")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"value": {"label": "pass"}}, "'value' differs"),
        ({"op_id": "another"}, "the revision is taken"),
        ({"op_id": "another", "rev": 9}, "a revision is missing"),
        ({"op_id": "another", "item_id": "nope"}, "the item is unknown"),
        ({"op_id": "another", "item_hash": "sha256:0"}, "the item has other content"),
        ({"op_id": "another", "dataset": "other"}, "another dataset"),
    ],
)
def test_any_conflict_changes_nothing(
    store: LabelStore, change: dict[str, object], reason: str
) -> None:
    """M2."""
    open_desk(store)
    label(store, "ana", "c1", "fail")
    first = next(store.events.since())
    good = first.model_copy(update={"op_id": "good", "annotator": "zoe", "actor": "zoe"})
    bad = first.model_copy(update=change)
    report = store.events.import_events("desk", [good, bad], actor="lea")
    assert [c.reason for c in report.conflicts] == [reason]
    assert not report.written
    assert store.events.count() == 1


def test_every_saved_event_is_in_the_mirror_before_saved_is_said(url: str, tmp_path: Path) -> None:
    mirror = Mirror()
    with open_label_store(url, tmp_path, mirror=mirror) as store:
        open_desk(store)
        some_work(store)
        assert list(mirror.events.values()) == list(store.events.since())


def test_a_mirror_that_fell_behind_catches_up_when_the_store_opens(
    url: str, tmp_path: Path
) -> None:
    mirror = Mirror()
    with open_label_store(url, tmp_path, mirror=mirror) as store:
        open_desk(store)
        label(store, "ana", "c1", "pass")
        mirror.broken = True
        with pytest.raises(NotMirrored, match=r"saved in the label database.*disk is full"):
            label(store, "ana", "c2", "pass")
        assert store.events.count() == 2
    mirror.broken = False
    with open_label_store(url, tmp_path, mirror=mirror) as store:
        assert list(mirror.events.values()) == list(store.events.since())
        assert store.events.catch_up() == 0
