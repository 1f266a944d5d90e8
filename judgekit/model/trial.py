"""One recorded attempt of an agent at a case."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from judgekit.model.base import Record


class ToolCall(Record):
    """One call that the agent made of a tool."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    id: str | None = None
    result: Any = None
    error: str | None = None


class Message(Record):
    """One message of the conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None


class Trial(Record):
    """One recorded attempt: messages, tool calls in order, final fields and state, or an error."""

    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    final: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    error: str | None = None
