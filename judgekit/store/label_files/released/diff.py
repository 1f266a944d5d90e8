"""How a release differs from the one before, in lines of labels.jsonl."""

from __future__ import annotations

import json

from judgekit.model.base import Record
from judgekit.model.release import Exclusion


class ReleaseDiff(Record):
    """How labels.jsonl would differ from the last release's, in lines.

    `changed` are labels of one person about one item and criterion whose line differs; `excluded`
    are those of the removed whose field is excluded now.
    """

    added: tuple[str, ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def diff_of(old: str, new: str, exclusions: tuple[Exclusion, ...]) -> ReleaseDiff:
    """Return how one labels.jsonl differs from an older one."""
    before, after = _by_place(old), _by_place(new)
    closed = {(gone.item_id, gone.criterion) for gone in exclusions}
    removed = [key for key in before if key not in after]
    return ReleaseDiff(
        added=tuple(line for key, line in after.items() if key not in before),
        changed=tuple(
            (line, after[key]) for key, line in before.items() if after.get(key, line) != line
        ),
        removed=tuple(before[key] for key in removed),
        excluded=tuple(before[key] for key in removed if key[:2] in closed),
    )


def _by_place(text: str) -> dict[tuple[str, str, str, bool], str]:
    found = {}
    for line in text.split("\n"):
        if line:
            row = json.loads(line)
            decided = row.get("origin") == "adjudicated"
            found[row["item_id"], row["criterion"], row["annotator"], decided] = line
    return found
