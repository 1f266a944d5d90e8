from __future__ import annotations

import pytest

from judgekit.errors import InputError
from judgekit.goldens.candidates import (
    AlreadyPromoted,
    Candidate,
    TunedOn,
    candidate_body,
    check_candidate,
    parse_candidate,
    similar_items,
    tuned_on,
)
from judgekit.model.item import Item
from judgekit.model.rubric import Criterion, Example, FailureMode, Rubric


def candidate(use: str = "calibration") -> Candidate:
    return Candidate(
        item_id="i1",
        item_hash="sha256:0",
        dataset="desk",
        use=use,  # type: ignore[arg-type]
        mode="m1",
        mode_name="wrong city",
        note="went to Porto",
        note_id="n1",
    )


def rubric(example: dict[str, str]) -> Rubric:
    return Rubric(
        name="reply",
        task="judge",
        criteria=(Criterion(id="c", description="d"),),
        failure_modes=(FailureMode(id="f", description="d"),),
        examples=(Example(item=example, verdict={}),),
    )


def test_an_item_promoted_twice_is_refused_with_the_first_candidates_id() -> None:
    """E5."""
    with pytest.raises(AlreadyPromoted) as refusal:
        check_candidate(candidate(), earlier={"i1": "p7"}, tuned=None)
    assert refusal.value.first == "p7"
    assert "p7" in str(refusal.value)


@pytest.mark.parametrize(("split", "word"), [("train", "examples"), ("development", "prompt")])
def test_an_item_of_a_tuning_split_is_refused_for_calibration_with_the_reason(
    split: str, word: str
) -> None:
    """E6."""
    reason = tuned_on(Item(id="i1", input="q"), split)
    assert reason is not None
    assert word in reason
    with pytest.raises(TunedOn, match=word) as refusal:
        check_candidate(candidate(), earlier={}, tuned=reason)
    assert refusal.value.reason == reason


def test_a_rubrics_worked_example_is_refused_for_calibration() -> None:
    """E6."""
    item = Item(id="i1", input="q", output="a", split="holdout")
    reason = tuned_on(item, "holdout", [rubric({"input": "q", "output": "a"})])
    assert reason is not None
    assert "'reply'" in reason
    assert tuned_on(item, "holdout", [rubric({"input": "q", "output": "b"})]) is None
    assert tuned_on(item, None, [rubric({"context": "c"})]) is None


def test_a_tuned_item_may_still_become_a_regression_candidate() -> None:
    checked = check_candidate(candidate("regression"), earlier={"i2": "p1"}, tuned="it was tuned")
    assert checked.use == "regression"


def test_a_candidate_comes_back_from_its_proposal_unchanged() -> None:
    assert parse_candidate(candidate_body(candidate())) == candidate()


def test_a_proposal_body_that_is_no_candidate_is_refused_with_the_field() -> None:
    with pytest.raises(InputError) as refusal:
        parse_candidate({**candidate_body(candidate()), "use": "gold"})
    assert refusal.value.where == "use"


def test_similar_items_are_found_in_all_that_a_reader_sees_and_never_the_item_itself() -> None:
    item = Item(id="a", input={"q": "Where is order 17?"}, output="It is in Lisbon now")
    near = Item(id="b", input={"q": "Where is order 18?"}, output="It is in Lisbon now")
    far = Item(id="c", input="Something else", output="entirely")
    assert [s.id for s in similar_items(item, [item, near, far])] == ["b"]
