"""The fields of a trial's final output against the expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from judgekit.model.base import Record
from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING, Comparator, Comparison, absence, shown
from judgekit.model.expected import Expected
from judgekit.model.golden import pointer_keys
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Trial

FieldDecision = Literal["match", "mismatch", "undecided", "unscored"]
_PLAIN = FieldRule()


class FieldOutcome(Record):
    """One field of one trial: what was decided, the credit in [0, 1] (None = none given) and why.

    `undecided` is neither right nor wrong: a value with two readings, or a trial that failed
    through no fault of the agent. `unscored` fields are those that experts disagreed on.
    """

    field: str
    decision: FieldDecision
    credit: float | None
    weight: float
    critical: bool
    expected: str
    found: str
    reason: str


class FieldScores(Record):
    """The fields of one trial."""

    outcomes: tuple[FieldOutcome, ...]

    @property
    def scored(self) -> tuple[FieldOutcome, ...]:
        """Return the outcomes that are right or wrong."""
        return tuple(one for one in self.outcomes if one.decision in ("match", "mismatch"))

    @property
    def accuracy(self) -> float | None:
        """Return the weighted share of credit in [0, 1]; None where no field was decided."""
        weight = sum(one.weight for one in self.scored)
        return (
            sum(one.weight * (one.credit or 0.0) for one in self.scored) / weight
            if weight
            else None
        )

    @property
    def all_correct(self) -> bool | None:
        """Tell whether every field matches; None where one is undecided and none is wrong."""
        return _all_correct(self.outcomes)

    @property
    def critical_correct(self) -> bool | None:
        """Tell whether every critical field matches; None without one, or where undecided."""
        return _all_correct(tuple(one for one in self.outcomes if one.critical))


def score_fields(case: Case, trial: Trial, rules: ScoringRules) -> FieldScores | None:
    """Compare each expected field with what the trial ended with; None where none is expected.

    A field is looked up in `trial.final` by its name, else as a dotted path. The golden's own
    comparator, weight and `critical` win over those of the rules.
    """
    left_out = {entry.part: entry for entry in case.unscored if entry.part.startswith("/fields/")}
    outcomes = [
        _outcome(name, expected, trial, rules.fields.get(name, _PLAIN))
        for name, expected in case.fields.items()
    ]
    outcomes += [
        _unscored(name, f"{left_out[part].status}: {left_out[part].reason}")
        for name, part in _unscored_names(left_out)
        if name not in case.fields
    ]
    return FieldScores(outcomes=tuple(outcomes)) if outcomes else None


def found_value(final: Mapping[str, Any] | None, name: str) -> Any:
    """Return the value of a field, `MISSING` where it is not there.

    Example:
        >>> found_value({"order": {"id": 5}}, "order.id"), found_value({}, "order")
        (5, missing)
    """
    if final is None:
        return MISSING
    if name in final:
        return final[name]
    value: Any = final
    for key in name.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return MISSING
        value = value[key]
    return value


def compare_expected(
    expected: Expected, found: Any, *, rule: FieldRule = _PLAIN
) -> tuple[Comparison, Any]:
    """Compare a found value with an expected one under its own comparator, else the rule's.

    Returns the comparison and the expected value (`MISSING` where nothing may be there).
    """
    wanted = expected.wanted
    if rule.null_is_missing:
        wanted, found = _joined(wanted, None), _joined(found, None)
    if rule.empty_is_missing:
        wanted, found = _joined(wanted, ""), _joined(found, "")
    if wanted is MISSING or wanted is None:
        return absence(wanted, found), wanted
    return comparator_of(expected, rule.compare).compare(wanted, found), wanted


def comparator_of(expected: Expected, fallback: Comparator) -> Comparator:
    """Return the comparator that the golden names, else the fallback."""
    return expected.compare if "compare" in expected.model_fields_set else fallback


def _outcome(name: str, expected: Expected, trial: Trial, rule: FieldRule) -> FieldOutcome:
    given = expected.model_fields_set
    facts = {
        "field": name,
        "weight": expected.weight if "weight" in given else rule.weight,
        "critical": expected.critical if "critical" in given else rule.critical,
    }
    if trial.ending == "infrastructure":
        reason = f"the trial failed through no fault of the agent: {trial.error or 'no reason'}"
        return FieldOutcome(
            **facts, decision="undecided", credit=None, expected="", found="", reason=reason
        )
    found = found_value(trial.final, name)
    answer, wanted = compare_expected(expected, found, rule=rule)
    return FieldOutcome(
        **facts,
        decision=answer.decision,
        credit=answer.credit,
        expected=shown(wanted),
        found=shown(found),
        reason=answer.reason,
    )


def _unscored(name: str, reason: str) -> FieldOutcome:
    return FieldOutcome(
        field=name,
        decision="unscored",
        credit=None,
        weight=1.0,
        critical=False,
        expected="",
        found="",
        reason=reason,
    )


def _unscored_names(left_out: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(pointer_keys(part)[1], part) for part in left_out if len(pointer_keys(part)) == 2]


def _joined(value: Any, with_missing: Any) -> Any:
    return MISSING if value is with_missing or value == with_missing else value


def _all_correct(outcomes: tuple[FieldOutcome, ...]) -> bool | None:
    decisions = [one.decision for one in outcomes if one.decision != "unscored"]
    if "mismatch" in decisions:
        return False
    return None if not decisions or "undecided" in decisions else True
