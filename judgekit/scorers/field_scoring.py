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
    comparator, weight and `critical` win over those of the rules. A trial without a final output
    has no field right, also none that is expected to be missing.
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
        >>> final = {"order": {"id": 5}, "lines": [{"sku": "A"}]}
        >>> found_value(final, "order.id"), found_value(final, "lines.0.sku")
        (5, 'A')
        >>> found_value({}, "order")
        missing
    """
    if final is None:
        return MISSING
    if name in final:
        return final[name]
    value: Any = final
    for key in name.split("."):
        value = _inner(value, key)
        if value is MISSING:
            return MISSING
    return value


def _inner(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key, MISSING)
    if isinstance(value, list) and key.isdecimal() and len(key) < 9 and int(key) < len(value):
        return value[int(key)]
    return MISSING


def compare_expected(
    expected: Expected, found: Any, *, rule: FieldRule = _PLAIN
) -> tuple[Comparison, Any]:
    """Compare a found value with an expected one under its own comparator, else the rule's.

    Returns the comparison and the expected value (`MISSING` where nothing may be there).
    """
    wanted = expected.wanted
    if rule.null_is_missing:
        wanted, found = (MISSING if one is None else one for one in (wanted, found))
    if rule.empty_is_missing:
        wanted, found = (MISSING if _empty(one) else one for one in (wanted, found))
    if wanted is MISSING or wanted is None:
        return absence(wanted, found), wanted
    return comparator_of(expected, rule.compare).compare(wanted, found), wanted


def comparator_of(expected: Expected, fallback: Comparator) -> Comparator:
    """Return the comparator that the golden names, else the fallback."""
    return expected.compare if "compare" in expected.model_fields_set else fallback


def field_outcome(name: str, expected: Expected, found: Any, rule: FieldRule) -> FieldOutcome:
    """Return how a found value compares with the expected one of a field."""
    answer, wanted = compare_expected(expected, found, rule=rule)
    return FieldOutcome(
        **_weight_of(expected, rule),
        field=name,
        decision=answer.decision,
        credit=answer.credit,
        expected=shown(wanted),
        found=shown(found),
        reason=answer.reason,
    )


def _weight_of(expected: Expected, rule: FieldRule) -> dict[str, Any]:
    """Return what a field counts: the golden's own word before that of the rules."""
    own = expected.model_fields_set
    return {
        "weight": expected.weight if "weight" in own else rule.weight,
        "critical": expected.critical if "critical" in own else rule.critical,
    }


def _outcome(name: str, expected: Expected, trial: Trial, rule: FieldRule) -> FieldOutcome:
    if trial.ending != "infrastructure" and trial.final is not None:
        return field_outcome(name, expected, found_value(trial.final, name), rule)
    if trial.ending == "infrastructure":
        why = f"the trial failed through no fault of the agent: {trial.error or 'no reason'}"
        facts: dict[str, Any] = {
            "decision": "undecided",
            "credit": None,
            "expected": "",
            "found": "",
        }
    else:
        why = "there is no final output" + (f": {trial.error}" if trial.error else "")
        wanted = shown(expected.wanted)
        facts = {"decision": "mismatch", "credit": 0.0, "expected": wanted, "found": "missing"}
    return FieldOutcome(field=name, reason=why, **_weight_of(expected, rule), **facts)


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


def _empty(value: Any) -> bool:
    return isinstance(value, str | list | dict) and not value
