"""What an import would do: a report, and what `apply_import` writes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.store.formats.problems import Refusal
from judgekit.store.label_store import LogEvent

ImportKind = Literal["items", "events", "labels"]
SHOWN = 20
ProblemKind = Literal["conflicting", "rejected"]


class ImportProblem(Record):
    """One line that stands in the way: what was found and what was expected."""

    kind: ProblemKind
    file: str
    line: int
    field: str | None = None
    found: str
    expected: str

    @classmethod
    def of(cls, file: str, refusal: Refusal, kind: ProblemKind = "rejected") -> ImportProblem:
        """Return the problem that a refused row is."""
        return cls(kind=kind, file=file, **refusal.model_dump())

    def sentence(self) -> str:
        """Return the problem in one line."""
        field = f" {self.field}:" if self.field else ""
        return (
            f"{self.file}:{self.line} {self.kind}:{field} found {self.found}, "
            f"expected {self.expected}"
        )


class ImportReport(Record):
    """What an import did (`written`) or would do. With any problem nothing is written.

    `n_other` counts events of the file that belong to other projects and are passed over;
    `not_read` names what lies among event files and is none.
    """

    kind: ImportKind
    project: str
    files: tuple[str, ...]
    n_new: int
    n_known: int
    n_conflicting: int = 0
    n_rejected: int = 0
    n_other: int = 0
    not_read: tuple[str, ...] = ()
    problems: tuple[ImportProblem, ...] = ()
    written: bool = False

    @property
    def blocked(self) -> bool:
        """Return whether a conflict or a bad line stands in the way."""
        return bool(self.n_conflicting or self.n_rejected)

    def sentence(self) -> str:
        """Return the counts in one line."""
        other = f", {self.n_other} of other projects" if self.n_other else ""
        return (
            f"{self.kind}: {self.n_new} new, {self.n_known} known, "
            f"{self.n_conflicting} conflicting, {self.n_rejected} rejected{other}{self._unread()}"
        )

    def _unread(self) -> str:
        if not self.not_read:
            return ""
        more = f" and {len(self.not_read) - SHOWN} more" if len(self.not_read) > SHOWN else ""
        return f"; not read, as they are no event files: {', '.join(self.not_read[:SHOWN])}{more}"


class ImportPlan(Record):
    """A read and checked file: its report, and what would be written."""

    report: ImportReport
    items: tuple[Item, ...] = ()
    designs: dict[str, str] = Field(default_factory=dict)
    events: tuple[LogEvent, ...] = ()
    source: str = ""
