"""A rubric: what is asked of one field or of a whole trial."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from judgekit.model.base import Record
from judgekit.model.canonical import content_hash

ID_PATTERN = r"^[a-z][a-z0-9_]{0,63}$"
ShownField = str


class Criterion(Record):
    """One thing to check. `critical` fails the whole under the rule `critical`; `absence` says
    that failing means something is missing, so that no quote can be asked for."""

    id: str = Field(pattern=ID_PATTERN)
    description: str = Field(min_length=1)
    critical: bool = False
    absence: bool = False


class FailureMode(Record):
    """One named way to fail."""

    id: str = Field(pattern=ID_PATTERN)
    description: str = Field(min_length=1)


class AtLeast(Record):
    """The pass rule `at_least: n`: at least n criteria pass."""

    at_least: int = Field(ge=1)


class Example(Record):
    """A worked example shown to the judge: fields of an item and the verdict it should give."""

    item: dict[str, Any]
    verdict: dict[str, Any]


class Rubric(Record):
    """What is asked of one field or of a whole trial.

    `shows` lists the item fields the judge sees: input, output, context, reference, trial, or a
    named field of an object such as `output.reply`. `pass_rule` is `all` (every criterion),
    `critical` (every critical criterion) or `{at_least: n}`. `abstain` lets the judge answer
    null. `tools` and `policies` are texts shown to the judge.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: str = Field(pattern=ID_PATTERN)
    version: str = "1"
    title: str | None = None
    task: str = Field(min_length=1)
    criteria: tuple[Criterion, ...] = Field(min_length=1)
    failure_modes: tuple[FailureMode, ...] = Field(min_length=1)
    pass_rule: Literal["all", "critical"] | AtLeast = "all"
    shows: tuple[ShownField, ...] = ("input", "output")
    examples: tuple[Example, ...] = ()
    abstain: bool = False
    guidelines: str | None = None
    tools: tuple[dict[str, Any], ...] = ()
    policies: tuple[str, ...] = ()
    evidence_min_ratio: float = Field(default=0.9, gt=0.5, le=1.0)

    @field_validator("shows")
    @classmethod
    def _known_fields(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        roots = {"input", "output", "context", "reference", "trial"}
        for name in value:
            if name.split(".", 1)[0] not in roots:
                raise ValueError(f"{name!r} is not a field of an item; use one of {sorted(roots)}")
        if not value or len(set(value)) != len(value):
            raise ValueError("list at least one field, each once")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for kind, entries in (("criterion", self.criteria), ("failure mode", self.failure_modes)):
            ids = [entry.id for entry in entries]
            twice = sorted({name for name in ids if ids.count(name) > 1})
            if twice:
                raise ValueError(f"{kind} {twice[0]!r} is listed twice")
        if self.pass_rule == "critical" and not any(c.critical for c in self.criteria):
            raise ValueError("pass_rule is 'critical' but no criterion is marked critical: true")
        if isinstance(self.pass_rule, AtLeast) and self.pass_rule.at_least > len(self.criteria):
            raise ValueError(
                f"pass_rule at_least {self.pass_rule.at_least}"
                f" exceeds {len(self.criteria)} criteria"
            )
        return self

    @property
    def criterion_ids(self) -> tuple[str, ...]:
        """Return the criterion ids in file order."""
        return tuple(c.id for c in self.criteria)

    @property
    def failure_mode_ids(self) -> tuple[str, ...]:
        """Return the failure mode ids in file order."""
        return tuple(m.id for m in self.failure_modes)

    def passes(self, passed: frozenset[str]) -> bool:
        """Tell whether an item passes when exactly the criteria in `passed` do."""
        if self.pass_rule == "all":
            return all(c.id in passed for c in self.criteria)
        if self.pass_rule == "critical":
            return all(c.id in passed for c in self.criteria if c.critical)
        return sum(c.id in passed for c in self.criteria) >= self.pass_rule.at_least

    @cached_property
    def content_hash(self) -> str:
        """Return the hash of everything in the rubric that can change a verdict."""
        return content_hash(self.model_dump(mode="json", by_alias=True))
