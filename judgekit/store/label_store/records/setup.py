"""Records of what is set up before anyone labels: projects, versions, people."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, Field, field_validator, model_validator

from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.model.rubric import Criterion, FailureMode, Rubric
from judgekit.store.label_settings import ALIAS_PATTERN, Role, SignInMode

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
PAIRWISE_LABELS = ("output_1", "output_2", "tie")


class Person(Record):
    """Someone who may sign in. E-mail addresses stay out: people appear under an alias.

    `verified` is False under the sign-in mode `local`, where a name is picked and not proven.
    `subject` is what the identity provider calls the person (never exported).
    """

    alias: str = Field(pattern=ALIAS_PATTERN)
    roles: tuple[Role, ...] = ("annotator",)
    mode: SignInMode = "local"
    verified: bool = False
    active: bool = True
    subject: str | None = None


class LabelSchema(Record):
    """What is asked about an item. Saving a changed one makes a new `version`.

    Args:
        labels: the answers to `_overall`; `unsure` is always possible and is not listed.
            Pairwise projects use `output_1`, `output_2`, `tie`.
        criteria: what may be answered one by one, in order.
        ask_criteria: whether the page offers the criteria.
        required: fields (criterion ids, `_overall`) without which an answer is incomplete.
        mode_required: whether a `fail` needs a failure mode.
        shows: item fields that the annotator sees, as in a rubric; others are not sent.
    """

    version: int = Field(default=1, ge=1)
    rubric: str | None = None
    rubric_version: str | None = None
    labels: tuple[str, ...] = ("pass", "fail")
    criteria: tuple[Criterion, ...] = ()
    failure_modes: tuple[FailureMode, ...] = ()
    ask_criteria: bool = False
    required: tuple[str, ...] = (OVERALL,)
    mode_required: bool = False
    shows: tuple[str, ...] = ("input", "context", "output", "trial")

    @model_validator(mode="after")
    def _known_fields(self) -> LabelSchema:
        known = {OVERALL, *(c.id for c in self.criteria)}
        strange = [name for name in self.required if name not in known]
        if strange:
            raise ValueError(f"required names {strange[0]!r}, which is no field of this schema")
        return self

    @property
    def fields(self) -> tuple[str, ...]:
        """Return `_overall` and, where they are asked, the criterion ids."""
        return (OVERALL, *(c.id for c in self.criteria)) if self.ask_criteria else (OVERALL,)

    @property
    def criterion_labels(self) -> tuple[str, ...]:
        """Return the answers to a criterion: pass and fail, or which of two outputs is better."""
        return self.labels if "output_1" in self.labels else ("pass", "fail")

    @property
    def criteria_required(self) -> bool:
        """Return whether every criterion must be answered."""
        return bool(self.criteria) and {c.id for c in self.criteria} <= set(self.required)

    @classmethod
    def from_rubric(
        cls,
        rubric: Rubric,
        *,
        ask_criteria: bool = False,
        criteria_required: bool = False,
        mode_required: bool = False,
    ) -> LabelSchema:
        """Return the schema that asks what a rubric asks; required criteria are asked."""
        return cls(
            rubric=rubric.name,
            rubric_version=rubric.version,
            criteria=rubric.criteria,
            failure_modes=rubric.failure_modes,
            ask_criteria=ask_criteria or criteria_required,
            required=(OVERALL, *rubric.criterion_ids) if criteria_required else (OVERALL,),
            mode_required=mode_required,
            shows=rubric.shows,
        )


class GuidelineVersion(Record):
    """One version of the labelling guideline. Labels name the version they were given under."""

    version: str = Field(min_length=1, max_length=64)
    text: str
    at: AwareDatetime | None = None
    actor: str | None = None


class ProjectSettings(Record):
    """How a project is labelled. A change of any of these is a row of the audit log.

    Args:
        seed: orders, overlap, repeats and sides are hashes with it.
        labels_per_item: annotators wanted for every item.
        overlap_share: share of the items that want one annotator more, in [0, 1].
        overlap_min: but at least this many items (or all there are).
        repeat_share: share of an annotator's items asked again, unmarked, in [0, 1].
        repeat_gap: positions between an item and its hidden repeat, at least.
        design: how the queue was drawn: `random`, `targeted` or `stratified:<stratum>`.
        strata: stratum by item id where the design is `stratified` per item.
        min_dwell_ms: a label sooner after the presentation than this is refused.
        claim_s: seconds for which a shown item is not given to another annotator.
    """

    seed: str = "1"
    labels_per_item: int = Field(default=1, ge=1, le=100)
    overlap_share: float = Field(default=0.2, ge=0, le=1)
    overlap_min: int = Field(default=50, ge=0)
    repeat_share: float = Field(default=0.05, ge=0, le=1)
    repeat_gap: int = Field(default=30, ge=1)
    design: str = Field(default="random", pattern=r"^(random|targeted|stratified(:.+)?)$")
    reveal_after_save: bool = False
    adjudicator_may_have_labelled: bool = False
    min_dwell_ms: int = Field(default=250, ge=0)
    claim_s: int = Field(default=1800, ge=1)

    @field_validator("seed")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if not value or "\n" in value or len(value) > 64:
            raise ValueError("a seed is one line of 1 to 64 characters")
        return value


class Project(Record):
    """A dataset with its rubric, as people label it. Counts are queries of this moment."""

    name: str = Field(pattern=NAME_PATTERN)
    dataset: str = Field(pattern=NAME_PATTERN)
    title: str | None = None
    label_schema: LabelSchema
    guideline: GuidelineVersion | None = None
    settings: ProjectSettings = ProjectSettings()
    archived: bool = False
    n_items: int = 0


class ItemImport(Record):
    """What importing items did or, on a dry run, would do. Rejected or conflicting: nothing is.

    `conflicting` holds ids that exist with other content; items are never edited.
    """

    n_new: int
    n_known: int
    conflicting: tuple[str, ...] = ()
    written: bool = False


class StoredItem(Record):
    """An item as the project holds it, for pages of leads and engineers only.

    `source` is where it came from; `design` its own sampling design or None for the project's.
    """

    item: Item
    item_hash: str
    source: str | None = None
    design: str | None = None
    slots: int = 1


class AuditRow(Record):
    """One change of a role, seed, overlap, sign-in mode or other setting. Never edited."""

    id: int
    at: AwareDatetime
    actor: str
    action: str
    project: str | None = None
    subject: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
