"""The ledger of looks at a holdout: each look spends some of the error that is allowed."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import canonical_json, content_hash


class Look(Record):
    """One look of one candidate at one holdout; `items` are the ids that were looked at."""

    schema_version: int = 1
    key: str
    judge: str
    fingerprint: str
    unit: str
    at: str
    items: tuple[str, ...]


class LookState(Record):
    """Where a holdout stands: looks used (this one included), of how many, and whether this look
    was a repetition (free) or came too late (`exhausted`)."""

    used: int
    max_looks: int
    repeated: bool
    exhausted: bool


def look_key(*, fingerprint: str, unit: str, limits: object, labels: str, verdicts: str) -> str:
    """Return the key under which repeating a look is free."""
    parts = [fingerprint, unit, limits, labels, verdicts]
    return content_hash(parts)


class LookLedger:
    """Read and extend `looks.jsonl` of one dataset.

    Looks are counted over all candidates, and a holdout that shares an item with an earlier one
    continues its count.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[Look, ...]:
        """Return all looks in file order.

        Raises:
            InputError: a line is not a look; the ledger must not be edited by hand.
        """
        from judgekit.store.files import read_bytes

        if not self.path.exists():
            return ()
        looks = []
        for number, line in enumerate(read_bytes(self.path).splitlines(), 1):
            try:
                looks.append(Look.model_validate(json.loads(line.decode("utf-8"))))
            except (ValueError, RecursionError) as error:
                raise InputError(
                    "a line of the looks ledger cannot be read",
                    where=f"{self.path}:{number}",
                    expected="one JSON object per look, never edited by hand",
                ) from error
        return tuple(looks)

    def spend(
        self, *, key: str, judge: str, fingerprint: str, unit: str, items: set[str],
        max_looks: int, now: datetime,
    ) -> LookState:  # fmt: skip
        """Record a look unless it repeats an earlier one or the looks are exhausted."""
        from judgekit.store.files import held

        with held(self.path):
            earlier = same_holdout(self.read(), items)
            keys = {look.key for look in earlier}
            if key in keys:
                return LookState(
                    used=len(keys), max_looks=max_looks, repeated=True, exhausted=False
                )
            if len(keys) >= max_looks:
                return LookState(
                    used=len(keys), max_looks=max_looks, repeated=False, exhausted=True
                )
            self._append(
                Look(
                    key=key,
                    judge=judge,
                    fingerprint=fingerprint,
                    unit=unit,
                    at=now.isoformat(timespec="seconds"),
                    items=tuple(sorted(items)),
                )
            )
            return LookState(
                used=len(keys) + 1, max_looks=max_looks, repeated=False, exhausted=False
            )

    def _append(self, look: Look) -> None:
        from judgekit.store.files import append_line

        append_line(self.path, canonical_json(look.model_dump(mode="json")))


def same_holdout(looks: tuple[Look, ...], items: set[str]) -> tuple[Look, ...]:
    """Return the looks that share an item with `items`, directly or through other looks."""
    reached, rest = set(items), list(looks)
    found: list[Look] = []
    while True:
        linked = [look for look in rest if reached.intersection(look.items)]
        if not linked:
            return tuple(found)
        found.extend(linked)
        rest = [look for look in rest if look not in linked]
        reached.update(item for look in linked for item in look.items)
