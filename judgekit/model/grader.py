"""The protocol that judges and scorers share."""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from judgekit.model.fingerprint import Fingerprint
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict

GraderKind = Literal["judge", "scorer", "recorded"]


@runtime_checkable
class Grader(Protocol):
    """Anything that turns an item into a verdict: a judge (LLM) or a scorer (code).

    `kind` decides the rules of approval: a scorer needs none, a recorded grader cannot get one.
    `grade` never raises for one bad item or reply; that becomes the verdict's status.
    """

    @property
    def name(self) -> str:
        """Return the grader's name in judgekit.yaml."""
        ...

    @property
    def kind(self) -> GraderKind:
        """Return whether this is a judge, a scorer or recorded verdicts."""
        ...

    @property
    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint over everything that shapes a verdict."""
        ...

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        """Return the verdict about `item`."""
        ...

    async def aclose(self) -> None:
        """Release clients and servers."""
        ...
