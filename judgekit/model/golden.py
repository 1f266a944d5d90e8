"""A golden: a reviewed case and what is expected of it. One line of goldens.jsonl."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, Field, ValidationInfo, field_validator, model_validator

from judgekit.model.base import TypedRecord
from judgekit.model.canonical import content_hash
from judgekit.model.expected import Expected
from judgekit.model.item import Split, Text

Name = Annotated[str, Field(min_length=1, max_length=200)]
PathId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Reason = Annotated[str, Field(min_length=1, pattern=r"\S")]
Scenario = Literal["routine", "edge", "hard"]
Pointer = Annotated[str, Field(pattern=r"^(/([^/~]|~[01])+)+$")]
"""Names one part of a golden (RFC 6901): `/fields/amount`, `/paths/p1`, `/forbidden/refund`,
`/paths/p1/calls/0/arguments/order`, `/state/orders/R-1/status`, `/scenario`,
`/failure_modes`, `/allowed_changes/orders/*/updated_at`."""


def pointer_keys(part: str) -> list[str]:
    """Return the keys of a pointer.

    Example:
        >>> pointer_keys("/state/orders/R~11")
        ['state', 'orders', 'R/1']
    """
    return [key.replace("~1", "/").replace("~0", "~") for key in part.split("/")[1:]]


def pointer(*keys: str) -> str:
    """Return the pointer of the keys.

    Example:
        >>> pointer("fields", "net/gross")
        '/fields/net~1gross'
    """
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


class ExpectedCall(TypedRecord):
    """One tool call of a valid path.

    An argument that is not listed may have any value or be absent, unless `only_these` is set.
    """

    tool: Name
    arguments: dict[Name, Expected] = Field(default_factory=dict)
    only_these: bool = False


class ToolPath(TypedRecord):
    """One valid way through the case; with no calls it says that no tool is to be called.

    `match`: exact (these calls and no other), in_order (these, others may come between),
    any_order.
    """

    match: Literal["exact", "in_order", "any_order"] = "in_order"
    calls: tuple[ExpectedCall, ...] = ()


class ForbiddenCall(TypedRecord):
    """A call that must not be made: with all of these arguments; with any where none is named."""

    tool: Name
    arguments: dict[Name, Expected] = Field(default_factory=dict)
    reason: str | None = None


class ExpectedRow(TypedRecord):
    """A row of the final state: the fields that it must hold, or that it must not be there."""

    absent: bool = False
    fields: dict[Name, Expected] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.absent and self.fields:
            raise ValueError("no fields in a row that is absent")
        return self


class AllowedChange(TypedRecord):
    """A change of the state that is neither asked for nor wrong. `*` stands for every one."""

    table: Name
    key: Name = "*"
    field: Name = "*"


class ExpectedState(TypedRecord):
    """The final state: table -> key -> row. Files are rows of a table, by path.

    Every other change against the initial state is wrong unless `allowed_changes` names it.
    Tolerances are the comparators of the fields.
    """

    tables: dict[Name, dict[Name, ExpectedRow]] = Field(default_factory=dict)
    allowed_changes: tuple[AllowedChange, ...] = ()


class Unscored(TypedRecord):
    """A part that is not scored: experts differ (`ambiguous`) or it was `excluded`, and why."""

    part: Pointer
    status: Literal["ambiguous", "excluded"]
    reason: Reason


class Redefined(TypedRecord):
    """A part on which experts differed and that was settled, and why.

    `dropped` says that it was settled by expecting nothing there.
    """

    part: Pointer
    reason: Reason
    dropped: bool = False


class GoldenSource(TypedRecord):
    """Where the case comes from: the dataset's item, the trial, the failure mode, the note."""

    item_id: Name | None = None
    trial: str | None = None
    failure_mode: str | None = None
    note: str | None = None


class Expectation(TypedRecord):
    """What one case expects; also what one expert fills in.

    `paths` is empty where nothing is said about tool calls; a path without calls expects none.
    `state` None says nothing about the state. `scenario` None: in no class.
    """

    fields: dict[Name, Expected] = Field(default_factory=dict)
    paths: dict[PathId, ToolPath] = Field(default_factory=dict)
    forbidden: tuple[ForbiddenCall, ...] = ()
    state: ExpectedState | None = None
    scenario: Scenario | None = None
    failure_modes: tuple[Name, ...] = ()

    def holds(self, part: str) -> bool:
        """Tell whether there is an expectation at a pointer."""
        keys = pointer_keys(part)
        if keys[0] == "forbidden" and len(keys) == 2:
            return any(call.tool == keys[1] for call in self.forbidden)
        body: Any = {"fields": self.fields, "paths": self.paths, "state": _rows(self.state)}
        return _found(body, keys)


