"""Sums and means over trials of which a part may not be known: never counted as 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from judgekit.model.trial import Trial


def sum_known(values: Sequence[float | None]) -> float | None:
    """Return the sum; None where one is not known.

    Example:
        >>> sum_known([1.0, 2.0]), sum_known([1.0, None])
        (3.0, None)
    """
    known = [value for value in values if value is not None]
    return math.fsum(known) if len(known) == len(values) else None


def means_by_case(
    trials: Sequence[Trial], value: Callable[[Trial], float | None]
) -> dict[str, float | None]:
    """Return the mean of a value over the trials of each case; None where one is not known."""
    found: dict[str, list[float | None]] = {}
    for trial in trials:
        found.setdefault(trial.case_id or "", []).append(value(trial))
    sums = {case: sum_known(values) for case, values in found.items()}
    return {
        case: None if total is None else total / len(found[case]) for case, total in sums.items()
    }


def known_cases(means: Mapping[str, float | None]) -> dict[str, float]:
    """Return the cases whose mean is known."""
    return {case: mean for case, mean in means.items() if mean is not None}
