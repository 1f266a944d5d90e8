"""Tricky tool results: empty, partial, stale or an error, played from a changed cassette."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from judgekit.errors import InputError, UsageError
from judgekit.model.base import Record
from judgekit.model.trial import Trial
from judgekit.trials.cassette import Recorded

How = Literal["empty", "partial", "stale", "error"]
HOWS: tuple[How, ...] = get_args(How)
NextStep = Literal[
    "repeated the call", "checked with another call", "changed the state", "asked or answered",
    "the tool was not called",
]  # fmt: skip


class Perturbation(Record):
    """One change: the results of `tool`, and how they are changed.

    `empty`: nothing of the same kind; `partial`: half of it; `stale`: the result that the tool had
    given for its first call; `error`: the call fails.
    """

    tool: str
    how: How

    @classmethod
    def parse(cls, text: str) -> Perturbation:
        """Return the perturbation of `tool=how`.

        Raises:
            UsageError: it is written otherwise.
        """
        tool, given, how = text.partition("=")
        for known in HOWS:
            if given and tool and how == known:
                return cls(tool=tool, how=known)
        raise UsageError(
            "a perturbation cannot be read", found=text, expected=f"TOOL={'|'.join(HOWS)}"
        )


def perturb(calls: Sequence[Recorded], change: Perturbation) -> tuple[Recorded, ...]:
    """Return recorded calls with the results of one tool changed.

    Raises:
        InputError: the tool was never called.
    """
    first = next((call for call in calls if call.name == change.tool), None)
    if first is None:
        names = ", ".join(sorted({call.name for call in calls}))
        raise InputError(
            f"the cassette holds no call of {change.tool!r}", expected=names or "no call at all"
        )
    return tuple(
        _changed(call, change, first) if call.name == change.tool else call for call in calls
    )


def after_perturbed(trial: Trial, tool: str, changing: frozenset[str]) -> NextStep:
    """Return what the agent did right after the first perturbed call.

    `changing` are the tools that change the state.
    """
    names = [call.name for call in trial.tool_calls]
    if tool not in names:
        return "the tool was not called"
    place = names.index(tool)
    if place + 1 == len(names):
        return "asked or answered"
    following = names[place + 1]
    if following == tool:
        return "repeated the call"
    return "changed the state" if following in changing else "checked with another call"


def _changed(call: Recorded, change: Perturbation, first: Recorded) -> Recorded:
    if change.how == "error":
        return call._replace(result=None, error="ToolError: temporarily unavailable")
    if change.how == "stale":
        return call._replace(result=first.result, error=first.error)
    return call._replace(result=_less(call.result, change.how))


def _less(result: Any, how: How) -> Any:
    keep = 0 if how == "empty" else 2
    if isinstance(result, dict):
        kept = list(result.items())
        return dict(kept[: len(kept) // keep]) if keep else {}
    if isinstance(result, list):
        return result[: len(result) // keep] if keep else []
    if isinstance(result, str):
        return result[: len(result) // keep] if keep else ""
    return None
