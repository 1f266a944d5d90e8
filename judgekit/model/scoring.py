"""The rules under which trials are scored: one file `scoring/<name>.yaml`, with a content hash."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from judgekit.model.base import TypedRecord
from judgekit.model.canonical import content_hash
from judgekit.model.comparators.catalog import AnyComparator
from judgekit.model.comparators.exact import Exact
from judgekit.model.regex import checked_regex
from judgekit.model.rubric import ID_PATTERN
from judgekit.model.schema_check import check_schema
from judgekit.model.tool_spec import ToolSpec

Positive = Annotated[float, Field(gt=0)]


class FieldRule(TypedRecord):
    """How one field is compared, what it weighs, and whether it is critical.

    `null_is_missing` and `empty_is_missing` join what is otherwise kept apart, on both sides; empty
    are "", [] and {}.
    """

    compare: AnyComparator = Exact(kind="exact")
    critical: bool = False
    weight: float = Field(default=1.0, gt=0, le=1000)
    null_is_missing: bool = False
    empty_is_missing: bool = False


class Claim(TypedRecord):
    """Words of the final answer that claim an action: what must then have happened.

    `regex` (RE2 syntax) is searched in the last assistant message, whatever the case. One of
    `tools` must have been called without an error, where any is named; `state` gives values
    (`table.key.field`) that the final state must hold.
    """

    regex: Annotated[str, AfterValidator(checked_regex)]
    tools: tuple[str, ...] = ()
    state: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _needs_something(self) -> Self:
        if not self.tools and not self.state:
            raise ValueError("tools or state: what must have happened")
        return self


class Caps(TypedRecord):
    """Hard limits of one trial; only those that are set are checked."""

    calls: int | None = Field(default=None, ge=0)
    model_calls: int | None = Field(default=None, ge=0)
    depth: int | None = Field(default=None, ge=0)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    latency_s: Positive | None = None
    cost_usd: Positive | None = None


class ToolRules(TypedRecord):
    """What is asked of an agent's calls, whatever the case.

    `match` is used where a golden's path names no mode of its own (foreign expectations);
    `compare: names` leaves arguments out. `ignore` lists tools whose calls are noise for matching.
    `arguments[tool][key]` compares one argument, every other by `default`. `before[tool]` lists
    calls that must have succeeded before it is called (with equal values of the arguments both
    have as `identifier`). `answer_after` lists calls without which a final answer is premature.
    `succeeded[tool]` lists values that the tool's result must hold for its call to have succeeded
    (`verify_identity: {verified: true}`); a call without an error has, where none is listed.
    `hand_over` lists tools that hand the case to a person. `max_identical` equal calls are
    allowed. `traceable[tool]` lists the arguments whose values must occur in the case's input or in
    an earlier result.
    """

    match: Literal["exact", "in_order", "any_order"] = "in_order"
    compare: Literal["calls", "names"] = "calls"
    ignore: tuple[str, ...] = ()
    specs: tuple[ToolSpec, ...] = ()
    default: AnyComparator = Exact(kind="exact")
    arguments: dict[str, dict[str, AnyComparator]] = Field(default_factory=dict)
    extra_arguments: Literal["allowed", "fault"] = "allowed"
    forbidden: tuple[str, ...] = ()
    before: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    answer_after: tuple[str, ...] = ()
    succeeded: dict[str, dict[str, Any]] = Field(default_factory=dict)
    hand_over: tuple[str, ...] = ()
    traceable: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    max_identical: int = Field(default=2, ge=1)

    @field_validator("specs")
    @classmethod
    def _schemas(cls, value: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
        """Refuse parameters by which no call could ever be checked."""
        for spec in value:
            try:
                check_schema(spec.parameters or {})
            except ValueError as error:
                raise ValueError(f"the parameters of {spec.name!r}: {error}") from error
        return value

    @field_validator("specs")
    @classmethod
    def _each_tool_once(cls, value: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
        names = [spec.name for spec in value]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"the tool {twice!r} once")
        return value

    @cached_property
    def spec_of(self) -> dict[str, ToolSpec]:
        """Return the specifications by name."""
        return {spec.name: spec for spec in self.specs}

    @cached_property
    def changing(self) -> frozenset[str]:
        """Return the names of the tools that change the state."""
        return frozenset(spec.name for spec in self.specs if spec.changes_state)


class StateRules(TypedRecord):
    """How final states are compared, whatever the case.

    `compare["table.field"]` (or `*.field`) compares one column, every other by `exact`.
    `allowed_changes` are patterns `table.key.field` (`*` stands for one part) of changes that are
    neither asked for nor wrong.
    """

    compare: dict[str, AnyComparator] = Field(default_factory=dict)
    allowed_changes: tuple[str, ...] = ()

    @field_validator("allowed_changes")
    @classmethod
    def _three_parts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        bad = next((text for text in value if text.count(".") < 2), None)
        if bad is not None:
            raise ValueError(f"table.key.field (a * for any), not {bad!r}")
        return value


class ScoringRules(TypedRecord):
    """Everything that decides a score apart from the goldens: `scoring/<name>.yaml`.

    `fields` says how a field of the final output is compared, unless the golden says so itself.
    `correct_by` says what makes a trial correct: `checks` (fields, path and state match and there
    is no fault of a kind listed in `failing`), `outcome` (the environment's own answer), or `auto`:
    the outcome where the trials record one, else the checks. Two results may be compared only
    under rules with one hash. `sources` holds the hash of the code of each custom comparator by
    its function, filled in when the rules are used: other code is other rules.

    Example:
        >>> rules = ScoringRules.model_validate(
        ...     {"schema": 1, "name": "desk", "fields": {"amount": {"compare": "number"}}}
        ... )
        >>> rules.fields["amount"].compare.kind
        'number'
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: str = Field(pattern=ID_PATTERN)
    version: str = "1"
    correct_by: Literal["auto", "checks", "outcome"] = "auto"
    failing: tuple[str, ...] = (
        "false_claim",
        "forbidden_call",
        "over_cap",
        "premature_answer",
        "unchecked_change",
    )
    fields: dict[str, FieldRule] = Field(default_factory=dict)
    tools: ToolRules = ToolRules()
    state: StateRules = StateRules()
    caps: Caps = Caps()
    sources: dict[str, str] = Field(default_factory=dict)

    @cached_property
    def content_hash(self) -> str:
        """Return the hash of all that can change a score: not the name, not the version."""
        return content_hash(self.body)

    @cached_property
    def body(self) -> dict[str, Any]:
        """Return all that can change a score as plain JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude={"name", "version"})
