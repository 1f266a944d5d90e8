"""The fields of a trial's final output against what its case expects."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InputError
from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING
from judgekit.model.expected import Expected
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import FieldScores
from judgekit.scorers.field_scoring import compare_expected, found_value, score_fields
from judgekit.store.scoring_rules import load_scoring_rules, scoring_rules

PLAIN = ScoringRules.model_validate({"name": "plain"})


def case(fields: dict[str, Any], **more: Any) -> Case:
    return Case.model_validate({"id": "case-1", "fields": fields, **more})


def rules(**fields: Any) -> ScoringRules:
    return ScoringRules.model_validate({"name": "desk", "fields": fields})


def scored(
    fields: dict[str, Any], final: dict[str, Any] | None, given_rules: ScoringRules = PLAIN
) -> FieldScores:
    found = score_fields(case(fields), Trial(final=final), given_rules)
    assert found is not None
    return found


def decisions(scores: FieldScores) -> dict[str, str]:
    return {one.field: one.decision for one in scores.outcomes}


def test_each_field_is_compared_by_the_rule_for_it() -> None:
    chosen = rules(
        amount={"compare": {"kind": "number", "absolute": 0.01}, "critical": True, "weight": 3},
        customer={"compare": "name"},
    )
    scores = scored(
        {"amount": {"value": 165.95}, "customer": {"value": "Doe, Jane"}, "id": {"value": "R-1"}},
        {"amount": "165.95", "customer": "Jane Doe", "id": "R-2"},
        chosen,
    )
    assert decisions(scores) == {"amount": "match", "customer": "match", "id": "mismatch"}
    assert scores.accuracy == pytest.approx(4 / 5)
    assert (scores.all_correct, scores.critical_correct) == (False, True)


def test_the_golden_wins_over_the_rule_for_comparator_weight_and_critical() -> None:
    chosen = rules(amount={"compare": "number", "weight": 9, "critical": True})
    own = {"value": "5", "compare": "exact", "weight": 2, "critical": False}
    (outcome,) = scored({"amount": own}, {"amount": 5}, chosen).outcomes
    assert (outcome.decision, outcome.weight, outcome.critical) == ("mismatch", 2.0, False)
    (outcome,) = scored({"amount": {"value": "5"}}, {"amount": 5}, chosen).outcomes
    assert (outcome.decision, outcome.weight, outcome.critical) == ("match", 9.0, True)


ABSENCES = [{"expect": "missing"}, {"expect": "null"}, {"value": ""}, {"value": []}, {"value": 0}]
FINALS: list[dict[str, Any]] = [{}, {"x": None}, {"x": ""}, {"x": []}, {"x": 0}]


@pytest.mark.parametrize("wanted", range(5))
@pytest.mark.parametrize("found", range(5))
def test_missing_null_and_empty_match_only_themselves(wanted: int, found: int) -> None:
    assert decisions(scored({"x": ABSENCES[wanted]}, FINALS[found])) == {
        "x": "match" if wanted == found else "mismatch"
    }


def test_a_rule_may_join_null_and_empty_with_missing() -> None:
    null = rules(x={"null_is_missing": True})
    assert decisions(scored({"x": {"expect": "missing"}}, {"x": None}, null))["x"] == "match"
    assert decisions(scored({"x": {"expect": "null"}}, {}, null))["x"] == "match"
    assert decisions(scored({"x": {"expect": "missing"}}, {"x": ""}, null))["x"] == "mismatch"
    empty = rules(x={"empty_is_missing": True})
    for value in ("", [], {}):
        assert decisions(scored({"x": {"expect": "missing"}}, {"x": value}, empty))["x"] == "match"
        assert decisions(scored({"x": {"value": value}}, {}, empty))["x"] == "match"
    for value in (0, False, None, " "):
        answer = decisions(scored({"x": {"expect": "missing"}}, {"x": value}, empty))
        assert answer["x"] == "mismatch"


def test_an_undecided_field_is_neither_right_nor_wrong() -> None:
    dates = {"kind": "date", "formats": ["iso", "%d/%m/%Y", "%m/%d/%Y"]}
    expected = {"day": {"value": "2026-02-01", "compare": dates}, "id": {"value": 1}}
    scores = scored(expected, {"day": "01/02/2026", "id": 1})
    assert decisions(scores) == {"day": "undecided", "id": "match"}
    assert (scores.accuracy, scores.all_correct) == (1.0, None)
    assert scored(expected, {"day": "01/02/2026", "id": 2}).all_correct is False
    assert "two readings" in scores.outcomes[0].reason


def test_partial_credit_counts_in_the_weighted_accuracy_only() -> None:
    tags = {"value": ["a", "b"], "compare": {"kind": "list", "partial": "recall"}}
    scores = scored({"tags": tags, "id": {"value": 1}}, {"tags": ["a"], "id": 1})
    assert scores.accuracy == pytest.approx(0.75)
    assert scores.all_correct is False


def test_a_trial_without_a_final_output_has_no_field_right() -> None:
    """Not even one that is expected to be missing: an agent that crashed did not leave it out."""
    expected = {"x": {"expect": "missing"}, "y": {"value": 1}}
    found = score_fields(case(expected), Trial(error="KeyError: 'order'", ending="crashed"), PLAIN)
    assert found is not None
    assert decisions(found) == {"x": "mismatch", "y": "mismatch"}
    assert "KeyError" in found.outcomes[0].reason


def test_a_failure_of_the_infrastructure_is_undecided() -> None:
    trial = Trial(ending="infrastructure", error="503")
    found = score_fields(case({"x": {"value": 1}}), trial, PLAIN)
    assert found is not None
    assert decisions(found) == {"x": "undecided"}
    assert (found.accuracy, found.all_correct) == (None, None)


def test_fields_that_experts_disagreed_on_are_listed_and_not_scored() -> None:
    left_out = {"part": "/fields/tone", "status": "ambiguous", "reason": "experts differ"}
    found = score_fields(
        case({"id": {"value": 1}}, unscored=[left_out]), Trial(final={"id": 1}), PLAIN
    )
    assert found is not None
    assert decisions(found) == {"id": "match", "tone": "unscored"}
    assert found.outcomes[1].reason == "ambiguous: experts differ"
    assert found.all_correct is True
    assert score_fields(case({}), Trial(final={"id": 1}), PLAIN) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("order.id", 5),
        ("lines.0.sku", "A"),
        ("lines.7.sku", MISSING),
        ("lines.-1.sku", MISSING),
        ("lines.x", MISSING),
        ("order.id.more", MISSING),
        ("a.b", "flat"),
        ("note", None),
        ("note.x", MISSING),
    ],
)
def test_a_field_is_looked_up_by_name_then_by_path(name: str, value: Any) -> None:
    final = {
        "order": {"id": 5},
        "lines": [{"sku": "A"}],
        "a.b": "flat",
        "note": None,
        "a": {"b": 1},
    }
    assert found_value(final, name) == value
    assert found_value(None, name) is MISSING


@settings(derandomize=True, database=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_what_a_golden_expects_it_accepts(value: Any) -> None:
    body = {"expect": "null"} if value is None else {"value": value}
    answer, _ = compare_expected(Expected.model_validate(body), value)
    assert (answer.decision, answer.credit) == ("match", 1.0)


def test_a_comparator_that_cannot_read_the_expected_value_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="'number' says"):
        Expected.model_validate({"value": "soon", "compare": "number"})
    forms = {"kind": "date", "formats": ["%d/%m/%Y", "%m/%d/%Y"]}
    with pytest.raises(ValueError, match="two readings"):
        Expected.model_validate({"value": "01/02/2026", "compare": forms})


# Rules


def test_the_hash_of_rules_changes_with_every_option_and_not_with_the_name() -> None:
    one = rules(amount={"compare": {"kind": "number", "absolute": 0.01}})
    same = ScoringRules.model_validate({**one.model_dump(mode="json", by_alias=True), "name": "b"})
    looser = rules(amount={"compare": {"kind": "number", "absolute": 0.02}})
    assert one.content_hash == same.content_hash != looser.content_hash


def test_a_wrong_rule_says_where_and_what(tmp_path: Path) -> None:
    path = tmp_path / "desk.yaml"
    path.write_text("schema: 1\nname: desk\nfields:\n  x: {compare: {kind: number, absolut: 1}}\n")
    with pytest.raises(InputError) as error:
        load_scoring_rules(path)
    assert "desk.yaml:4" in str(error.value.where)
    assert "absolut" in f"{error.value.message} {error.value.found} {error.value.expected}"
    with pytest.raises(InputError, match="no scoring rules called 'dsk'"):
        scoring_rules(tmp_path, "dsk")


def test_the_rules_shown_in_the_docs_are_rules(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "scoring.md"
    (shown,) = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    path = tmp_path / "refund_desk.yaml"
    path.write_text(shown, encoding="utf-8")
    loaded = load_scoring_rules(path)
    assert loaded.fields["amount"].critical
    assert loaded.fields["refunded_on"].null_is_missing
