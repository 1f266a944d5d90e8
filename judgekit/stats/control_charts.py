"""Control charts of an error rate watched item by item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.model.base import Record
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np

REPLICATES = 2_000


class Cusum(Record):
    """The path of a CUSUM and the 1-based position of its first signal, None without one."""

    path: tuple[float, ...]
    first_signal: int | None


@statistic("bernoulli_cusum", kind="drift", needs=("errors", "rate", "rate", "threshold"))
def bernoulli_cusum(
    errors: Sequence[int], in_control: float, out_of_control: float, threshold: float
) -> Cusum:
    """Return the CUSUM of an error stream that looks for a shift between two rates.

    Formula: S_t = max(0, S_(t-1) + ln(p1/p0)) on an error, + ln((1-p1)/(1-p0)) otherwise, from 0;
    a signal where S_t >= threshold. The path goes on after it.
    Shapes: errors (n,) of 0/1 in the order they came; rates in (0, 1), different. Never undefined:
    an empty stream gives an empty path. No interval. The threshold sets how often an unchanged
    stream signals: `cusum_threshold`. Weakness: the in-control rate is taken as known; independent
    items only.
    Source: Page 1954, Biometrika 41:100, doi 10.1093/biomet/41.1-2.100; Reynolds & Stoumbos 1999,
    Journal of Quality Technology 31:87.

    Example:
        >>> bernoulli_cusum([1, 1, 1, 0], 0.05, 0.2, 3.0).first_signal
        3
    """
    up, down = _steps(in_control, out_of_control)
    level, path = 0.0, []
    for error in errors:
        level = max(0.0, level + (up if error else down))
        path.append(level)
    first = next((i for i, level in enumerate(path, start=1) if level >= threshold), None)
    return Cusum(path=tuple(path), first_signal=first)


def _steps(in_control: float, out_of_control: float) -> tuple[float, float]:
    if not (0 < in_control < 1 and 0 < out_of_control < 1) or in_control == out_of_control:
        raise ValueError("both rates must lie in (0, 1) and differ")
    up = math.log(out_of_control / in_control)
    return up, math.log1p(-out_of_control) - math.log1p(-in_control)


@statistic("cusum_threshold", kind="drift", needs=("rate", "rate"))
def cusum_threshold(
    in_control: float,
    out_of_control: float,
    *,
    horizon: int,
    false_alarm: float,
    rng: np.random.Generator,
    replicates: int = REPLICATES,
) -> float:
    """Return the CUSUM threshold at which an unchanged stream signals with a chosen probability.

    Formula: the 1 - false_alarm quantile, over simulated in-control streams of `horizon` items, of
    the largest S_t, plus 1e-9 so that the quantile itself does not signal. `false_alarm` .5 makes
    `horizon` the median in-control run length.
    Shapes: two rates in (0, 1), a number of items, a probability. Undefined for equal rates, which
    are refused. No interval.
    Weakness: simulated, with an error of about sqrt(a(1-a)/replicates) in the probability a; S
    takes few values, so the probability can be lower than asked.
    Source: Reynolds & Stoumbos 1999, Journal of Quality Technology 31:87.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> 2 < cusum_threshold(0.05, 0.2, horizon=500, false_alarm=0.1, rng=rng) < 8
        True
    """
    import numpy as np

    up, down = _steps(in_control, out_of_control)
    level, largest = np.zeros(replicates), np.zeros(replicates)
    for _ in range(horizon):
        level = np.maximum(0.0, level + np.where(rng.random(replicates) < in_control, up, down))
        largest = np.maximum(largest, level)
    return float(np.quantile(largest, 1 - false_alarm, method="higher")) + 1e-9


@statistic("ewma", kind="drift", needs=("errors", "start"))
def ewma(errors: Sequence[float], start: float, lam: float = 0.2) -> tuple[float, ...]:
    """Return the exponentially weighted moving average of an error stream, for a picture.

    Formula: E_t = lam x_t + (1 - lam) E_(t-1), E_0 = `start` (the in-control rate).
    Shapes: errors (n,) in the order they came; lam in (0, 1], .1 to .2 as a rule. Range: that of
    the errors and `start`. Never undefined: an empty stream gives an empty tuple. No interval.
    Weakness: a picture only, it has no alarm level.
    Source: Roberts 1959, Technometrics 1:239, doi 10.1080/00401706.1959.10489860.

    Example:
        >>> [round(x, 3) for x in ewma([1, 0], 0.05)]
        [0.24, 0.192]
    """
    if not 0 < lam <= 1:
        raise ValueError(f"lam must lie in (0, 1], got {lam}")
    if not all(map(math.isfinite, (start, *errors))):
        raise ValueError("errors and start must be finite numbers")
    level, path = start, []
    for error in errors:
        level = lam * error + (1 - lam) * level
        path.append(level)
    return tuple(path)
