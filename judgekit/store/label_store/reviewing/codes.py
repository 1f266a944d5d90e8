"""Error analysis: notes, failure modes, and who moved what, all as events."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.coding import Code, CodeBook, CodeEvent, CodeNote


class Codes(Part):
    """`store.codes`: every method is one event, idempotent by `op_id`, and can be undone."""

    def book(self, project: str) -> CodeBook:
        """Return notes and codes as they stand."""
        raise NotImplementedError

    def add_note(
        self, project: str, item_id: str, text: str, *, author: str, op_id: str
    ) -> CodeNote:
        """Write an open note about an item (several per item are possible).

        Raises:
            InputError: the text is empty or the project has no such item.
        """
        raise NotImplementedError

    def discard_note(self, project: str, note_id: str, *, actor: str, op_id: str) -> None:
        """Take a note out of the book; the log keeps it."""
        raise NotImplementedError

    def new_code(self, project: str, name: str, *, actor: str, op_id: str) -> Code:
        """Name a failure mode.

        Raises:
            InputError: the name is empty or taken (letter case and outer spaces aside).
        """
        raise NotImplementedError

    def assign(
        self, project: str, note_ids: Sequence[str], code: str | None, *, actor: str, op_id: str
    ) -> None:
        """Put notes under a code, or under none."""
        raise NotImplementedError

    def rename(self, project: str, code: str, name: str, *, actor: str, op_id: str) -> Code:
        """Give a code another name."""
        raise NotImplementedError

    def merge(self, project: str, source: str, target: str, *, actor: str, op_id: str) -> Code:
        """Move every note of `source` under `target`; `source` is gone until undone."""
        raise NotImplementedError

    def split(
        self,
        project: str,
        source: str,
        note_ids: Sequence[str],
        name: str,
        *,
        actor: str,
        op_id: str,
    ) -> Code:
        """Move some notes of `source` under a new code and return that."""
        raise NotImplementedError

    def undo(self, project: str, *, actor: str, op_id: str) -> CodeEvent | None:
        """Take back the newest event of this actor that stands; None when there is none."""
        raise NotImplementedError

    def events(self, project: str, *, since: int = 0) -> tuple[CodeEvent, ...]:
        """Return the log after sequence number `since`."""
        raise NotImplementedError
