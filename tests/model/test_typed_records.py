"""Numbers and truth values of trials, cases, agents and rules: given as such, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ValidationError

from judgekit.model.agent import Agent, TrialSet
from judgekit.model.base import TypedRecord
from judgekit.model.case import Case
from judgekit.model.golden import Golden
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.trials.request import TrialAnswer


class Kinds(TypedRecord):
    """A field of each kind that JSON could be mistaken for."""

    whole: int | None = None
    amount: float | None = None
    flag: bool | None = None
    version: Literal[1] = 1
    many: dict[str, tuple[int, ...]] | None = None


@pytest.mark.parametrize(
    "given",
    [
        {"whole": True}, {"whole": "1"}, {"whole": 1.5}, {"amount": True}, {"amount": "1"},
        {"flag": 1}, {"flag": "true"}, {"version": True}, {"version": "1"},
        {"many": {"a": [1, True]}}, {"many": {"a": ["1"]}},
    ],
)  # fmt: skip
def test_what_only_looks_like_a_number_or_a_truth_value_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Kinds.model_validate(given)


def test_a_whole_number_may_be_written_as_a_float_and_a_float_as_a_whole_number() -> None:
    found = Kinds.model_validate({"whole": 2.0, "amount": 3, "flag": False, "many": {"a": [1.0]}})
    assert found == Kinds(whole=2, amount=3.0, flag=False, many={"a": (1,)})
    assert type(found.whole) is int


def test_texts_are_read_where_there_is_nothing_but_texts() -> None:
    cells = {"whole": "2", "amount": "0.5", "flag": "true"}
    found = Kinds.model_validate(cells, strict=False)
    assert found == Kinds(whole=2, amount=0.5, flag=True)


@pytest.mark.parametrize("model", [Trial, TrialAnswer, Golden, Case, Agent, ScoringRules, TrialSet])
def test_every_record_inside_trials_cases_agents_and_rules_is_typed(model: type[BaseModel]) -> None:
    found = list(kinds(model.__pydantic_core_schema__))
    assert len(found) > 0
    assert [kind for kind in found if not kind.get("strict")] == []


def kinds(node: Any) -> Iterator[dict[str, Any]]:
    """Yield the schema of each int, float and bool in a schema."""
    if isinstance(node, dict):
        if node.get("type") in ("int", "float", "bool"):
            yield node
        for key, part in node.items():
            if key not in ("metadata", "default"):
                yield from kinds(part)
    elif isinstance(node, list):
        for part in node:
            yield from kinds(part)
