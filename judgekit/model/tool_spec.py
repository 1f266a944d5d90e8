"""What a tool is said to do: the specification that an agent is given."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from judgekit.model.base import TypedRecord


class ToolSpec(TypedRecord):
    """One tool: `parameters` is a JSON Schema of its arguments, None where none was given.

    `changes_state` marks a call that acts on the world; `identifier` names the arguments that say
    which thing a call is about.
    """

    name: str = Field(min_length=1, max_length=200)
    description: str = ""
    parameters: dict[str, Any] | None = None
    changes_state: bool = False
    identifier: tuple[str, ...] = ()


LintKind = Literal[
    "overlapping_names",
    "overlapping_descriptions",
    "vague_description",
    "undocumented_enum",
    "undocumented_parameter",
    "no_parameters",
]


class LintFinding(TypedRecord):
    """One weakness of a specification: the tools it is about and what to mend."""

    kind: LintKind
    tools: tuple[str, ...]
    parameter: str | None = None
    reason: str
