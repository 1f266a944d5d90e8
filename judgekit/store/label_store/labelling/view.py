"""What an annotator may see of an item, and answers as shown or as stored."""

from __future__ import annotations

from typing import Any

from judgekit.model.canonical import unit_interval
from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.store.label_store.records.labelling import Answer, Span
from judgekit.store.label_store.records.setup import LabelSchema

_SIDES = {"output_1": "output_2", "output_2": "output_1"}
_ROOTS = ("input", "output", "context", "reference", "trial")
Standing = dict[str, dict[str, Any] | None]


def is_swapped(item: Item, seed: str, annotator: str) -> bool:
    """Tell whether this annotator sees the sides of a pair swapped."""
    pair = item.output_1 is not None and item.output_2 is not None
    return pair and unit_interval(seed, "sides", annotator, item.id) < 0.5


def shown_item(item: Item, schema: LabelSchema, *, swapped: bool = False) -> Item:
    """Return the item with nothing but its id and the fields that the schema shows.

    Metadata, group and split stay behind: they may name a model or hold a score.
    """
    values: dict[str, Any] = {"id": item.id}
    for root in _ROOTS:
        parts = [name.partition(".")[2] for name in schema.shows if name.split(".")[0] == root]
        if parts:
            values[root] = _kept(getattr(item, root), parts)
    values["output_1"], values["output_2"] = item.output_1, item.output_2
    if swapped:
        values["output_1"], values["output_2"] = item.output_2, item.output_1
    return Item(**values)


def _kept(value: Any, parts: list[str]) -> Any:
    if "" in parts or not isinstance(value, dict):
        return value if "" in parts else None
    return {key: entry for key, entry in value.items() if key in parts}


def turned(answer: Answer) -> Answer:
    """Return the answer with the two sides of a pair exchanged."""
    spans = tuple(span.model_copy(update={"field": _side(span.field)}) for span in answer.spans)
    criteria = {key: _SIDES.get(value, value) for key, value in answer.criteria.items()}
    label = None if answer.label is None else _SIDES.get(answer.label, answer.label)
    return answer.model_copy(update={"label": label, "criteria": criteria, "spans": spans})


def _side(field: str) -> str:
    root, dot, rest = field.partition(".")
    return _SIDES.get(root, root) + dot + rest


def values_of(answer: Answer) -> dict[str, dict[str, Any]]:
    """Return what is stored for each field; `_overall` is always there."""
    overall: dict[str, Any] = {
        "label": answer.label,
        "failure_mode": answer.failure_mode,
        "spans": [span.model_dump(mode="json") for span in answer.spans],
        "note": answer.note,
    }
    values = {OVERALL: {key: value for key, value in overall.items() if value}}
    values.update({key: {"label": value} for key, value in answer.criteria.items()})
    return values


def answer_of(standing: Standing) -> Answer | None:
    """Return the answer that stands, or None where none does."""
    overall = standing.get(OVERALL)
    if overall is None:
        return None
    return Answer(
        label=overall.get("label"),
        failure_mode=overall.get("failure_mode"),
        criteria={
            field: value["label"]
            for field, value in standing.items()
            if field != OVERALL and value is not None
        },
        spans=tuple(Span.model_validate(span) for span in overall.get("spans", ())),
        note=overall.get("note"),
    )
