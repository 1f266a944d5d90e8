"""The fields of a trial's final output against the expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING, Comparator, Comparison, absence, shown
from judgekit.model.expected import Expected
from judgekit.model.golden import pointer_keys
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import FieldOutcome, FieldScores

_PLAIN = FieldRule()


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
