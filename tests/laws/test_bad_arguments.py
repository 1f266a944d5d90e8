"""Every statistic refuses what is no argument with ValueError, and never answers with NaN."""

from __future__ import annotations

import math
from inspect import signature
from typing import Any

import law_changes as change
import numpy as np
import pytest
from hypothesis import HealthCheck, find, settings
from law_inputs import QUESTIONS, Ratings, fresh

from judgekit.stats.raters import label_counts
from judgekit.stats.registry import statistics

ONE = settings(database=None, derandomize=True, suppress_health_check=list(HealthCheck))
BAD: tuple[Any, ...] = (
    math.nan, math.inf, -1, 1.5, 1e300, 10**400, "x", None, [], [[]], [math.nan], [-1],
    [[1, 2], [3]], ["a", "b"], object(), np.ones((2, 3)), np.full((3, 2, 2), math.nan),
    -np.ones((3, 2, 2)),
)  # fmt: skip


def valid(name: str) -> dict[str, Any]:
    asked = find(QUESTIONS[name], lambda _: True, settings=ONE)
    args = [label_counts(x.rows, x.labels) if isinstance(x, Ratings) else x for x in asked.args]
    names = signature(statistics()[name].function).parameters
    found: dict[str, Any] = dict(zip(names, args, strict=False)) | asked.options
    return found


def holds_nan(found: Any) -> bool:
    if isinstance(found, dict):
        return any(map(holds_nan, found.values()))
    if isinstance(found, list | tuple):
        return any(map(holds_nan, found))
    return isinstance(found, float) and math.isnan(found)


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_a_bad_argument_is_refused_in_words_or_answered_without_nan(name: str) -> None:
    function, arguments = statistics()[name].function, valid(name)
    for key in signature(function).parameters:
        for bad in BAD:
            given = {k: fresh(x) for k, x in arguments.items()} | {key: bad}
            try:
                answer = function(**given)
            except ValueError:
                continue
            assert not holds_nan(change.plain(answer)), (key, bad, answer)
