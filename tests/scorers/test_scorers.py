from __future__ import annotations

import pytest

from judgekit.errors import UsageError
from judgekit.model.grader import Grader
from judgekit.model.item import Item
from judgekit.model.trial import Message, ToolCall, Trial
from judgekit.scorers.base import Scorer, scorers

TRIAL = Trial(
    messages=(Message(role="assistant", tool_calls=(ToolCall(name="lookup"),)),),
    tool_calls=(ToolCall(name="refund", arguments={"eur": 10}),),
    final={"amount": 10, "paid": True},
)
ITEM = Item(
    id="a", output={"reply": "We refund 10 EUR.", "eur": 10}, reference={"eur": 10.0}, trial=TRIAL
)


def test_every_scorer_is_registered_by_its_name():
    assert list(scorers()) == [
        "exact_field", "forbidden_text", "forbidden_tool", "golden", "pattern", "required_tool",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="did you mean 'pattern'"):
        Scorer("s", "patern")


@pytest.mark.parametrize(
    ("function", "settings", "passed", "evidence"),
    [
        ("pattern", {"regex": r"\d+ EUR", "field": "output.reply"}, True, ("10 EUR",)),
        ("pattern", {"regex": r"USD"}, False, ()),
        ("forbidden_text", {"texts": ["refund"], "field": "output.reply"}, False, ("refund",)),
        ("forbidden_text", {"texts": ["guarantee"]}, True, ()),
        ("exact_field", {"field": "output.eur", "reference": "reference.eur"}, True, ()),
        ("exact_field", {"field": "output.eur", "expected": 11}, False, ("10",)),
        ("exact_field", {"field": "trial.final.paid", "expected": 1}, False, ("True",)),
        ("required_tool", {"tools": ["refund", "lookup"]}, True, ()),
        ("required_tool", {"tools": ["escalate"]}, False, ()),
        ("forbidden_tool", {"tools": "refund"}, False, ("refund",)),
        ("forbidden_tool", {"tools": ["escalate"]}, True, ()),
    ],
)
async def test_a_scorer_says_what_it_found(function, settings, passed, evidence):
    grader = Scorer("s", function, settings)
    assert isinstance(grader, Grader)
    found = await grader.grade(ITEM)
    assert (found.status, found.passed, found.evidence) == ("scored", passed, evidence)
    assert (grader.kind, found.cost_usd) == ("scorer", 0.0)


async def test_a_failure_mode_is_given_only_with_a_failure():
    settings = {"texts": ["refund"], "failure_mode": "promised"}
    assert (await Scorer("s", "forbidden_text", settings).grade(ITEM)).failure_mode == "promised"
    other = Item(id="b", output="nothing")
    assert (await Scorer("s", "forbidden_text", settings).grade(other)).failure_mode is None


async def test_a_missing_field_is_failed_and_never_a_pass():
    found = await Scorer("s", "forbidden_text", {"texts": ["x"]}).grade(Item(id="b", input="q"))
    assert (found.status, found.kind, found.passed) == ("failed", "grader", None)
    assert "no field 'output'" in found.reason


def test_options_are_checked_and_part_of_the_fingerprint():
    with pytest.raises(UsageError, match="'pattern' do not fit"):
        Scorer("s", "pattern", {"regexp": "x"})
    first, second = Scorer("s", "pattern", {"regex": "x"}), Scorer("s", "pattern", {"regex": "y"})
    assert first.fingerprint.changed(second.fingerprint.components) == ("fields",)
