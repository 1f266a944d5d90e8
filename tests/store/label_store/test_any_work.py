from __future__ import annotations

import tempfile
from pathlib import Path

from desk import label, new_op, open_desk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgekit.store.label_store import Answer, LabelStore, Undone, open_label_store

ITEMS = ("c1", "c2", "c3")
ANSWERS = (
    Answer(label="pass"),
    Answer(label="unsure", note="hm"),
    Answer(label="fail", failure_mode="wrong_amount", criteria={"amount": "fail"}),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(ITEMS), st.sampled_from(ANSWERS)),
        st.tuples(st.sampled_from(ITEMS), st.just("skip")),
        st.just("undo"),
    ),
    max_size=12,
)
Step = tuple[str, Answer | str] | str


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_any_work_stands_as_a_list_of_answers_says(steps: list[Step]) -> None:
    """The log, folded, equals a plain model; so do the counts, and a copy by import."""
    with tempfile.TemporaryDirectory() as folder:
        with open_label_store(None, Path(folder)) as store:
            open_desk(store, len(ITEMS))
            model = _worked(store, steps)
            assert _standing(store) == model
            assert store.queue.progress("desk", "ana").labelled == len(model)
            assert store.ratings.fill("desk").get(1, 0) == len(model)
            log = list(store.events.since())
        with open_label_store(None, Path(folder) / "copy") as copy:
            open_desk(copy, len(ITEMS))
            copy.events.import_events("desk", log, actor="lea")
            assert _standing(copy) == model
            assert copy.ratings.fill("desk").get(1, 0) == len(model)


def _worked(store: LabelStore, steps: list[Step]) -> dict[str, Answer]:
    """Do the steps in the store and on a stack of what stood before each."""
    model: dict[str, Answer] = {}
    before: list[tuple[str, Answer | None]] = []
    for step in steps:
        if isinstance(step, str):
            done = store.labels.undo("desk", annotator="ana", op_id=new_op())
            assert isinstance(done, Undone) == bool(before)
            if before:
                item, answer = before.pop()
                model.pop(item, None)
                model |= {} if answer is None else {item: answer}
        else:
            item, wanted = step
            before.append((item, model.get(item)))
            if isinstance(wanted, Answer):
                label(store, "ana", item, wanted)
                model[item] = wanted
            else:
                shown = store.queue.present("desk", "ana", item)
                store.labels.skip(shown.id, annotator="ana", op_id=new_op(), rev_seen=shown.rev)
    return model


def _standing(store: LabelStore) -> dict[str, Answer]:
    return {own.item_id: own.answer for own in store.queue.last_labels("desk", "ana")}
