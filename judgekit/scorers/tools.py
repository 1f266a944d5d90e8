"""Scorers of tool calls: those that must occur and those that must not."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.model.item import Item
from judgekit.model.trial import Trial
from judgekit.scorers.base import Outcome, scorer
from judgekit.scorers.paths import trial_of


@scorer
def required_tool(item: Item, *, tools: Sequence[str], failure_mode: str | None = None) -> Outcome:
    """Pass when the trial calls every one of the tools."""
    called = _called(trial_of(item))
    missing = tuple(name for name in _names(tools) if name not in called)
    return Outcome(passed=not missing, failure_mode=failure_mode if missing else None)


@scorer
def forbidden_tool(item: Item, *, tools: Sequence[str], failure_mode: str | None = None) -> Outcome:
    """Pass when the trial calls none of the tools."""
    called = _called(trial_of(item))
    found = tuple(name for name in _names(tools) if name in called)
    return Outcome(passed=not found, evidence=found, failure_mode=failure_mode if found else None)


def _called(trial: Trial) -> frozenset[str]:
    within = [call for message in trial.messages for call in message.tool_calls]
    return frozenset(call.name for call in (*trial.tool_calls, *within))


def _names(tools: Sequence[str]) -> tuple[str, ...]:
    return (tools,) if isinstance(tools, str) else tuple(tools)
