"""Records of adjudication: what differs, without names, and what was decided."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime

from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.store.label_store.records.labelling import Span

Cause = Literal["ambiguous_item", "guideline_gap", "slip", "edge_case", "taste"]
# fmt: off
Choice = Literal[
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
    "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z",
    "other", "exclude",
]
# fmt: on
Confidence = Literal["low", "medium", "high"]
FlagReason = Literal["label_wrong", "ambiguous", "judge_wrong", "gate_review", "targeted"]
TaskState = Literal["open", "incomplete", "decided", "agreeing"]


class Option(Record):
    """One annotator's answer to one field, named by a letter in an order seeded per item."""

    letter: str
    label: str
    failure_mode: str | None = None
    spans: tuple[Span, ...] = ()
    note: str | None = None


class Decision(Record):
    """What the adjudicators' line of revisions says now about one field of one item.

    `choice` `exclude` takes the field out of releases. `label` is None for an exclusion.
    """

    item_id: str
    field: str = OVERALL
    choice: Choice
    label: str | None = None
    failure_mode: str | None = None
    cause: Cause | None = None
    confidence: Confidence | None = None
    guideline_should_change: bool = False
    reason: str | None = None
    note: str | None = None
    rev: int = 0
    actor: str | None = None
    at: AwareDatetime | None = None


class FieldTask(Record):
    """One field of a task. `rev` is the revision of adjudication seen, to be given back.

    `agree` is None while fewer than two annotators answered. Decided fields carry `decision`.
    """

    field: str
    options: tuple[Option, ...]
    agree: bool | None
    rev: int = 0
    decision: Decision | None = None


class Flag(Record):
    """A request to look at an item: "label wrong", a gate's review file, an ambiguity."""

    id: int
    project: str
    item_id: str
    field: str = OVERALL
    reason: FlagReason
    actor: str
    note: str | None = None
    at: AwareDatetime


class AdjudicationTask(Record):
    """One item in the adjudicators' queue.

    `reasons` tells why it is listed: `disagreement`, `unsure` or a flag's reason. `agreement` is
    the share of agreeing pairs over its fields, in [0, 1], None with one label (incomplete).
    """

    project: str
    item_id: str
    state: TaskState
    reasons: tuple[str, ...]
    agreement: float | None
    n_labels: int
    claimed_by_other: bool = False


class AdjudicationCase(Record):
    """All that an adjudicator may see of one item: never a name, a verdict or a score."""

    task: AdjudicationTask
    item: Item
    item_hash: str
    fields: tuple[FieldTask, ...]
    claimed: bool = False


class AdjudicationCounts(Record):
    """The queue in numbers: items `open` for decision, accepted as `agreeing` without being
    shown, `incomplete` (fewer labels than wanted), `decided`, and fields `excluded`."""

    open: int
    agreeing: int
    incomplete: int
    decided: int
    excluded: int


class Adjudicated(Record):
    """The decision is on the disk."""

    kind: Literal["adjudicated"] = "adjudicated"
    decision: Decision
    seq: int


class AlreadyAdjudicated(Record):
    """This operation was stored before; nothing was written."""

    kind: Literal["already_adjudicated"] = "already_adjudicated"
    decision: Decision | None


class AdjudicationConflict(Record):
    """Refused: someone else decided since. Show both and ask; nothing was overwritten."""

    kind: Literal["conflict"] = "conflict"
    yours: Decision
    stored: Decision | None
    rev: int


class NeedsReason(Record):
    """Not saved: `missing` is `cause` (the decision overrides all answers) or `reason`."""

    kind: Literal["needs_reason"] = "needs_reason"
    missing: tuple[str, ...]


class OwnItem(Record):
    """Refused: this adjudicator labelled the item, and the project does not allow that."""

    kind: Literal["own_item"] = "own_item"
    item_id: str


AdjudicateResult = Adjudicated | AlreadyAdjudicated | AdjudicationConflict | NeedsReason | OwnItem


class LabelOrigin(Record):
    """Where one current label came from, for engineers and leads (never for annotators)."""

    project: str
    item_id: str
    annotator: str
    field: str
    kind: str
    value: dict[str, Any]
    rev: int
    guideline: str | None = None
    design: str | None = None
    schema_version: int = 1
    after_reveal: bool = False
    repeat: int = 0
    at: AwareDatetime
