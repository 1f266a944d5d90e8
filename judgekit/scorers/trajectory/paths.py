"""The calls of a trial against the valid paths of a case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgekit.model.comparators.base import MISSING, Comparator
from judgekit.model.comparators.matching import largest_matching
from judgekit.model.comparators.matching import longest_common as longest_in_table
from judgekit.model.golden import ExpectedCall, ToolPath
from judgekit.model.scoring import ToolRules
from judgekit.model.trial_score import ModeMatches, PathMatch, SequenceMatch
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
    calls = _matches(
        [[call_fits(one, other, rules.compare) for other in made] for one in wanted], made
    )
    names = _matches([[one.name == other.name for other in made] for one in wanted], made)
    passed: SequenceMatch = getattr(calls, path.match)
    return PathMatch(
        path=name,
        mode=path.match,
        passed=passed.passed,
        calls=calls,
        names=names,
        writes=_writes(wanted, made, rules),
        distance=len(made) + len(wanted) - 2 * names.in_order.matched,
    )


def _writes(
    wanted: Sequence[WantedCall], made: Sequence[Call], rules: ToolRules
) -> ModeMatches | None:
    changing = {spec.name for spec in rules.specs if spec.changes_state}
    if not changing:
        return None
    mine = [call for call in made if call.name in changing]
    asked = [call for call in wanted if call.name in changing]
    return _matches([[call_fits(one, other) for other in mine] for one in asked], mine)


def _matches(table: Sequence[Sequence[bool]], made: Sequence[Call]) -> ModeMatches:
    return ModeMatches(
        exact=_match("exact", table, len(made)),
        in_order=_match("in_order", table, len(made)),
        any_order=_match("any_order", table, len(made)),
    )


def best_path(
    paths: Mapping[str, ToolPath], called: Sequence[Call], rules: ToolRules
) -> PathMatch | None:
    """Return how the best valid path matches; None where no path is given.

    Best is one that passes, then the highest recall, then precision, then the first given.
    """
    found = [match_path(name, path, called, rules) for name, path in paths.items()]
    return max(found, key=_rank, default=None)


def missing_and_extra(
    path: ToolPath, called: Sequence[Call], rules: ToolRules
) -> tuple[Counter[str], Counter[str]]:
    """Return the tools that were called too rarely and those that were called too often."""
    wanted = Counter(call.tool for call in path.calls if call.tool not in rules.ignore)
    made = Counter(call.name for call in called if call.name not in rules.ignore)
    return wanted - made, made - wanted


def _wanted(call: ExpectedCall, rules: ToolRules) -> WantedCall:
    own = rules.arguments.get(call.tool, {})
    arguments = {
        key: WantedArgument(expected.wanted, comparator_of(expected, own.get(key, rules.default)))
        for key, expected in call.arguments.items()
    }
    return WantedCall(call.tool, arguments, call.only_these)


def _match(mode: Any, table: Sequence[Sequence[bool]], n_called: int) -> SequenceMatch:
    n_expected = len(table)
    if mode == "in_order":
        matched = longest_in_table(table)
    elif mode == "any_order":
        places = [[j for j, hit in enumerate(row) if hit] for row in table]
        matched = largest_matching(places, n_called)
    else:
        matched = _leading(table, n_called)
    whole = matched == n_expected
    return SequenceMatch(
        mode=mode,
        n_expected=n_expected,
        n_called=n_called,
        matched=matched,
        passed=whole and (mode != "exact" or n_called == n_expected),
    )


def _leading(table: Sequence[Sequence[bool]], n_called: int) -> int:
    for place, row in enumerate(table):
        if place >= n_called or not row[place]:
            return place
    return len(table)


def _rank(match: PathMatch) -> tuple[bool, float, float]:
    under = match.under
    recall = 1.0 if under.recall is None else under.recall
    return match.passed, recall, 1.0 if under.precision is None else under.precision
