"""Drafts and claims: the two things that may be overwritten."""

from __future__ import annotations

from typing import Any

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.adjudication import ClaimedBy
from judgekit.store.label_store.records.labelling import Draft


class Drafts(Part):
    """`store.drafts`: half-typed notes, spans and choices; they survive reload and kill."""

    def save(self, presentation_id: str, annotator: str, body: dict[str, Any]) -> Draft:
        """Keep the draft of the presentation's item, replacing an older one.

        Raises:
            InputError: there is no such presentation for this annotator.
        """
        raise NotImplementedError

    def load(self, presentation_id: str, annotator: str) -> Draft | None:
        """Return the draft of the presentation's item, or None. Never another annotator's."""
        raise NotImplementedError

    def clear(self, presentation_id: str, annotator: str) -> None:
        """Forget the draft."""
        raise NotImplementedError


class Claims(Part):
    """`store.claims`: who holds an item for a while. Losing a claim never loses a label."""

    def take(
        self, project: str, item_id: str, *, queue: str, holder: str, seconds: int | None = None
    ) -> bool:
        """Claim an item, or prolong the own claim; False while someone else's has not expired."""
        raise NotImplementedError

    def release(self, project: str, item_id: str, *, queue: str, holder: str) -> None:
        """Give a claim back; nothing happens where there is none."""
        raise NotImplementedError

    def current(self, project: str, *, queue: str) -> tuple[ClaimedBy, ...]:
        """Return claims that have not expired (for leads)."""
        raise NotImplementedError
