"""Events: the rows of the append-only logs, and what reads and mirrors them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, Protocol

from pydantic import AwareDatetime, Field

from judgekit.model.base import Record
from judgekit.model.label import OVERALL

EventKind = Literal["label", "unsure", "skip", "undo", "adjudicate", "exclude", "restore", "import"]
ADJUDICATION = "_adjudication"
"""The `annotator` of adjudication events: all adjudicators share one line of revisions."""


class LabelEvent(Record):
    """One row of the log. `value` is what stands for this field after the event, None = nothing.

    The current answer of (project, item, annotator, repeat, field) is the value of its highest
    `rev`: an `undo` carries the value that stands again and, in `prev_rev`, the revision it took
    back; a `skip` carries what stood before. So folding is: keep the last, ignore None.

    Values:
        label, unsure, import, undo: `{"label", "failure_mode"?, "spans"?, "note"?}`; a criterion
            has `{"label"}`. Spans: `{"start", "end", "quote", "field", "item_hash"}`, code points.
        adjudicate: the same with `"choice"`, `"cause"?`, `"confidence"?`, `"guideline_change"?`.
        exclude: `{"excluded": true, "reason", "cause"?}`; the field is out of releases.
        restore: None; the field is open again.

    One operation may write several fields; they then share `op_id`, `rev` and `at`. `op_id` with
    `field` is unique. `repeat` 1 marks a hidden re-label, which is not calibration data.
    `actor` is who did it; in adjudications `annotator` is `_adjudication`.
    """

    seq: int = Field(ge=1)
    op_id: str
    project: str
    dataset: str
    presentation_id: str | None = None
    item_id: str
    item_hash: str
    annotator: str
    field: str = OVERALL
    kind: EventKind
    value: dict[str, Any] | None = None
    rev: int = Field(ge=1)
    prev_rev: int | None = None
    repeat: int = 0
    dwell_ms: int | None = None
    active_ms: int | None = None
    schema_version: int
    guideline: str | None = None
    design: str | None = None
    after_reveal: bool = False
    actor: str
    at: AwareDatetime

    @property
    def key(self) -> str:
        """Return the key that is the same in every store: `<op_id>/<field>`."""
        return f"{self.op_id}/{self.field}"


ReviewLog = Literal["codes", "goldens"]


class ReviewEvent(Record):
    """One row of the log of error analysis (`codes`) or of the golden editor (`goldens`).

    `body` holds the fields of an action of `records.code_actions` or `records.golden_actions`.
    The times of a project's log grow with `seq`, so files are read back in the order of `at`.
    """

    seq: int = Field(ge=1)
    log: ReviewLog
    op_id: str
    project: str
    dataset: str
    kind: str
    body: dict[str, Any]
    actor: str
    at: AwareDatetime

    @property
    def key(self) -> str:
        """Return the key that is the same in every store: `<log>/<op_id>`."""
        return f"{self.log}/{self.op_id}"


LogEvent = LabelEvent | ReviewEvent


class EventMirror(Protocol):
    """Where saved events also go: the files in `annotations/<dataset>/events/`.

    The store calls `append` after the commit and before it tells the caller "saved". Where a
    process died between, `catch_up` of the next store that opens appends what `held` lacks, so
    `append` may be called again with events it has: it keeps one of each `key`. Several processes
    may append at once. `append` raises StoreFailed when the file cannot be written; the label is
    then in the database and the next `catch_up` brings it.
    """

    def append(self, events: Sequence[LogEvent]) -> None:
        """Write the events to the file of their `actor` and flush them to the disk."""

    def held(self, dataset: str) -> Collection[str]:
        """Return the keys of all events that the dataset's files hold."""


class EventConflict(Record):
    """One event that cannot be imported: same key, other content; a taken rev; unknown item."""

    key: str
    item_id: str
    reason: str
    found: str
    expected: str


class EventImport(Record):
    """What importing events did or would do. With any conflict nothing was written.

    `conflicts` says for each: the event's key, and what differs.
    """

    n_new: int
    n_known: int
    conflicts: tuple[EventConflict, ...] = ()
    written: bool = False

    def and_also(self, other: EventImport) -> EventImport:
        """Return both findings as one that is not written yet."""
        return EventImport(
            n_new=self.n_new + other.n_new,
            n_known=self.n_known + other.n_known,
            conflicts=self.conflicts + other.conflicts,
        )
