"""The order in which events of several files are done again.

A file is in the order of saving but for what could not be written at once (a full disk, a death)
and was made up for later: it stands behind newer lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from judgekit.store.label_store.records.events import (
    ADJUDICATION,
    LabelEvent,
    LogEvent,
    ReviewEvent,
)


def as_saved(files: Iterable[Sequence[LogEvent]]) -> tuple[LogEvent, ...]:
    """Return the events of several files as they were saved: labels first, then the other logs.

    Labels go by time and, about one item, by revision; the other logs by time, which grows.
    """
    labels: list[list[LabelEvent]] = []
    reviews: list[ReviewEvent] = []
    for events in files:
        labels.append([event for event in events if isinstance(event, LabelEvent)])
        reviews += [event for event in events if isinstance(event, ReviewEvent)]
    ordered = by_revision(tuple(in_order(labels)))
    return (*ordered, *sorted(reviews, key=lambda event: (event.at, event.key)))


def in_order(files: Iterable[Sequence[LabelEvent]]) -> Iterator[LabelEvent]:
    """Yield the events of several files by time; events of one file keep their order."""
    heads = [list(reversed(events)) for events in files if events]
    while heads:
        first = min(heads, key=lambda events: (events[-1].at, events[-1].key))
        yield first.pop()
        heads = [events for events in heads if events]


def by_revision(events: Sequence[LabelEvent]) -> tuple[LabelEvent, ...]:
    """Return the events with those of each line of revisions in the order of `rev`."""
    lines: dict[tuple[str, str, int, str], list[int]] = defaultdict(list)
    for place, event in enumerate(events):
        lines[_line(event)].append(place)
    ordered = list(events)
    for places in lines.values():
        own = sorted((events[place] for place in places), key=lambda event: event.rev)
        for place, event in zip(places, own, strict=True):
            ordered[place] = event
    return tuple(ordered)


def _line(event: LabelEvent) -> tuple[str, str, int, str]:
    """Return what shares revisions: an annotator's item, or a field that adjudicators decide."""
    field = event.field if event.annotator == ADJUDICATION else ""
    return event.item_id, event.annotator, event.repeat, field