class Golden(Expectation):
    """A reviewed case: input and expectation, who reviewed it, and what is left unscored.

    `reviewers` are the aliases of the experts who filled it in independently. The proposer and
    the experts are not the approver. `hash` covers all that can change a score (`content`); a
    line that was edited by hand no longer fits its hash and is refused.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    id: Name
    group: str | None = None
    input: Text | None = None
    context: Text | list[Any] | None = None
    split: Split | None = None
    unscored: tuple[Unscored, ...] = ()
    redefined: tuple[Redefined, ...] = ()
    source: GoldenSource = GoldenSource()
    reviewers: tuple[Name, ...] = Field(min_length=1)
    proposer: Name
    approver: Name
    approved_at: AwareDatetime | None = None
    hash: str

    @classmethod
    def sealed(cls, body: dict[str, Any]) -> Golden:
        """Return the golden of a JSON object without its hash, which is added.

        Raises:
            pydantic.ValidationError: the object is not a golden.
        """
        return cls.model_validate({**body, "hash": ""}, context=_SEALING)

    @cached_property
    def content_hash(self) -> str:
        """Return the hash of what can change a score: not who reviewed it, nor its source."""
        return content_hash({k: v for k, v in self.as_line().items() if k not in _NOT_CONTENT})

    @property
    def group_key(self) -> str:
        """Return the cluster key: `group`, or the id where there is none."""
        return self.group if self.group is not None else self.id

    @property
    def scores_paths(self) -> bool:
        """Tell whether tool calls are compared: some path is valid and none is in dispute."""
        disputed = any(part.part.count("/") == 2 for part in self._unscored_under("/paths/"))
        return bool(self.paths) and not disputed

    def unscored_parts(self) -> frozenset[str]:
        """Return the pointers of the parts that a scorer leaves out and lists."""
        return frozenset(entry.part for entry in self.unscored)

    def as_line(self) -> dict[str, Any]:
        """Return the JSON object of its line: defaults left out, the schema always there."""
        body = self.model_dump(mode="json", exclude_defaults=True, by_alias=True)
        return {**body, "schema": self.schema_version}

    def _unscored_under(self, root: str) -> list[Unscored]:
        return [entry for entry in self.unscored if entry.part.startswith(root)]

    @field_validator("redefined")
    @classmethod
    def _each_part_once(
        cls, value: tuple[Redefined, ...], info: ValidationInfo
    ) -> tuple[Redefined, ...]:
        parts = [entry.part for entry in (*info.data.get("unscored", ()), *value)]
        twice = next((part for part in parts if parts.count(part) > 1), None)
        if twice is not None:
            raise ValueError(f"the part {twice!r} once among unscored and redefined")
        return value

    @field_validator("unscored")
    @classmethod
    def _nothing_expected(
        cls, value: tuple[Unscored, ...], info: ValidationInfo
    ) -> tuple[Unscored, ...]:
        expected = Expectation.model_construct(None, **_of(Expectation, info.data))
        both = next((entry.part for entry in value if expected.holds(entry.part)), None)
        if both is not None:
            raise ValueError(f"a part without expectation; {both!r} has one, so it is scored")
        return value

    @field_validator("reviewers")
    @classmethod
    def _different_people(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) != len(value):
            raise ValueError("each reviewer once")
        return value

    @field_validator("approver")
    @classmethod
    def _another_person(cls, value: str, info: ValidationInfo) -> str:
        if value == info.data.get("proposer") or value in info.data.get("reviewers", ()):
            raise ValueError("someone who is neither proposer nor reviewer")
        return value

    @field_validator("hash")
    @classmethod
    def _fits_content(cls, value: str, info: ValidationInfo) -> str:
        if len(info.data) < len(cls.model_fields) - 1:
            return value  # another field is at fault and is named
        own = cls.model_construct(None, **info.data).content_hash
        if value != own and info.context is not _SEALING:
            raise ValueError(
                f"{own}, the hash of this content; a change must be proposed and approved again"
            )
        return own


_SEALING = object()
_NOT_CONTENT = {"hash", "reviewers", "proposer", "approver", "approved_at", "source"}


def _of(record: type[TypedRecord], data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in record.model_fields if name in data}


def _rows(state: ExpectedState | None) -> dict[str, dict[str, ExpectedRow]]:
    return state.tables if state is not None else {}


def _found(node: Any, keys: list[str]) -> bool:
    for key in keys:
        if isinstance(node, ToolPath) and key == "calls":
            node = {str(index): call for index, call in enumerate(node.calls)}
        elif isinstance(node, ExpectedCall) and key == "arguments":
            node = node.arguments
        elif isinstance(node, ExpectedRow):
            node = node.fields.get(key)
        elif isinstance(node, dict) and key in node:
            node = node[key]
        else:
            return False
        if node is None:
            return False
    return True
