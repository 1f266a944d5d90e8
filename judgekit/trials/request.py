"""What an agent is told about one attempt, and what it may answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from judgekit.model.base import TypedRecord
from judgekit.model.case import Case
from judgekit.model.trial import Dollars, Message, ModelCall, Span, ToolCall


class TrialRequest(TypedRecord):
    """One attempt, as the agent gets it (JSON on standard input, or the body of a POST).

    What is expected is never in it, nor is the case's id, which may say so. `seed` is an integer
    for this attempt alone; `now` is the time that the attempt is to believe in; `identifier` is
    unique to the attempt (a baseline's has the same). `state` is a fresh copy of the fixture.
    `settings` are the sampling settings to use.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    number: int
    identifier: str
    seed: int
    now: str
    timezone: str
    locale: str
    input: Any = None
    context: Any = None
    settings: dict[str, Any] = Field(default_factory=dict)
    state: dict[str, Any] | None = None
    tools: dict[str, Any] | None = None


class TrialAnswer(TypedRecord):
    """What the agent answers: the parts of a trial that it knows.

    `infrastructure` says that the attempt failed through no fault of the agent, and why.
    """

    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    final: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    error: str | None = None
    plan: tuple[str, ...] | None = None
    model_calls: tuple[ModelCall, ...] | None = None
    spans: tuple[Span, ...] | None = None
    cost_usd: Dollars | None = None
    outcome: bool | None = None
    infrastructure: str | None = None


def shown_case(case: Case) -> dict[str, Any]:
    """Return what the agent sees of a case: its input and context, nothing that is expected."""
    return {"input": case.input, "context": case.context}
