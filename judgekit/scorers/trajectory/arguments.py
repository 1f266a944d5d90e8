"""Arguments of calls: which expected (call, key, value) was right, wrong or left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.model.comparators.base import MISSING, Decision, shown
from judgekit.model.comparators.exact import json_equal
from judgekit.model.trial_score import ArgumentFinding, ArgumentScore, ArgumentStatus
from judgekit.scorers.trajectory.assignment import Pairs, assign_calls
from judgekit.scorers.trajectory.calls import Call
from judgekit.scorers.trajectory.paths import WantedArgument, WantedCall

_ABSENT: Any = object()
_SCALARS = frozenset({str, int, float, bool})

_STATUS: dict[Decision, ArgumentStatus] = {
    "match": "right",
    "mismatch": "wrong",
    "undecided": "undecided",
}


def argument_share(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return the share of keys of either call whose values are equal, in [0, 1]; 1 for two empty.

    Example:
        >>> argument_share({"id": 1, "q": "x"}, {"id": 1})
        0.5
    """
    equal = shared = 0
    for key, value in one.items():
        found = other.get(key, _ABSENT)
        if found is not _ABSENT:
            shared += 1
            kind = type(value)
            if kind is type(found) and kind in _SCALARS:
                equal += found == value
            else:
                equal += json_equal(value, found)
    keys = len(one) + len(other) - shared
    return equal / keys if keys else 1.0


def similarity_of(expected: Sequence[Call], called: Sequence[Call]) -> float:
    """Return the mean argument share of the expected calls under the best pairing, in [0, 1].

    A call that was not made counts 0; without an expected call the answer is 1.
    """
    if not expected:
        return 1.0
    pairs = assign_calls(expected, called, argument_share)
    return sum(argument_share(expected[i][1], called[j][1]) for i, j in pairs) / len(expected)


def pair_calls(
    wanted: Sequence[WantedCall],
    called: Sequence[Call],
    identifier: Mapping[str, tuple[str, ...]] | None = None,
) -> Pairs:
    """Return (expected, made) places: by identifier first, then by fitting arguments, then order.

    `identifier[tool]` names the arguments that say which thing a call of the tool is about.
    """
    pairs: list[tuple[int, int]] = []
    for tool in dict.fromkeys(call.name for call in wanted):
        own = [place for place, call in enumerate(wanted) if call.name == tool]
        made = [place for place, call in enumerate(called) if call.name == tool]
        # An equal identifier outweighs all other arguments of all pairs together.
        fit = _fit((identifier or {}).get(tool, ()), 1.0 + min(len(own), len(made)))
        inner = assign_calls([wanted[i] for i in own], [called[j] for j in made], fit)
        pairs.extend((own[i], made[j]) for i, j in inner)
    return tuple(sorted(pairs))


def score_arguments(
    wanted: Sequence[WantedCall], called: Sequence[Call], pairs: Pairs
) -> ArgumentScore:
    """Compare the arguments of the expected calls with those of the calls they are paired with."""
    made_for = dict(pairs)
    found = [
        finding
        for place, call in enumerate(wanted)
        for finding in _findings(place, call, made_for.get(place), called)
    ]
    count = dict.fromkeys(("right", "wrong", "missing", "undecided", "not_called"), 0)
    for finding in found:
        count[finding.status] += 1
    extra = sum(
        len(called[made].arguments.keys() - wanted[place].arguments.keys())
        for place, made in made_for.items()
    )
    return ArgumentScore(**count, extra=extra, findings=tuple(found))


def _fit(identifier: tuple[str, ...], same_thing: float) -> Any:
    def fit(wanted: Mapping[str, WantedArgument], made: Mapping[str, Any]) -> float:
        shared = [key for key in wanted if key in made]
        right = {key for key in shared if _right(wanted[key], made[key])}
        named = bool(identifier) and all(key in right for key in identifier)
        keys = len(wanted) + len(made) - len(shared)
        return (same_thing if named else 0.0) + (len(right) / keys if keys else 1.0)

    return fit


def _right(wanted: WantedArgument, found: Any) -> bool:
    return wanted.comparator.decide(wanted.value, found) is True


def _findings(
    place: int, call: WantedCall, made: int | None, called: Sequence[Call]
) -> list[ArgumentFinding]:
    found = []
    for key, argument in call.arguments.items():
        status, reason = _status(call, key, argument, None if made is None else called[made])
        position = None if made is None else called[made].position
        found.append(
            ArgumentFinding(
                call=place, made=position, tool=call.name, key=key, status=status, reason=reason
            )
        )
    return found


def _status(
    call: WantedCall, key: str, argument: WantedArgument, made: Call | None
) -> tuple[ArgumentStatus, str]:
    if made is None:
        return "not_called", f"{call.name} was not called"
    if made.fault is not None:
        return "wrong", made.fault
    found = made.arguments.get(key, MISSING)
    if found is MISSING and argument.value is not MISSING:
        return "missing", f"no {key}; expected {shown(argument.value)}"
    answer = argument.comparator.compare(argument.value, found)
    return _STATUS[answer.decision], answer.reason
