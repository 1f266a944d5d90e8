from __future__ import annotations

import pytest
from desk import label, new_op, next_item, open_desk, press

from judgekit.errors import InputError
from judgekit.store.label_store import Answer, LabelStore, Presentation, Saved


def run(store: LabelStore, who: str, n: int) -> list[Presentation]:
    seen = []
    for _ in range(n):
        seen.append(next_item(store, who))
        assert isinstance(press(store, seen[-1], "pass"), Saved)
    return seen


def test_two_people_see_different_orders_and_each_always_the_same(store: LabelStore) -> None:
    """L10: two users, same project, different first five; same user again, same order."""
    open_desk(store, 40)
    other = store.projects.get("desk").model_copy(update={"name": "again"})
    store.projects.create(other, actor="lea")
    items = [held.item for held in store.projects.items("desk")]
    store.projects.import_items("again", items, actor="lea")
    ana = [p.item.id for p in run(store, "ana", 5)]
    ben = [p.item.id for p in run(store, "ben", 5)]
    assert ana != ben
    again = []
    for _ in range(5):
        shown = store.queue.next_presentation("again", "ana")
        assert shown is not None
        again.append(shown.item.id)
        press(store, shown, "pass")
    assert again == ana


def test_a_position_names_the_item_that_was_shown_there_to_this_annotator(
    store: LabelStore,
) -> None:
    open_desk(store, 40)
    ana = [p.item.id for p in run(store, "ana", 3)]
    assert [store.queue.item_at("desk", "ana", n) for n in (1, 2, 3, 4)] == [*ana, None]
    assert store.queue.item_at("desk", "ben", 1) is None


def test_a_reload_shows_the_same_item(store: LabelStore) -> None:
    """L6."""
    open_desk(store)
    assert next_item(store, "ana") == next_item(store, "ana")


def test_work_goes_on_at_the_first_unlabelled_item_of_the_own_order(store: LabelStore) -> None:
    """Fast 6: also after a jump away from it."""
    open_desk(store, 10)
    order = [p.item.id for p in run(store, "ben", 10)]
    del order
    first = next_item(store, "ana")
    far = next(f"c{k}" for k in range(1, 11) if f"c{k}" != first.item.id)
    label(store, "ana", far, "pass")
    assert next_item(store, "ana").item.id == first.item.id


def test_an_own_label_that_was_only_looked_at_does_not_hold_the_queue(store: LabelStore) -> None:
    open_desk(store)
    done = run(store, "ana", 1)[0]
    looked = store.queue.present("desk", "ana", done.item.id)
    assert looked.answer == Answer(label="pass")
    assert next_item(store, "ana").id == looked.id
    going_on = store.queue.next_presentation("desk", "ana", leave_open=True)
    assert going_on is not None
    assert going_on.item.id != done.item.id


def test_an_item_that_wants_one_label_is_given_to_one_annotator(store: LabelStore) -> None:
    open_desk(store, 4, overlap_share=0.0)
    ana, ben = next_item(store, "ana"), next_item(store, "ben")
    assert ana.item.id != ben.item.id
    run(store, "ana", 3)
    assert store.queue.next_presentation("desk", "ana") is None
    press(store, ben, "pass")
    assert store.ratings.fill("desk") == {1: 4}


def test_an_expired_claim_frees_the_item_and_loses_no_label(store: LabelStore) -> None:
    open_desk(store, 1, overlap_share=0.0)
    mine = next_item(store, "ana")
    assert store.queue.next_presentation("desk", "ben") is None
    store.claims.release("desk", "c1", queue="label", holder="ana")
    theirs = next_item(store, "ben")
    assert isinstance(press(store, theirs, "fail"), Saved)
    assert isinstance(press(store, mine, "pass"), Saved)
    assert store.ratings.fill("desk") == {2: 1}


def test_a_share_of_the_items_but_at_least_fifty_wants_two_labels(store: LabelStore) -> None:
    open_desk(store, 120, overlap_share=0.2)
    slots = [held.slots for held in store.projects.items("desk")]
    assert (slots.count(2), slots.count(1)) == (50, 70)
    settings = store.projects.get("desk").settings.model_copy(update={"overlap_share": 0.5})
    store.projects.change_settings("desk", settings, actor="lea")
    assert [held.slots for held in store.projects.items("desk")].count(2) == 60


