"""Two experts fill in a case, each unseen by the other until both are done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.goldens import (
    GoldenCase,
    GoldenEntry,
    GoldenResolution,
    GoldenSaveResult,
)


class Goldens(Part):
    """`store.goldens`: entries and resolutions; the shape of `body` is judgekit.goldens'."""

    def cases(self, project: str, viewer: str) -> tuple[GoldenCase, ...]:
        """Return all cases someone has begun or was asked for, as `viewer` may see them."""
        raise NotImplementedError

    def case(self, project: str, case_id: str, viewer: str) -> GoldenCase:
        """Return one case as `viewer` may see it; the other's entry only when both are done."""
        raise NotImplementedError

    def both(self, project: str, case_id: str) -> tuple[GoldenEntry, ...]:
        """Return the two entries in an order seeded by case, or () before both are done."""
        raise NotImplementedError

    def ask(self, project: str, case_ids: Sequence[str], *, actor: str) -> int:
        """Put cases into the golden queue; return how many were not there yet."""
        raise NotImplementedError

    def save(
        self,
        project: str,
        case_id: str,
        body: dict[str, Any],
        *,
        expert: str,
        rev_seen: int,
        done: bool = False,
    ) -> GoldenSaveResult:
        """Store the expert's entry as the revision after `rev_seen` (0 for a new one).

        A case takes two experts. Done entries are closed, unless the expert reopens theirs
        before the other is done.
        """
        raise NotImplementedError

    def reopen(self, project: str, case_id: str, *, expert: str) -> GoldenSaveResult:
        """Make the own done entry a draft again, as long as the other is not done."""
        raise NotImplementedError

    def resolve(
        self,
        project: str,
        case_id: str,
        field: str,
        *,
        decision: Literal["redefine", "exclude", "reopen"],
        reason: str,
        actor: str,
        rev_seen: int,
        value: Any = None,
    ) -> GoldenResolution | None:
        """Settle a differing field, or open it again; None when someone else did so first.

        Raises:
            InputError: both entries are not done, or the reason is empty.
        """
        raise NotImplementedError
