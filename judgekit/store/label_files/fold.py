"""Fold a log of events into labels: what stands now, what is left out, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.label import Label
from judgekit.model.release import Exclusion
from judgekit.store.formats.problems import explain
from judgekit.store.label_files.log.event_line import json_line
from judgekit.store.label_store.records.events import ADJUDICATION, LabelEvent

Key = tuple[str, str, str]


class Folded(Record):
    """What a log says at its end.

    `labels` are sorted by item, criterion and annotator; each is the answer that stands.
    `left_out` counts what is not among them, by reason: answers of an excluded field
    (`excluded`), items skipped without an answer (`skip`), and events of hidden repeats
    (`hidden_repeat`) and of changes after the verdict was shown (`after_reveal`).
    """

    labels: tuple[Label, ...]
    exclusions: tuple[Exclusion, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)
    n_events: int = 0


def fold(events: Iterable[LabelEvent]) -> Folded:
    """Return the labels that stand after `events`.

    Of one person's answers about one item's field the value of the highest revision stands: an
    undo carries what stands again, a skip what stood before; no value is no label, unsure is one.
    Hidden repeats and changes made after the judge's verdict was shown are never labels. A field
    that an adjudicator excluded keeps no label until it is restored. Only revisions count, so the
    order in which different people's events are given does not matter.

    Raises:
        InputError: an answer holds no label, or a value of the wrong kind.
    """
    log = tuple(events)
    last = standing(log)
    left_out = Counter(_unfit(e) for e in log if _unfit(e))
    exclusions = tuple(
        Exclusion(item_id=e.item_id, criterion=e.field, reason=_reason(e))
        for _, e in sorted(last.items())
        if _excludes(e)
    )
    closed = {(gone.item_id, gone.criterion) for gone in exclusions}
    answers = [e for e in last.values() if _answers(e)]
    kept = [e for e in answers if (e.item_id, e.field) not in closed]
    left_out["excluded"] = len(answers) - len(kept)
    left_out["skip"] = sum(e.kind == "skip" and e.value is None for e in last.values())
    labels = sorted(map(label_of, kept), key=lambda x: (x.item_id, x.criterion, x.annotator))
    return Folded(
        labels=tuple(labels),
        exclusions=exclusions,
        left_out={reason: n for reason, n in sorted(left_out.items()) if n},
        n_events=len(log),
    )


def standing(events: Iterable[LabelEvent]) -> dict[Key, LabelEvent]:
    """Return the event that stands for each (item, field, annotator), whatever it says.

    Adjudications share the annotator `_adjudication`. Hidden repeats and changes after the reveal
    never stand.
    """
    last: dict[Key, LabelEvent] = {}
    for event in events:
        key = (event.item_id, event.field, event.annotator)
        if not _unfit(event) and (key not in last or event.rev > last[key].rev):
            last[key] = event
    return last


def labels_text(labels: Iterable[Label]) -> str:
    """Return labels.jsonl: one label a line, sorted keys, the same labels give the same bytes."""
    return "".join(json_line(_label_row(label)) + "\n" for label in labels)


def _label_row(label: Label) -> dict[str, Any]:
    return label.model_dump(mode="json", exclude_none=True, exclude_defaults=True) | {
        "criterion": label.criterion
    }


def _unfit(event: LabelEvent) -> str:
    """Return why an event can never be calibration data, or an empty text."""
    return "after_reveal" if event.after_reveal else "hidden_repeat" if event.repeat else ""


def _excludes(event: LabelEvent) -> bool:
    return event.annotator == ADJUDICATION and bool((event.value or {}).get("excluded"))


def _answers(event: LabelEvent) -> bool:
    # Where only criteria were answered, the value of `_overall` carries the note and no label.
    return not _excludes(event) and (event.value or {}).get("label") is not None


def _reason(event: LabelEvent) -> str:
    return str((event.value or {}).get("reason") or "no reason given")


def label_of(event: LabelEvent) -> Label:
    """Return the label that an event gives.

    Raises:
        InputError: it holds none, or a value of the wrong kind.
    """
    value = event.value or {}
    decided = event.annotator == ADJUDICATION
    row: dict[str, Any] = {
        "item_id": event.item_id,
        "annotator": event.actor if decided else event.annotator,
        "criterion": event.field,
        "label": value.get("label"),
        "failure_mode": value.get("failure_mode"),
        "evidence": tuple(_quotes(value)),
        "note": value.get("note"),
        "guideline": event.guideline,
        "labelled_at": None if value.get("undated") else event.at,
        "origin": "adjudicated" if decided else value.get("origin", "human"),
        "design": event.design,
        "weight": value.get("weight"),
    }
    try:
        return Label.model_validate(row)
    except ValidationError as error:
        problem = explain(error, row, Label)
        raise InputError(
            f"the event {event.op_id!r} holds no label that can be used",
            where=f"item {event.item_id!r}, annotator {event.annotator!r} {problem.field or ''}",
            found=problem.found,
            expected=problem.expected,
        ) from error


def _quotes(value: dict[str, Any]) -> Iterator[Any]:
    for span in value.get("spans") or ():
        yield span.get("quote") if isinstance(span, dict) else span
    yield from value.get("evidence") or ()