def test_hidden_repeats_come_late_unmarked_and_stay_out_of_the_pairs(store: LabelStore) -> None:
    """L17 and Honest 4: at least 30 positions later, nothing tells it."""
    open_desk(store, 60, repeat_share=0.3)
    before = store.queue.progress("desk", "ana")
    seen: list[str] = []
    lefts = [before.left]
    while (shown := store.queue.next_presentation("desk", "ana")) is not None:
        assert (shown.answer, shown.rev, shown.draft) == (None, 0, None)
        assert shown.position == len(seen) + 1
        assert shown.n_items == before.left
        seen.append(shown.item.id)
        press(store, shown, "pass")
        lefts.append(store.queue.progress("desk", "ana").left)
    again = [k for k, item in enumerate(seen) if item in seen[:k]]
    assert len(again) >= 5
    assert all(k - seen.index(seen[k]) >= 30 for k in again)
    assert lefts == list(range(before.left, -1, -1))
    assert len(store.ratings.repeat_pairs("desk")) == len(again)
    assert store.ratings.pairs("desk") == ()
    assert len(store.events.current("desk")) == 60


def test_progress_counts_are_the_annotators_own(store: LabelStore) -> None:
    """H2 and H4: another user's labels change nothing here."""
    open_desk(store, 6)
    press(store, next_item(store, "ana"), "unsure", active_ms=900)
    press(store, next_item(store, "ana"), "pass", active_ms=1100)
    shown = next_item(store, "ana")
    store.labels.skip(shown.id, annotator="ana", op_id=new_op(), rev_seen=0)
    mine = store.queue.progress("desk", "ana")
    assert (mine.labelled, mine.unsure, mine.skipped, mine.left) == (2, 1, 1, 4)
    assert mine.median_active_ms == 1100
    label(store, "ben", "c1", "pass")
    assert store.queue.progress("desk", "ana") == mine


def test_last_labels_are_own_newest_first_without_undone_ones(store: LabelStore) -> None:
    open_desk(store, 6)
    label(store, "ben", "c5", "fail")
    for key in ("c1", "c2", "c3"):
        label(store, "ana", key, "pass")
    store.labels.undo("desk", annotator="ana", op_id=new_op())
    label(store, "ana", "c1", "fail")
    found = store.queue.last_labels("desk", "ana")
    assert [(one.item_id, one.answer.label, one.rev) for one in found] == [
        ("c1", "fail", 2),
        ("c2", "pass", 1),
    ]


def test_a_new_guideline_marks_older_labels_and_renews_the_open_page(store: LabelStore) -> None:
    from judgekit.store.label_store import GuidelineVersion

    open_desk(store)
    label(store, "ana", "c1", "pass")
    shown = next_item(store, "ana")
    store.projects.change_guideline(
        "desk", GuidelineVersion(version="2", text="be kind"), actor="lea"
    )
    assert store.queue.progress("desk", "ana").under_older_guideline == 1
    again = next_item(store, "ana")
    assert (again.item.id, again.guideline) == (shown.item.id, "2")
    press(store, again, "pass")
    assert [e.guideline for e in store.events.since()] == [None, "2"]


def test_unknown_items_and_archived_projects_are_refused(store: LabelStore) -> None:
    open_desk(store)
    with pytest.raises(InputError, match="no item 'nope'"):
        store.queue.present("desk", "ana", "nope")
    store.projects.archive("desk", archived=True, actor="lea")
    with pytest.raises(InputError, match="archived"):
        store.queue.next_presentation("desk", "ana")
    with pytest.raises(InputError, match="did you mean 'desk'"):
        store.queue.next_presentation("dask", "ana")


def test_items_that_come_later_join_the_order(store: LabelStore) -> None:
    from judgekit.model.item import Item

    open_desk(store, 2)
    run(store, "ana", 2)
    assert store.queue.next_presentation("desk", "ana") is None
    store.projects.import_items("desk", [Item(id="late", output="x")], actor="lea")
    assert next_item(store, "ana").item.id == "late"
