"""The ledger of looks at a holdout: each look spends some of the error that is allowed."""

from __future__ import annotations

import json
import math
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from pydantic import Field

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import canonical_json, content_hash


class Look(Record):
    """One look of one candidate at one holdout; `items` are the ids that were looked at.

    `members` holds, where several units or slices were looked at in one go, each one's own key and
    the divisor of alpha that Holm's rule gave it. `stream` and `share` belong to an anytime test:
    its key without the labels, and the share of alpha that it spends over all its looks.
    """

    schema_version: int = 1
    key: str
    judge: str
    fingerprint: str
    unit: str
    at: str
    items: tuple[str, ...]
    members: dict[str, int] = Field(default_factory=dict)
    stream: str | None = None
    share: float | None = None


class LookState(Record):
    """Where a holdout stands: looks used (this one included), of how many, and whether this look
    was a repetition (free) or came too late (`exhausted`).

    `divisor` is the Holm divisor that a repeated look had in its family of `family`. `share` is
    the share of alpha that an anytime test has, None for a planned look.
    """

    used: int
    max_looks: int
    repeated: bool
    exhausted: bool
    divisor: int = 1
    family: int = 1
    share: float | None = None


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
        max_looks: int, now: datetime, members: dict[str, int] | None = None,
        stream: str | None = None,
    ) -> LookState:  # fmt: skip
        """Record a look unless it repeats an earlier one or the looks are exhausted.

        Args:
            key: the look's key; that of one member of an earlier family repeats that look.
            judge: the candidate's name.
            fingerprint: the candidate.
            unit: what was looked at.
            items: the ids that were looked at.
            max_looks: how many looks the policy allows.
            now: the time to record.
            members: the keys of a family with their Holm divisors.
            stream: the key of an anytime test without its labels; it spends once, whatever is
                left of alpha, and looks again for free.
        """
        with self._alone():
            earlier = same_holdout(self.read(), items)
            state = _known(key, earlier, max_looks)
            if state is None and stream is not None:
                state = _stream_state(stream, earlier, max_looks)
            elif state is None:
                state = _planned_state(earlier, max_looks)
            if not state.repeated and not state.exhausted:
                at, ids = now.isoformat(timespec="seconds"), tuple(sorted(items))
                self._append(
                    Look(
                        key=key, judge=judge, fingerprint=fingerprint, unit=unit, at=at, items=ids,
                        members=members or {}, stream=stream, share=state.share,
                    )
                )  # fmt: skip
            return state

    def _alone(self) -> AbstractContextManager[None]:
        from judgekit.store.files import held

        return held(self.path)

    def _append(self, look: Look) -> None:
        from judgekit.store.files import append_line

        unused = {name for name in ("members", "stream", "share") if not getattr(look, name)}
        append_line(self.path, canonical_json(look.model_dump(mode="json", exclude=unused)))


def _used(looks: tuple[Look, ...], max_looks: int) -> int:
    """Return the looks used, an anytime test counted as the looks whose alpha it spent."""
    planned = {look.key for look in looks if look.share is None}
    spent = {look.stream: look.share for look in looks if look.share is not None}
    return len(planned) + math.ceil(sum(spent.values()) * max_looks - 1e-9)


def _known(key: str, earlier: tuple[Look, ...], max_looks: int) -> LookState | None:
    """Return the state of a look that was seen, alone or in a family."""
    for look in earlier:
        if key == look.key or key in look.members:
            return LookState(
                used=_used(earlier, max_looks), max_looks=max_looks, repeated=True,
                exhausted=False, divisor=look.members.get(key, 1),
                family=max(1, len(look.members)), share=look.share,
            )  # fmt: skip
    return None


def _planned_state(earlier: tuple[Look, ...], max_looks: int) -> LookState:
    used = _used(earlier, max_looks)
    late = used >= max_looks
    return LookState(
        used=used if late else used + 1, max_looks=max_looks, repeated=False, exhausted=late
    )


def _stream_state(stream: str, earlier: tuple[Look, ...], max_looks: int) -> LookState:
    """Return the state of an anytime test: all of alpha that earlier looks left, spent once."""
    mine = next((look.share for look in earlier if look.stream == stream), None)
    used = _used(earlier, max_looks)
    share = mine if mine is not None else max(0.0, 1 - used / max_looks)
    exhausted = share <= 0
    after = used if mine is not None or exhausted else max_looks
    return LookState(
        used=after, max_looks=max_looks, repeated=False, exhausted=exhausted,
        share=None if exhausted else share,
    )  # fmt: skip


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
