"""A label: one human's answer about one item and one criterion."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from judgekit.model.base import Record

OVERALL = "_overall"
Origin = Literal["human", "adjudicated", "objective", "model", "synthetic"]
OBJECTIVE_ANNOTATORS = frozenset({"gold", "env"})


class Label(Record):
    """One human's answer about one item and one criterion.

    `label` is pass, fail, unsure, or a category or number that a mapping file reads. `origin`
    defaults to `human`, and to `objective` for the annotators `gold` and `env`. `design` is
    random, `stratified:<stratum>` or targeted; None means what dataset.yaml declares. `line` is
    the 1-based line of the source file, for messages.
    """

    item_id: str = Field(min_length=1)
    annotator: str = Field(min_length=1)
    criterion: str = OVERALL
    label: str | float | int | bool
    failure_mode: str | None = None
    evidence: tuple[str, ...] = ()
    note: str | None = None
    guideline: str | None = None
    labelled_at: AwareDatetime | None = None
    origin: Origin | None = None
    design: str | None = None
    weight: float | None = Field(default=None, ge=1e-9, le=1e9)
    extra: dict[str, object] = Field(default_factory=dict, exclude=True)
    line: int | None = Field(default=None, exclude=True)

    @property
    def effective_origin(self) -> Origin:
        """Return the declared origin, or the default for the annotator."""
        if self.origin is not None:
            return self.origin
        return "objective" if self.annotator in OBJECTIVE_ANNOTATORS else "human"
