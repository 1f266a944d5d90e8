from __future__ import annotations

import pytest
from judge_fakes import make_rubric
from pydantic import ValidationError

from judgekit.judges.checks import NO_QUOTE, Answer, check
from judgekit.judges.schema import verdict_model
from judgekit.model.rubric import AtLeast, Criterion

SHOWN = ("Dear customer, we \u201crefund\u201d 10\u00a0EUR \u2014 today.", "short")


def an_answer(**changes):
    fields = {
        "evidence": (),
        "passed_criteria": ("polite", "amount"),
        "failed_criteria": (),
        "failure_mode": None,
        "passed": True,
    }
    return Answer(**{**fields, **changes})


FAILED = {"passed_criteria": ("amount",), "failed_criteria": ("polite",), "passed": False}


def test_the_schema_has_the_fields_in_order_and_takes_no_other():
    model = verdict_model(make_rubric())
    schema = model.model_json_schema()
    order = ["evidence", "passed_criteria", "failed_criteria", "failure_mode", "passed"]
    assert list(schema["properties"]) == schema["required"] == order
    assert schema["additionalProperties"] is False
    assert schema["properties"]["failed_criteria"]["items"]["enum"] == ["polite", "amount"]


@pytest.mark.parametrize(
    "change", [{"passed": "true"}, {"passed": None}, {"more": 1}, {"failure_mode": "other"}]
)
def test_a_value_of_another_kind_does_not_fit(change):
    fields = an_answer().model_dump(mode="json")
    with pytest.raises(ValidationError):
        verdict_model(make_rubric()).model_validate({**fields, **change})


def test_null_is_an_answer_only_where_the_rubric_allows_abstaining():
    fields = {**an_answer().model_dump(mode="json"), "passed": None}
    assert verdict_model(make_rubric(abstain=True)).model_validate(fields).passed is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, None),
        ({"passed_criteria": ("polite",)}, "'amount' is neither"),
        ({"failed_criteria": ("polite",)}, "'polite' is listed more than once"),
        ({"passed_criteria": ("polite", "polite", "amount")}, "more than once"),
        ({**FAILED, "failure_mode": "rude"}, None),
        ({**FAILED, "failure_mode": "rude", "passed": True}, "the pass rule gives False"),
        ({"passed": False, "failure_mode": "rude"}, "the pass rule gives True"),
        ({"failure_mode": "rude"}, "passed with failure_mode"),
        (FAILED, "without a failure_mode"),
    ],
)
def test_an_answer_must_agree_with_itself(change, problem):
    found = check(an_answer(**change), make_rubric(), SHOWN).contradiction
    assert (found is None) if problem is None else (found is not None and problem in found)


def test_the_pass_rule_decides():
    one = make_rubric(pass_rule=AtLeast(at_least=1))
    assert check(an_answer(**FAILED), one, SHOWN).contradiction == (
        "passed is False but the pass rule gives True"
    )
    criteria = (
        Criterion(id="polite", description="d"),
        Criterion(id="amount", description="d", critical=True),
    )
    critical = make_rubric(criteria=criteria, pass_rule="critical")
    passing = an_answer(**{**FAILED, "passed": True})
    assert check(passing, critical, SHOWN).contradiction is None


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ('WE "refund" 10 eur - TODAY', True),
        ("we   \n refund", False),
        ('we "refnd" 10 EUR - today', True),
        ("we never refund anything to anybody", False),
        ("", False),
        ("   ", False),
        ("short and then a very long text that nobody showed", False),
    ],
)
def test_a_quote_is_found_whatever_its_case_spaces_and_quotes(quote, found):
    checked = check(an_answer(evidence=(quote,)), make_rubric(), SHOWN)
    assert checked.unsupported == (() if found else (quote,))


def test_the_ratio_of_the_rubric_decides_what_is_near_enough():
    quote = 'we "refnd" 10 EUR - today'
    strict = make_rubric(evidence_min_ratio=1.0)
    assert check(an_answer(evidence=(quote,)), strict, SHOWN).unsupported == (quote,)


def test_a_failed_criterion_needs_a_quote_unless_something_is_missing():
    rude = an_answer(**FAILED, failure_mode="rude")
    vague = an_answer(
        passed_criteria=("polite",), failed_criteria=("amount",), failure_mode="vague", passed=False
    )
    assert check(rude, make_rubric(), SHOWN).unsupported == (NO_QUOTE,)
    assert check(vague, make_rubric(), SHOWN).unsupported == ()


def test_abstaining_skips_the_checks_and_unknown_texts_skip_the_quotes():
    assert check(an_answer(passed=None, evidence=("x",)), make_rubric(), SHOWN).unsupported is None
    assert check(an_answer(evidence=("x",)), make_rubric(), None).unsupported is None
