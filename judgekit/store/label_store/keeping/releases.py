"""Releases, agreement as raw pairs, and pace."""

from __future__ import annotations

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.keeping import LabelPair, Pace, Release, RepeatPair


class Releases(Part):
    """`store.releases`: frozen folds of the log. A release is never changed."""

    def add(self, release: Release) -> Release:
        """Record a release whose files are written (`at` and `actor` are taken as given).

        Raises:
            InputError: the version exists, or `last_seq` is beyond the log or before the last.
        """
        raise NotImplementedError

    def list(self, project: str) -> tuple[Release, ...]:
        """Return the releases, oldest first."""
        raise NotImplementedError

    def get(self, project: str, version: str) -> Release:
        """Return one release.

        Raises:
            InputError: there is none of that version.
        """
        raise NotImplementedError


class Ratings(Part):
    """`store.ratings`: raw counts for judgekit.stats, for leads and engineers only."""

    def pairs(self, project: str, *, field: str | None = None) -> tuple[LabelPair, ...]:
        """Return current labels of two annotators of one item; no adjudicators, no repeats."""
        raise NotImplementedError

    def repeat_pairs(self, project: str, *, annotator: str | None = None) -> tuple[RepeatPair, ...]:
        """Return first label and hidden repeat of every re-labelled item."""
        raise NotImplementedError

    def pace(self, project: str, *, very_fast_ms: int = 1000) -> tuple[Pace, ...]:
        """Return counts of refused and very fast labels by annotator."""
        raise NotImplementedError

    def fill(self, project: str) -> dict[int, int]:
        """Return the number of items by how many annotators labelled them."""
        raise NotImplementedError
