"""What an answer must be: labels, modes and criteria of the schema, spans of the item."""

from __future__ import annotations

from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.model.item_text import item_texts
from judgekit.model.label import OVERALL
from judgekit.store.label_store.records.labelling import UNSURE, Answer
from judgekit.store.label_store.records.setup import LabelSchema

MAX_NOTE = 20_000
_FAIL = "fail"


def refuse_bad_answer(answer: Answer, schema: LabelSchema, item: Item, item_hash: str) -> None:
    """Raise InputError where an answer says what the schema or the item does not have."""
    labels = {*schema.labels, UNSURE}
    if answer.label is not None and answer.label not in labels:
        raise _unknown("label", answer.label, labels)
    modes = {mode.id for mode in schema.failure_modes}
    if answer.failure_mode is not None and answer.failure_mode not in modes:
        raise _unknown("failure mode", answer.failure_mode, modes)
    criteria = {criterion.id for criterion in schema.criteria}
    for name, value in answer.criteria.items():
        if name not in criteria:
            raise _unknown("criterion", name, criteria)
        if value not in (*schema.criterion_labels, UNSURE):
            raise _unknown(f"answer to {name!r}", value, {*schema.criterion_labels, UNSURE})
    if answer.note is not None and len(answer.note) > MAX_NOTE:
        raise InputError(
            "the note is too long",
            found=f"{len(answer.note)} characters",
            expected=f"at most {MAX_NOTE}",
        )
    _refuse_bad_spans(answer, item, item_hash)


def missing_from(answer: Answer, schema: LabelSchema) -> tuple[str, ...]:
    """Return what the schema asks for and the answer lacks. Unsure needs nothing else."""
    if answer.label == UNSURE:
        return ()
    missing = [
        name
        for name in schema.required
        if (answer.label is None if name == OVERALL else name not in answer.criteria)
    ]
    if answer.label is None and not answer.criteria and OVERALL not in missing:
        missing.insert(0, OVERALL)
    if schema.mode_required and answer.label == _FAIL and answer.failure_mode is None:
        missing.append("failure_mode")
    return tuple(missing)


def _refuse_bad_spans(answer: Answer, item: Item, item_hash: str) -> None:
    texts = {text.place: text.text for text in item_texts(item)} if answer.spans else {}
    for span in answer.spans:
        if span.item_hash != item_hash:
            raise InputError(
                "a marked passage belongs to another version of the item",
                where=f"item {item.id!r}",
                found=span.item_hash,
                expected=item_hash,
            )
        if span.field not in texts:
            raise _unknown("marked field", span.field, set(texts))
        if texts[span.field][span.start : span.end] != span.quote:
            raise InputError(
                "a marked passage is not where it says",
                where=f"item {item.id!r} {span.field} {span.start}-{span.end}",
                found=repr(texts[span.field][span.start : span.end][:80]),
                expected=repr(span.quote[:80]),
            )


def _unknown(kind: str, found: str, known: set[str]) -> InputError:
    return InputError(
        f"there is no {kind} {found!r} in this project",
        found=repr(found),
        expected=", ".join(sorted(known)) or f"no {kind}",
    )
