"""One recorded attempt of an agent at a case."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from judgekit.model.base import TypedRecord
from judgekit.model.verdict import Usage, in_utf8

Dollars = Annotated[float, Field(ge=0, le=1e12)]
"""An amount; one beyond all money is a mistake, and sums of such would overflow."""

Seconds = Annotated[float, Field(ge=0, le=1e12)]
"""A duration; the limit is some 30,000 years."""

Ending = Literal["finished", "crashed", "timeout", "infrastructure"]
"""How an attempt ended. `infrastructure` is not the agent's doing (provider down, no disk); it is
never a wrong answer and never leaves the denominator."""

TrialKey = tuple[str, int]
"""Case and number of a trial."""

SpanKind = Literal["retrieval", "agent", "tool", "model", "step", "other"]


class ToolCall(TypedRecord):
    """One call that the agent made of a tool.

    `malformed` says why the arguments it wrote are no JSON object; `arguments` is then empty.
    `step` names the part of the agent that made it, `model_call` the request it came from (index
    into the trial's model calls).
    """

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    id: str | None = None
    result: Any = None
    error: str | None = None
    malformed: str | None = None
    step: str | None = None
    model_call: int | None = Field(default=None, ge=0)
    latency_s: Seconds | None = None


class ModelCall(TypedRecord):
    """One request to a model, paid whatever came back.

    `role` is `agent` for the agent's own loop and `auxiliary` for everything beside it (a
    summariser, a guard, a user simulator). `retry` counts from 0. `settings` is what was asked
    for; `ignored` names the settings that the provider did not apply. None = not known.
    """

    model: str | None = None
    provider: str | None = None
    role: Literal["agent", "auxiliary"] = "agent"
    step: str | None = None
    retry: int = Field(default=0, ge=0)
    usage: Usage = Usage()
    cost_usd: Dollars | None = None
    latency_s: Seconds | None = None
    finish_reason: str | None = None
    error: str | None = None
    settings: dict[str, Any] | None = None
    ignored: tuple[str, ...] = ()


class Span(TypedRecord):
    """One timed piece of work inside a trial: a retrieval, a sub-agent, a tool, a model call.

    `parent` is another span's id. `step` groups spans of the same kind of work over trials.
    """

    id: str
    parent: str | None = None
    name: str
    kind: SpanKind = "other"
    step: str | None = None
    input: Any = None
    output: Any = None
    error: str | None = None
    latency_s: Seconds | None = None


class Message(TypedRecord):
    """One message of the conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None


class Trial(TypedRecord):
    """One recorded attempt: messages, tool calls in order, final fields and state, or an error.

    `case_id` and `number` (from 0) say which attempt at which case it is. `plan` lists the tools
    the agent said it would call. `model_calls` and `spans` are None where they were not recorded,
    which is not the same as none. `cost_usd` is the whole attempt (None = unknown, not zero).
    `state_before` is the state the attempt started from.
    `outcome` is the environment's own answer, where there is one. `configuration` is the hash of
    everything that shaped the attempt.
    """

    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    final: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    error: str | None = None
    state_before: dict[str, Any] | None = None
    case_id: str | None = None
    number: int | None = Field(default=None, ge=0)
    ending: Ending | None = None
    plan: tuple[str, ...] | None = None
    model_calls: tuple[ModelCall, ...] | None = None
    spans: tuple[Span, ...] | None = None
    cost_usd: Dollars | None = None
    latency_s: Seconds | None = None
    started_at: AwareDatetime | None = None
    outcome: bool | None = None
    configuration: str | None = None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in order: those listed, else those inside the messages."""
        return self.tool_calls or tuple(
            call for message in self.messages for call in message.tool_calls
        )

    @property
    def key(self) -> TrialKey:
        """Return which trial it is; one that does not say is number 0 of a case without a name."""
        return self.case_id or "", self.number or 0

    def in_utf8(self) -> Trial:
        """Return the trial with U+FFFD for what UTF-8 cannot carry: an agent may say anything."""
        return Trial.model_validate(in_utf8(self.model_dump()))
