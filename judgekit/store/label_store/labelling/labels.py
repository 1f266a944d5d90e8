"""Saving, skipping and undoing: one transaction each, idempotent by operation id."""

from __future__ import annotations

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.labelling import Answer, SaveResult, UndoResult


class Labels(Part):
    """`store.labels`: what an annotator's keys do."""

    def save(
        self,
        presentation_id: str,
        answer: Answer,
        *,
        annotator: str,
        op_id: str,
        rev_seen: int,
        dwell_ms: int | None = None,
        active_ms: int | None = None,
    ) -> SaveResult:
        """Store one whole answer as the revision after `rev_seen`.

        `op_id` is made once per key press (a retry sends the same one). `dwell_ms` is what the
        page measured; the store measures too (since the presentation was made) and takes the
        smaller of both for the guard and the record. All fields of the answer, `_overall` always
        among them, share one revision. The draft is cleared in the same transaction, and the
        event is in the mirror before this returns.

        Raises:
            InputError: no such presentation for this annotator; a label, mode, criterion or span
                that the schema or the item does not have; the label is released.
        """
        raise NotImplementedError

    def skip(
        self, presentation_id: str, *, annotator: str, op_id: str, rev_seen: int
    ) -> SaveResult:
        """Put an item off: it comes back after all unskipped ones. A given label stays."""
        raise NotImplementedError

    def undo(self, project: str, *, annotator: str, op_id: str) -> UndoResult:
        """Take back the annotator's newest label or skip that is not yet taken back.

        Called again it goes one further back, to the first. The same `op_id` does it once.
        Released labels cannot be taken back.
        """
        raise NotImplementedError

    def reveal(self, presentation_id: str, *, annotator: str) -> bool:
        """Record that the verdict was shown; later changes of this label are `after_reveal`.

        Returns False, and records nothing, where the project does not allow it or this
        annotator's answer is not saved: then nothing may be shown.
        """
        raise NotImplementedError
