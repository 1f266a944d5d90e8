"""Random data: arrays against rows, and arrival order that does not depend on file order."""

from __future__ import annotations

import random
from typing import Any

import pytest

from judgekit.calibration.arrays import calibrate_arrays
from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy

from .records import label, verdict
from .test_anytime import arriving

POLICY = Policy(max_false_pass_rate=0.2, max_false_fail_rate=0.3, min_kappa=0.3)
WORDS = {1: "pass", 0: "fail"}


def rounded(found: dict[str, Any]) -> dict[str, Any]:
    return {k: round(x, 9) if isinstance(x, float) else x for k, x in found.items()}


@pytest.mark.parametrize("seed", range(60))
def test_arrays_say_what_rows_say_with_groups_ties_and_unscored(seed: int) -> None:
    dice = random.Random(seed)
    n, most = dice.randint(20, 150), dice.choice([3, 12, 60, 10_000])
    human = [dice.choice([1, 1, 1, 0, 0, 0, -1]) for _ in range(n)]
    judge = [h if h >= 0 and dice.random() < 0.85 else dice.choice([1, 0, -1]) for h in human]
    groups = [f"g{dice.randrange(most)}" for _ in range(n)]
    names = [f"i{k:04}" for k in range(n)]
    labels: list[Label] = []
    for name, h in zip(names, human, strict=True):
        tied = (label(name, "pass", "a"), label(name, "fail", "b"))
        labels += tied if h < 0 else [label(name, WORDS[h], "a")]
    by_rows = calibrate(
        CalibrationRequest(
            judge="j",
            fingerprint="f",
            labels=tuple(labels),
            verdicts=tuple(
                verdict(name, None if j < 0 else bool(j))
                for name, j in zip(names, judge, strict=True)
            ),
            items=tuple(
                Item(id=name, input="q", output=name, group=group)
                for name, group in zip(names, groups, strict=True)
            ),
            policy=POLICY,
        )
    )
    by_arrays = calibrate_arrays(human, judge, groups=groups, policy=POLICY)
    assert by_arrays.confusion == by_rows.confusion
    for field in ("false_pass_rate", "false_fail_rate", "accuracy", "kappa"):
        one, other = (getattr(x, field).model_dump() for x in (by_arrays, by_rows))
        assert rounded(one) == rounded(other), field
    assert by_arrays.decision == by_rows.decision
    assert [c.sentence for c in by_arrays.conditions] == [c.sentence for c in by_rows.conditions]


@pytest.mark.parametrize("seed", range(10))
def test_labels_in_any_file_order_arrive_by_their_time(seed: int) -> None:
    dice = random.Random(seed)
    asked = arriving([int(dice.random() < 0.04) for _ in range(90)])
    labels = list(asked.labels)
    dice.shuffle(labels)
    mixed = asked.model_copy(update={"labels": tuple(labels)})
    assert calibrate(mixed).conditions == calibrate(asked).conditions
    labels[0] = labels[0].model_copy(update={"labelled_at": None})
    lacking = calibrate(asked.model_copy(update={"labels": tuple(labels)}))
    assert "any time" not in lacking.conditions[0].sentence
