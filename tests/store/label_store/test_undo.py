from __future__ import annotations

import pytest
from desk import label, new_op, next_item, open_desk, press

from judgekit.errors import InputError
from judgekit.store.label_store import (
    Answer,
    LabelStore,
    NothingToUndo,
    Presentation,
    Release,
    Undone,
)


def undo(store: LabelStore, who: str = "ana") -> Undone:
    done = store.labels.undo("desk", annotator=who, op_id=new_op())
    assert isinstance(done, Undone), done
    return done


def test_undo_returns_to_the_previous_item_and_its_values(store: LabelStore) -> None:
    """L12: the log has the label and the undo."""
    open_desk(store)
    answer = Answer(label="fail", failure_mode="wrong_amount", criteria={"tone": "pass"}, note="n")
    first = next_item(store, "ana")
    press(store, first, answer)
    next_item(store, "ana")
    done = undo(store)
    assert (done.presentation.item.id, done.was) == (first.item.id, answer)
    assert (done.presentation.answer, done.presentation.rev) == (None, 2)
    assert [(e.kind, e.rev, e.prev_rev) for e in store.events.since()] == [
        ("label", 1, None),
        ("label", 1, None),
        ("undo", 2, 1),
        ("undo", 2, 1),
    ]
    assert next_item(store, "ana").id == done.presentation.id


def test_undo_goes_twenty_five_steps_back(store: LabelStore) -> None:
    """Fast 7: one key, at least 20 steps, each landing on that item."""
    open_desk(store, 30)
    order = []
    for _ in range(25):
        shown = next_item(store, "ana")
        order.append(shown.item.id)
        press(store, shown, "pass")
    back = [undo(store).presentation.item.id for _ in range(25)]
    assert back == order[::-1]
    end = store.labels.undo("desk", annotator="ana", op_id=new_op())
    assert end == NothingToUndo(reason="nothing to undo")
    assert store.queue.progress("desk", "ana").labelled == 0


def test_undo_of_a_change_brings_the_earlier_answer_back(store: LabelStore) -> None:
    open_desk(store)
    label(store, "ana", "c1", "pass")
    label(store, "ana", "c1", "fail")
    done = undo(store)
    assert (done.was, done.presentation.answer) == (Answer(label="fail"), Answer(label="pass"))
    label(store, "ana", "c1", "unsure")
    assert undo(store).presentation.answer == Answer(label="pass")
    assert undo(store).presentation.answer is None


def test_a_skip_is_undone_too(store: LabelStore) -> None:
    open_desk(store)
    shown = next_item(store, "ana")
    store.labels.skip(shown.id, annotator="ana", op_id=new_op(), rev_seen=0)
    done = undo(store)
    assert (done.presentation.item.id, done.was) == (shown.item.id, Answer())
    assert store.queue.progress("desk", "ana").skipped == 0


def test_the_same_undo_sent_twice_takes_back_one_label(store: LabelStore) -> None:
    open_desk(store)
    shown: list[Presentation] = []
    for _ in range(2):
        shown.append(next_item(store, "ana"))
        press(store, shown[-1], "pass")
    op = new_op()
    one = store.labels.undo("desk", annotator="ana", op_id=op)
    two = store.labels.undo("desk", annotator="ana", op_id=op)
    assert isinstance(one, Undone)
    assert isinstance(two, Undone)
    assert one.presentation.item.id == two.presentation.item.id == shown[1].item.id
    assert two.was == one.was
    assert store.queue.progress("desk", "ana").labelled == 1


def test_nobody_undoes_someone_elses_label(store: LabelStore) -> None:
    open_desk(store)
    label(store, "ana", "c1", "pass")
    end = store.labels.undo("desk", annotator="ben", op_id=new_op())
    assert isinstance(end, NothingToUndo)


def test_a_released_label_cannot_be_undone_or_reopened(store: LabelStore) -> None:
    open_desk(store)
    saved = label(store, "ana", "c1", "pass")
    store.releases.add(
        Release(
            project="desk",
            dataset="desk",
            version="1",
            last_seq=store.events.last_seq(),
            hashes={},
            actor="lea",
            at=saved.at,
        )
    )
    end = store.labels.undo("desk", annotator="ana", op_id=new_op())
    assert end == NothingToUndo(reason="the labels before this are released")
    assert [own.released for own in store.queue.last_labels("desk", "ana")] == [True]
    with pytest.raises(InputError, match="is released"):
        store.queue.present("desk", "ana", "c1")
    label(store, "ana", "c2", "pass")
    assert undo(store).presentation.item.id == "c2"
