"""The calls of a trial against the valid paths of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from judgekit.model.comparators.base import MISSING, Comparator
from judgekit.model.comparators.matching import largest_matching, longest_common
from judgekit.model.golden import ExpectedCall, ToolPath
from judgekit.model.scoring import ToolRules
from judgekit.model.trial_score import Mode, ModeMatches, PathMatch, SequenceMatch
from judgekit.scorers.field_scoring import comparator_of
from judgekit.scorers.trajectory.calls import Call


class WantedArgument(NamedTuple):
    """What is expected of one argument: a value (None for null, `MISSING` for absent)."""

    value: Any
    comparator: Comparator


class WantedCall(NamedTuple):
    """One expected call with the comparators of its arguments."""

    name: str
    arguments: Mapping[str, WantedArgument]
    only_these: bool


def wanted_calls(path: ToolPath, rules: ToolRules) -> tuple[WantedCall, ...]:
    """Return the expected calls of a path, without those of ignored tools."""
    return tuple(_wanted(call, rules) for call in path.calls if call.tool not in rules.ignore)


def call_fits(wanted: WantedCall, made: Call, compare: str = "calls") -> bool:
    """Tell whether a made call is the expected one; an undecided argument does not fit.

    Arguments that are not listed may have any value, unless `only_these`.
    """
    if wanted.name != made.name:
        return False
    if compare == "names":
        return True
    if made.fault is not None or (wanted.only_these and made.arguments.keys() - wanted.arguments):
        return False
    return all(
        argument.comparator.decide(argument.value, made.arguments.get(key, MISSING))
        for key, argument in wanted.arguments.items()
    )


def match_path(name: str, path: ToolPath, called: Sequence[Call], rules: ToolRules) -> PathMatch:
    """Compare calls with one valid path under all three modes."""
    made = [call for call in called if call.name not in rules.ignore]
    wanted = wanted_calls(path, rules)
    by_name = _places_by_name(made)
    same_name = [by_name.get(call.name, ()) for call in wanted]
    fitting = [
        [place for place in places if call_fits(call, made[place], rules.compare)]
        for call, places in zip(wanted, same_name, strict=True)
    ]
    calls, names = _matches(fitting, len(made)), _matches(same_name, len(made))
    passed: SequenceMatch = getattr(calls, path.match)
    return PathMatch(
        path=name,
        mode=path.match,
        passed=passed.passed,
        calls=calls,
        names=names,
        writes=_writes(wanted, made, fitting, rules),
        distance=len(made) + len(wanted) - 2 * names.in_order.matched,
    )


def _places_by_name(made: Sequence[Call]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, call in enumerate(made):
        places.setdefault(call.name, []).append(place)
    return places


def _writes(
    wanted: Sequence[WantedCall],
    made: Sequence[Call],
    fitting: Sequence[Sequence[int]],
    rules: ToolRules,
) -> ModeMatches | None:
    """Return the match of state-changing calls alone; None where no tool is said to change it."""
    if not rules.changing:
        return None
    mine = [place for place, call in enumerate(made) if call.name in rules.changing]
    renumbered = {place: number for number, place in enumerate(mine)}
    asked = [
        [renumbered[place] for place in places]
        for call, places in zip(wanted, fitting, strict=True)
        if call.name in rules.changing
    ]
    return _matches(asked, len(mine))


def _matches(places: Sequence[Sequence[int]], n_called: int) -> ModeMatches:
    """Return the three matches; `places[i]` lists the calls that expected call i may be."""
    n_expected = len(places)
    ordered, whole = longest_common(places), n_expected == n_called
    unordered = ordered if ordered == n_expected else largest_matching(places, n_called)
    leading = _leading(places)
    return ModeMatches(
        exact=_match("exact", leading, n_expected, n_called, whole and leading == n_expected),
        in_order=_match("in_order", ordered, n_expected, n_called, ordered == n_expected),
        any_order=_match("any_order", unordered, n_expected, n_called, unordered == n_expected),
    )


def best_path(
    paths: Mapping[str, ToolPath], called: Sequence[Call], rules: ToolRules
) -> PathMatch | None:
    """Return how the best valid path matches; None where no path is given.

    Best is one that passes, then the highest recall, then precision, then the first given.
    """
    found = [match_path(name, path, called, rules) for name, path in paths.items()]
    return max(found, key=_rank, default=None)


def _wanted(call: ExpectedCall, rules: ToolRules) -> WantedCall:
    own = rules.arguments.get(call.tool, {})
    arguments = {
        key: WantedArgument(expected.wanted, comparator_of(expected, own.get(key, rules.default)))
        for key, expected in call.arguments.items()
    }
    return WantedCall(call.tool, arguments, call.only_these)


@lru_cache(maxsize=4_096)
def _match(mode: Mode, matched: int, n_expected: int, n_called: int, passed: bool) -> SequenceMatch:
    return SequenceMatch(
        mode=mode, n_expected=n_expected, n_called=n_called, matched=matched, passed=passed
    )


def _leading(places: Sequence[Sequence[int]]) -> int:
    return next((row for row, hits in enumerate(places) if row not in hits), len(places))


def _rank(match: PathMatch) -> tuple[bool, float, float]:
    under = match.under
    recall = 1.0 if under.recall is None else under.recall
    return match.passed, recall, 1.0 if under.precision is None else under.precision
