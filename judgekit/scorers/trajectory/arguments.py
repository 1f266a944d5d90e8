"""Arguments of calls: which expected (call, key, value) was right, wrong or left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.comparators.base import MISSING, Comparator, shown
from judgekit.model.comparators.catalog import comparator
from judgekit.scorers.trajectory.assignment import assign_calls
from judgekit.scorers.trajectory.calls import Call

ArgumentStatus = Literal["right", "wrong", "missing", "undecided", "not_called"]
_ABSENT: Any = object()


class ArgumentRules(Record):
    """How the arguments of each tool are compared.

    `tools[tool][key]` is a comparator (a kind, or kind and options); other keys are compared by
    `default`. `identifier[tool]` names the keys that say which thing a call is about: calls are
    paired by them first. `extra` says whether an argument that was not expected is a fault.
    """

    tools: dict[str, dict[str, Any]] = Field(default_factory=dict)
    default: Any = "exact"
    identifier: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    extra: Literal["allowed", "fault"] = "allowed"

    @cached_property
    def fallback(self) -> Comparator:
        """Return the comparator of arguments without one of their own."""
        return comparator(self.default)

    @cached_property
    def comparators(self) -> dict[tuple[str, str], Comparator]:
        """Return the comparators by (tool, key)."""
        return {
            (tool, key): comparator(options)
            for tool, keys in self.tools.items()
            for key, options in keys.items()
        }

    def of(self, tool: str, key: str) -> Comparator:
        """Return the comparator of one argument."""
        return self.comparators.get((tool, key), self.fallback)


class ArgumentFinding(Record):
    """One expected argument and what was found. `call` is the place of the expected call, `made`
    that of the paired call (None = not called)."""

    call: int
    made: int | None
    tool: str
    key: str
    status: ArgumentStatus
    reason: str


class ArgumentScore(Record):
    """The arguments of one trial against one expected path.

    `n` counts the expected arguments of calls that were made and could be decided, `right` those
    that match; `missing` and `wrong` add up to the rest. Arguments of calls that were not made are
    `not_called`: an omitted call is counted where calls are counted. `extra` counts arguments
    nobody expected.
    """

    right: int
    wrong: int
    missing: int
    undecided: int
    not_called: int
    extra: int
    findings: tuple[ArgumentFinding, ...]

    @property
    def n(self) -> int:
        """Return how many arguments the share is of."""
        return self.right + self.wrong + self.missing

    @property
    def correctness(self) -> float | None:
        """Return the share of right arguments in [0, 1]; None where there was none to compare."""
        return self.right / self.n if self.n else None


def argument_share(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """Return the share of keys of either call whose values are equal, in [0, 1]; 1 for two empty.

    Example:
        >>> argument_share({"id": 1, "q": "x"}, {"id": 1})
        0.5
    """
    if one == other:
        return 1.0
    get = other.get
    equal = 0
    shared = 0
    for key, value in one.items():
        found = get(key, _ABSENT)
        if found is not _ABSENT:
            shared += 1
            if found == value:
                equal += 1
    return equal / (len(one) + len(other) - shared)


def similarity_of(expected: Sequence[Call], called: Sequence[Call]) -> float:
    """Return the mean argument share of the expected calls under the best pairing, in [0, 1].

    A call that was not made counts 0; without an expected call the answer is 1.
    """
    if not expected:
        return 1.0
    pairs = assign_calls(expected, called, argument_share)
    return sum(argument_share(expected[i][1], called[j][1]) for i, j in pairs) / len(expected)


def score_arguments(
    expected: Sequence[Call], called: Sequence[Call], rules: ArgumentRules | None = None
) -> ArgumentScore:
    """Compare the arguments of the expected calls with those of the calls they are paired with.

    Example:
        >>> from judgekit.scorers.trajectory.calls import read_calls
        >>> expected = read_calls([{"name": "refund", "arguments": {"order": "R-1", "sum": 5}}])
        >>> called = read_calls([{"name": "refund", "arguments": {"order": "R-1", "sum": 6}}])
        >>> score_arguments(expected, called).correctness
        0.5
    """
    by = rules or ArgumentRules()
    pairs = dict(assign_by_rules(expected, called, by))
    found = [
        finding
        for place, call in enumerate(expected)
        for finding in _findings(place, call, pairs.get(place), called, by)
    ]
    count = dict.fromkeys(("right", "wrong", "missing", "undecided", "not_called"), 0)
    for finding in found:
        count[finding.status] += 1
    extra = sum(
        len(called[made].arguments.keys() - expected[place].arguments.keys())
        for place, made in pairs.items()
    )
    return ArgumentScore(**count, extra=extra, findings=tuple(found))


def assign_by_rules(
    expected: Sequence[Call], called: Sequence[Call], rules: ArgumentRules
) -> tuple[tuple[int, int], ...]:
    """Return the pairing of calls: by identifier first, then by equal arguments, then by order."""

    def similar(tool: str) -> Any:
        keys = rules.identifier.get(tool, ())

        def gain(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
            named = keys and all(
                key in one and rules.of(tool, key).decide(one[key], other.get(key, MISSING))
                for key in keys
            )
            return (10.0 if named else 0.0) + _share_by_rules(tool, one, other, rules)

        return gain

    pairs: list[tuple[int, int]] = []
    for tool in dict.fromkeys(call.name for call in expected):
        wanted = [place for place, call in enumerate(expected) if call.name == tool]
        made = [place for place, call in enumerate(called) if call.name == tool]
        inner = assign_calls(
            [expected[i] for i in wanted], [called[j] for j in made], similar(tool)
        )
        pairs.extend((wanted[i], made[j]) for i, j in inner)
    return tuple(sorted(pairs))


def _share_by_rules(
    tool: str, one: Mapping[str, Any], other: Mapping[str, Any], rules: ArgumentRules
) -> float:
    keys = one.keys() | other.keys()
    if not keys:
        return 1.0
    right = sum(
        1 for key in one.keys() & other.keys() if rules.of(tool, key).decide(one[key], other[key])
    )
    return right / len(keys)


def _findings(
    place: int, call: Call, made: int | None, called: Sequence[Call], rules: ArgumentRules
) -> list[ArgumentFinding]:
    found = []
    for key, value in call.arguments.items():
        status, reason = _status(call, key, value, None if made is None else called[made], rules)
        found.append(
            ArgumentFinding(
                call=place, made=made, tool=call.name, key=key, status=status, reason=reason
            )
        )
    return found


def _status(
    call: Call, key: str, value: Any, made: Call | None, rules: ArgumentRules
) -> tuple[ArgumentStatus, str]:
    if made is None:
        return "not_called", f"{call.name} was not called"
    if made.fault is not None:
        return "wrong", made.fault
    if key not in made.arguments:
        return "missing", f"no {key}; expected {shown(value)}"
    answer = rules.of(call.name, key).compare(value, made.arguments[key])
    status: ArgumentStatus = (
        "right"
        if answer.decision == "match"
        else "wrong"
        if answer.decision == "mismatch"
        else "undecided"
    )
    return status, answer.reason
