"""Records refuse what they cannot mean."""

import pytest
from pydantic import ValidationError

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json, content_hash, unit_interval
from judgekit.model.fingerprint import Fingerprint
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.model.rubric import Rubric
from judgekit.model.verdict import Verdict

RUBRIC = {
    "name": "reply",
    "task": "Judge the reply.",
    "criteria": [
        {"id": "amount", "description": "The amount is right.", "critical": True},
        {"id": "tone", "description": "The tone is polite."},
    ],
    "failure_modes": [{"id": "wrong_amount", "description": "The amount is wrong."}],
}
VERDICT = {"item_id": "i1", "grader": "g", "fingerprint": "sha256:0", "item_hash": "sha256:1"}


def test_canonical_json_sorts_keys_and_keeps_unicode():
    assert canonical_json({"b": [1, None], "a": "é\u2028"}) == '{"a":"é\u2028","b":[1,null]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": object()}, "\ud800"])
def test_a_value_without_canonical_json_is_refused(value):
    with pytest.raises(InputError, match="canonical JSON"):
        canonical_json(value)


def test_content_hash_is_sha256_of_the_canonical_bytes():
    # printf '{"a":1}' | sha256sum
    assert content_hash({"a": 1}) == (
        "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    )


def test_unit_interval_is_stable_and_separates_its_parts():
    assert unit_interval("a", "b") == unit_interval("a", "b")
    assert unit_interval("ab", "") != unit_interval("a", "b")
    assert 0 <= unit_interval("x") < 1


def test_an_item_hash_ignores_id_group_split_and_metadata():
    one = Item(id="a", output="x", group="g", split="holdout", metadata={"k": 1})
    two = Item(id="b", output="x")
    assert one.content_hash == two.content_hash
    assert one.content_hash != Item(id="a", output="y").content_hash


def test_the_group_of_an_item_without_one_is_its_id():
    assert (Item(id="a").group_key, Item(id="a", group="g").group_key) == ("a", "g")


@pytest.mark.parametrize(("annotator", "origin"), [("gold", "objective"), ("ann", "human")])
def test_a_label_without_origin_takes_the_default_of_its_annotator(annotator, origin):
    label = Label(item_id="i", annotator=annotator, label="pass")
    assert label.effective_origin == origin


@pytest.mark.parametrize(
    ("rule", "passed", "expected"),
    [
        ("all", {"amount"}, False),
        ("all", {"amount", "tone"}, True),
        ("critical", {"amount"}, True),
        ("critical", {"tone"}, False),
        ({"at_least": 1}, {"tone"}, True),
        ({"at_least": 2}, {"tone"}, False),
    ],
)
def test_the_pass_rule_decides_from_the_passed_criteria(rule, passed, expected):
    rubric = Rubric.model_validate({**RUBRIC, "pass_rule": rule})
    assert rubric.passes(frozenset(passed)) is expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"criteria": RUBRIC["criteria"] + RUBRIC["criteria"][:1]}, "'amount' is listed twice"),
        ({"pass_rule": {"at_least": 3}}, "exceeds 2 criteria"),
        ({"shows": ["answer"]}, "not a field of an item"),
        ({"shows": []}, "at least one field"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_an_impossible_rubric_is_refused(change, message):
    with pytest.raises(ValidationError, match=message):
        Rubric.model_validate({**RUBRIC, **change})


def test_one_changed_word_changes_the_rubric_hash():
    changed = {**RUBRIC, "task": "Judge the answer."}
    assert Rubric.model_validate(RUBRIC).content_hash != Rubric.model_validate(changed).content_hash


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"status": "scored"}, "passed is set exactly"),
        ({"status": "invalid", "passed": True, "reason": "x"}, "passed is set exactly"),
        ({"status": "failed", "reason": "x"}, "kind is set exactly"),
        ({"status": "invalid"}, "needs a reason"),
    ],
)
def test_a_verdict_without_answer_is_neither_pass_nor_fail(fields, message):
    with pytest.raises(ValidationError, match=message):
        Verdict(**VERDICT, **fields)


def test_a_fingerprint_names_the_components_that_changed():
    one = Fingerprint(components={"rubric": "a", "request": "r"})
    two = Fingerprint(components={"rubric": "b", "request": "r", "weights": "w"})
    assert one.changed(two.components) == ("rubric", "weights")
    assert one.value != two.value


@pytest.mark.parametrize("limits", [{"max_false_pass_rate": -0.1}, {"confidence": 1.0}])
def test_a_policy_with_an_impossible_limit_is_refused(limits):
    with pytest.raises(ValidationError):
        Policy(**limits)
