"""What to show beside kappa: AC1, PABAK, specific agreement, prevalence and bias index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic

NO_PAIRS = "no pairs"


def ac1_of_shares(p: Any) -> Any:
    """Return AC1 along the last two axes of an array of shares."""
    import numpy as np

    pi = (p.sum(axis=-1) + p.sum(axis=-2)) / 2
    pe = (pi * (1 - pi)).sum(axis=-1) / (p.shape[-1] - 1)
    return (np.trace(p, axis1=-2, axis2=-1) - pe) / (1 - pe)


def specific_of_shares(position: int) -> Callable[[Any], Any]:
    """Return the function of shares that gives the agreement specific to one label."""

    def value(p: Any) -> Any:
        used = p[..., position, :].sum(axis=-1) + p[..., :, position].sum(axis=-1)
        return 2 * p[..., position, position] / used

    return value


@statistic(
    "gwet_ac1",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("confusion",),
    laws=("label_order", "label_renaming", "empty_is_undefined"),
)
def gwet_ac1(confusion: Confusion) -> Statistic:
    """Return Gwet's AC1 of two raters.

    Formula: pi_k mean share of label k over both raters; pe = sum_k pi_k (1-pi_k)/(K-1);
    AC1 = (po-pe)/(1-pe).
    Shapes: K x K counts with declared labels (an unused label lowers pe). Range [-1, 1], no unit.
    Undefined: no pairs. Interval: none here; `dirichlet_interval` with `ac1_of_shares`, or
    `gwet_ac` for the linearised error. Weakness: near accuracy under imbalance, so a judge that
    catches no fail looks good; it never opens the gate alone.
    Source: Gwet 2008, BJMSP 61:29, doi 10.1348/000711006X126600.

    Example:
        >>> table = Confusion(labels=("pass", "fail"), rows=((118, 5), (2, 0)))
        >>> round(gwet_ac1(table).value, 2)
        0.94
    """
    n, k = confusion.n, len(confusion.labels)
    if n == 0:
        return Undefined(undefined=NO_PAIRS)
    totals = zip(confusion.human_totals, confusion.judge_totals, strict=True)
    shares = [(h + j) / (2 * n) for h, j in totals]
    pe = sum(share * (1 - share) for share in shares) / (k - 1)
    value = (confusion.agreed / n - pe) / (1 - pe)
    return Estimate(value=value, n=n, method="Gwet AC1")


@statistic(
    "pabak",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("confusion",),
    laws=("label_order", "label_renaming", "empty_is_undefined"),
)
def pabak(confusion: Confusion) -> Statistic:
    """Return kappa adjusted for prevalence and bias.

    Formula: (K po - 1)/(K - 1), which is 2 po - 1 for two labels.
    Shapes: K x K counts. Range [-1/(K-1), 1], no unit. Undefined: no pairs. Interval: that of po.
    Weakness: a rescaled accuracy, so it never opens the gate alone.
    Source: Byrt, Bishop & Carlin 1993, doi 10.1016/0895-4356(93)90018-V.

    Example:
        >>> pabak(Confusion(labels=("pass", "fail"), rows=((40, 5), (5, 50)))).value
        0.8
    """
    n, k = confusion.n, len(confusion.labels)
    if n == 0:
        return Undefined(undefined=NO_PAIRS)
    value = (k * confusion.agreed / n - 1) / (k - 1)
    return Estimate(value=value, n=n, method="PABAK")


@statistic(
    "specific_agreement",
    kind="agreement",
    symmetric=True,
    range=(0.0, 1.0),
    needs=("confusion", "label"),
    laws=("label_order", "label_renaming", "empty_is_undefined"),
)
def specific_agreement(confusion: Confusion, label: str) -> Statistic:
    """Return the agreement specific to one label: PA+ for pass, PA- for fail.

    Formula: 2 n_ll/(human l + judge l).
    Shapes: K x K counts and one of its labels. Range [0, 1]. Undefined: neither rater used the
    label (never 0 or 1). Interval: none here; `dirichlet_interval` with `specific_of_shares`.
    Weakness: says nothing of chance, and of the two kinds of error only their sum.
    Source: Cicchetti & Feinstein 1990, doi 10.1016/0895-4356(90)90159-M.

    Example:
        >>> table = Confusion(labels=("pass", "fail"), rows=((118, 5), (2, 0)))
        >>> specific_agreement(table, "fail").value
        0.0
    """
    if label not in confusion.labels:
        return Undefined(undefined=f"{label!r} is not one of the labels", n=confusion.n)
    i = confusion.labels.index(label)
    used = confusion.human_totals[i] + confusion.judge_totals[i]
    if used == 0:
        return Undefined(undefined=f"neither the humans nor the judge said {label}", n=confusion.n)
    return Estimate(
        value=2 * confusion.rows[i][i] / used, n=confusion.n, method="specific agreement"
    )


@statistic(
    "prevalence_index",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("two_by_two",),
    laws=("empty_is_undefined",),
)
def prevalence_index(confusion: Confusion) -> Statistic:
    """Return (a - d)/n of a 2 x 2 table: how far the agreed cells are from balance.

    Formula: a both said the first label, d both the second. Shapes: 2 x 2 counts. Range [-1, 1].
    Undefined: no pairs, more than two labels. No interval. Weakness: descriptive only.
    Source: Byrt, Bishop & Carlin 1993, doi 10.1016/0895-4356(93)90018-V.

    Example:
        >>> prevalence_index(Confusion(labels=("pass", "fail"), rows=((40, 9), (6, 45)))).value
        -0.05
    """
    return _index(confusion, lambda a, _b, _c, d: a - d, "prevalence index")


@statistic(
    "bias_index",
    kind="agreement",
    symmetric=False,
    range=(-1.0, 1.0),
    needs=("two_by_two",),
    laws=("swap_negates", "empty_is_undefined"),
)
def bias_index(confusion: Confusion) -> Statistic:
    """Return (b - c)/n of a 2 x 2 table: how much more often the human said the first label.

    Formula: b human first and judge second, c the other way round. Shapes: 2 x 2 counts. Range
    [-1, 1]; above 0 the judge is stricter. Undefined: no pairs, more than two labels. No interval
    (use `mcnemar` for a test). Weakness: descriptive only.
    Source: Byrt, Bishop & Carlin 1993, doi 10.1016/0895-4356(93)90018-V.

    Example:
        >>> bias_index(Confusion(labels=("pass", "fail"), rows=((40, 9), (6, 45)))).value
        0.03
    """
    return _index(confusion, lambda _a, b, c, _d: b - c, "bias index")


def _index(
    confusion: Confusion, difference: Callable[[int, int, int, int], int], method: str
) -> Statistic:
    if len(confusion.labels) != 2:
        return Undefined(undefined=f"the {method} is for two labels", n=confusion.n)
    if confusion.n == 0:
        return Undefined(undefined=NO_PAIRS)
    (a, b), (c, d) = confusion.rows
    return Estimate(value=difference(a, b, c, d) / confusion.n, n=confusion.n, method=method)
