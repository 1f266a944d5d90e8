"""Tricky tool results: empty, partial, stale or an error, played from a changed cassette."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import Any, Literal, get_args

from judgekit.errors import InputError, UsageError
from judgekit.model.base import Record
from judgekit.model.canonical import canonical_json
from judgekit.model.trial import Trial
from judgekit.trials.cassette_file import Recorded, RecordedError

How = Literal["empty", "partial", "stale", "error"]
HOWS: tuple[How, ...] = get_args(How)
NextStep = Literal[
    "repeated the call", "checked with another call", "changed the state", "asked or answered",
    "ended without an answer", "never met it",
]  # fmt: skip
NEXT_STEPS: tuple[NextStep, ...] = get_args(NextStep)
Place = tuple[str, int]
"""Canonical arguments of a call, and which of the calls with these arguments it is (from 0)."""


class Perturbation(Record):
    """One change: the results of `tool`, and how they are changed.

    `empty`: nothing of the same kind; `partial`: the first half of it; `stale`: what the tool had
    answered first to the same arguments, or to its first call where these are new; `error`: the
    call fails.
    """

    tool: str
    how: How

    @classmethod
    def parse(cls, text: str) -> Perturbation:
        """Return the perturbation of `tool=how`.

        Raises:
            UsageError: it is written otherwise.

        Example:
            >>> Perturbation.parse("lookup_order=empty")
            Perturbation(tool='lookup_order', how='empty')
        """
        tool, _, how = text.rpartition("=")
        for known in HOWS:
            if tool and how == known:
                return cls(tool=tool, how=known)
        raise UsageError(
            "a perturbation cannot be read", found=text, expected=f"TOOL={'|'.join(HOWS)}"
        )

    @property
    def label(self) -> str:
        """Return the perturbation as a word that can name a file."""
        return f"{self.tool}-{self.how}"


def perturb(calls: Sequence[Recorded], change: Perturbation) -> tuple[Recorded, ...]:
    """Return the calls of one tool whose results the change alters, altered.

    Only these are to be played: every other call happens, so that what the agent does next meets
    tools that answer truly. Empty where the change alters nothing.

    Raises:
        InputError: the tool was never called.
    """
    of_tool = [call for call in calls if (call.kind, call.name) == ("tool", change.tool)]
    if not of_tool:
        names = ", ".join(sorted({call.name for call in calls}))
        raise InputError(
            f"the cassette holds no call of {change.tool!r}", expected=names or "no call at all"
        )
    changed = ((call, _changed(call, change, _earliest(call, of_tool))) for call in of_tool)
    return tuple(new for old, new in changed if new != old)


def _earliest(call: Recorded, of_tool: Sequence[Recorded]) -> Recorded:
    """Return the first call with the same arguments, or the tool's first where it is this one."""
    same = next(one for one in of_tool if one.arguments == call.arguments)
    return of_tool[0] if same is call else same


def changed_places(calls: Sequence[Recorded]) -> frozenset[Place]:
    """Return where the calls of a perturbed cassette are met."""
    return frozenset((canonical_json(call.arguments), call.occurrence) for call in calls)


def after_perturbed(trial: Trial, tool: str, places: Set[Place], changing: Set[str]) -> NextStep:
    """Return what the agent did right after the first perturbed result that it met.

    `places` are those of `changed_places`, `changing` the tools that change the state.
    """
    calls = trial.calls
    met = _first_met(trial, tool, places)
    if met is None:
        return "never met it"
    if met + 1 == len(calls):
        finished = trial.ending in (None, "finished")
        return "asked or answered" if finished else "ended without an answer"
    following = calls[met + 1].name
    if following == tool:
        return "repeated the call"
    return "changed the state" if following in changing else "checked with another call"


def _first_met(trial: Trial, tool: str, places: Set[Place]) -> int | None:
    seen: Counter[str] = Counter()
    for number, call in enumerate(trial.calls):
        if call.name != tool:
            continue
        arguments = canonical_json(call.arguments)
        if (arguments, seen[arguments]) in places:
            return number
        seen[arguments] += 1
    return None


def _changed(call: Recorded, change: Perturbation, first: Recorded) -> Recorded:
    if change.how == "error":
        return call._replace(result=None, error=RecordedError("ToolError: temporarily unavailable"))
    if change.how == "stale":
        return call._replace(result=first.result, error=first.error)
    if call.error is not None:
        return call
    return call._replace(result=_less(call.result, empty=change.how == "empty"))


def _less(result: Any, *, empty: bool) -> Any:
    if isinstance(result, dict):
        return dict(list(result.items())[: 0 if empty else len(result) // 2])
    if isinstance(result, list | str):
        return result[: 0 if empty else len(result) // 2]
    return None
