"""A small project on a label store, and the key presses of the people who label it."""

from __future__ import annotations

import uuid
from typing import Any

from judgekit.model.item import Item
from judgekit.model.rubric import Criterion, FailureMode
from judgekit.store.label_store import (
    Answer,
    LabelSchema,
    LabelStore,
    Presentation,
    Project,
    ProjectSettings,
    Saved,
    SaveResult,
)

SCHEMA = LabelSchema(
    criteria=(Criterion(id="amount", description="a"), Criterion(id="tone", description="t")),
    failure_modes=(FailureMode(id="wrong_amount", description="w"),),
    ask_criteria=True,
)
EVERYONE = {"overlap_share": 1.0, "repeat_share": 0.0, "min_dwell_ms": 0}


def open_desk(
    store: LabelStore, n: int = 5, *, schema: LabelSchema = SCHEMA, **settings: Any
) -> LabelStore:
    """Make the project `desk` with items c1 ... cn; every item wants two annotators."""
    made = ProjectSettings(**(EVERYONE | settings))
    project = Project(name="desk", dataset="desk", label_schema=schema, settings=made)
    store.projects.create(project, actor="lea")
    items = [
        Item(
            id=f"c{k}",
            input=f"question {k}",
            output=f"answer {k}",
            metadata={"model": "SECRET-MODEL", "score": 0.123},
        )
        for k in range(1, n + 1)
    ]
    store.projects.import_items("desk", items, actor="lea")
    return store


def press(store: LabelStore, shown: Presentation, answer: Answer | str, **given: Any) -> SaveResult:
    """Save an answer from a presentation as its annotator."""
    whole = Answer(label=answer) if isinstance(answer, str) else answer
    values = {"annotator": shown.annotator, "op_id": new_op(), "rev_seen": shown.rev} | given
    return store.labels.save(shown.id, whole, **values)


def label(store: LabelStore, who: str, item_id: str, answer: Answer | str) -> Saved:
    """Show one item to someone and save their answer."""
    saved = press(store, store.queue.present("desk", who, item_id), answer)
    assert isinstance(saved, Saved), saved
    return saved


def next_item(store: LabelStore, who: str) -> Presentation:
    """Return what someone is shown next, which must be something."""
    shown = store.queue.next_presentation("desk", who)
    assert shown is not None
    return shown


def new_op() -> str:
    """Return a new operation id."""
    return uuid.uuid4().hex
