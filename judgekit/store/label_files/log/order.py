"""The order in which events of several files are done again.

A file is in the order of saving but for what could not be written at once (a full disk, a death)
and was made up for later: it stands behind newer lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from judgekit.store.label_store.records.events import (
    ADJUDICATION,
    LabelEvent,
    LogEvent,
    ReviewEvent,
)

E = TypeVar("E", LabelEvent, ReviewEvent)


def as_saved(files: Iterable[Sequence[LogEvent]]) -> tuple[LogEvent, ...]:
    """Return the events of several files as they were saved: labels first, then the other logs.

    They go by time and, in each line of revisions, by revision: a clock may have been set back.
    """
    labels: list[list[LabelEvent]] = []
    reviews: list[ReviewEvent] = []
    for events in files:
        labels.append([event for event in events if isinstance(event, LabelEvent)])
        reviews += [event for event in events if isinstance(event, ReviewEvent)]
    reviews.sort(key=lambda event: (event.at, event.key))
    return (*by_revision(tuple(in_order(labels))), *by_revision(reviews))


def in_order(files: Iterable[Sequence[LabelEvent]]) -> Iterator[LabelEvent]:
    """Yield the events of several files by time; events of one file keep their order."""
    heads = [list(reversed(events)) for events in files if events]
    while heads:
        first = min(heads, key=lambda events: (events[-1].at, events[-1].key))
        yield first.pop()
        heads = [events for events in heads if events]


def by_revision(events: Sequence[E]) -> tuple[E, ...]:
    """Return the events with those of each line of revisions in the order of `rev`."""
    lines: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, event in enumerate(events):
        if _rev(event) is not None:
            lines[_line(event)].append(place)
    ordered = list(events)
    for places in lines.values():
        own = sorted((events[place] for place in places), key=lambda event: _rev(event) or 0)
        for place, event in zip(places, own, strict=True):
            ordered[place] = event
    return tuple(ordered)


def _rev(event: LogEvent) -> int | None:
    if isinstance(event, LabelEvent):
        return event.rev
    return event.body.get("rev") if event.log == "goldens" else None


def _line(event: LogEvent) -> tuple[object, ...]:
    """Return what shares revisions: an annotator's item, a field that adjudicators decide, an
    expert's entry, or a part of a case that is settled."""
    if isinstance(event, ReviewEvent):
        about = event.body.get("field") if event.kind == "settle" else event.actor
        return event.kind == "settle", event.body.get("case_id"), about
    field = event.field if event.annotator == ADJUDICATION else ""
    return event.item_id, event.annotator, event.repeat, field
