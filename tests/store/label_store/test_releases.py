from __future__ import annotations

import pytest
from desk import label, new_op, next_item, open_desk, press

from judgekit.errors import InputError
from judgekit.store.label_store import LabelPair, LabelStore, Release


def release(store: LabelStore, version: str = "1", last_seq: int | None = None) -> Release:
    shown = next_item(store, "clock")
    return Release(
        project="desk",
        dataset="desk",
        version=version,
        last_seq=store.events.last_seq() if last_seq is None else last_seq,
        hashes={"labels.jsonl": "sha256:1"},
        counts={"labels": 1},
        agreement={"kappa": 0.5},
        exclusions=({"item_id": "c1", "field": "tone", "reason": "r"},),
        actor="lea",
        at=shown.shown_at,
    )


def test_a_release_is_kept_as_it_was_written(store: LabelStore) -> None:
    """P3: later labels do not change it."""
    open_desk(store)
    label(store, "ana", "c1", "pass")
    made = store.releases.add(release(store))
    label(store, "ana", "c2", "pass")
    assert store.releases.list("desk") == (made,)
    assert store.releases.get("desk", "1") == made
    with pytest.raises(InputError, match="no release '2'"):
        store.releases.get("desk", "2")


def test_a_release_cannot_repeat_a_version_or_end_outside_the_log(store: LabelStore) -> None:
    open_desk(store)
    label(store, "ana", "c1", "pass")
    store.releases.add(release(store))
    with pytest.raises(InputError, match="already"):
        store.releases.add(release(store))
    for wrong in (0, 99):
        with pytest.raises(InputError, match="cannot end there"):
            store.releases.add(release(store, "2", wrong))


def test_pairs_are_of_annotators_and_of_what_stands(store: LabelStore) -> None:
    open_desk(store, reveal_after_save=True)
    label(store, "ana", "c1", "pass")
    label(store, "ana", "c1", "fail")
    label(store, "ben", "c1", "pass")
    shown = next_item(store, "ana")
    press(store, shown, "pass")
    store.labels.reveal(shown.id, annotator="ana")
    label(store, "ana", shown.item.id, "fail")
    label(store, "ben", shown.item.id, "pass")
    assert store.ratings.pairs("desk") == (
        LabelPair(
            item_id="c1",
            field="_overall",
            annotator_1="ana",
            label_1="fail",
            annotator_2="ben",
            label_2="pass",
        ),
    )


def test_very_fast_labels_are_counted_not_dropped(store: LabelStore) -> None:
    """Honest 9."""
    open_desk(store)
    for _ in range(3):
        press(store, next_item(store, "ana"), "pass", dwell_ms=1)
    (pace,) = store.ratings.pace("desk")
    assert (pace.n_labels, pace.n_very_fast, pace.n_too_fast) == (3, 3, 0)
    assert pace.median_dwell_ms is not None
    assert store.ratings.fill("desk") == {0: 2, 1: 3}


def test_an_undone_label_is_in_no_count(store: LabelStore) -> None:
    open_desk(store)
    label(store, "ana", "c1", "pass")
    label(store, "ben", "c1", "fail")
    store.labels.undo("desk", annotator="ben", op_id=new_op())
    assert store.ratings.pairs("desk") == ()
    assert store.ratings.fill("desk") == {0: 4, 1: 1}
