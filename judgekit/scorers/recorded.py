"""Verdicts that were recorded elsewhere, as a grader that can be calibrated, never approved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from judgekit.model.fingerprint import Fingerprint
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict

if TYPE_CHECKING:
    from judgekit.model.grader import GraderKind


class RecordedGrader:
    """Return recorded verdicts by item id.

    Args:
        name: the grader's name in judgekit.yaml.
        verdicts: what was recorded.
        file_hash: hash of the file, which is the fingerprint's source.
    """

    def __init__(self, name: str, verdicts: Sequence[Verdict], file_hash: str) -> None:
        self._name = name
        self._file_hash = file_hash
        self._verdicts = {(v.item_id, v.regrade): v for v in reversed(verdicts)}

    @property
    def name(self) -> str:
        """Return the grader's name in judgekit.yaml."""
        return self._name

    @property
    def kind(self) -> GraderKind:
        """Return `recorded`."""
        return "recorded"

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint: the hash of the file."""
        return Fingerprint(components={"provider": "recorded", "source": self._file_hash})

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        """Return the recorded verdict about `item`, or status `failed` where there is none."""
        found = self._verdicts.get((item.id, regrade))
        fingerprint = self.fingerprint.value
        if found is not None:
            update = {"grader": self._name, "fingerprint": fingerprint}
            if not found.item_hash:
                update["item_hash"] = item.content_hash
            return found.model_copy(update=update)
        return Verdict(
            item_id=item.id,
            grader=self._name,
            fingerprint=fingerprint,
            item_hash=item.content_hash,
            regrade=regrade,
            status="failed",
            kind="grader",
            reason=f"no verdict about item {item.id!r} was recorded (regrade {regrade})",
        )

    async def aclose(self) -> None:
        """Do nothing: there is nothing to release."""
