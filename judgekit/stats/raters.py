"""Agreement of many raters with missing labels: Fleiss kappa, Krippendorff alpha, Gwet AC1/AC2.

All three are functions of sums over items, so a resample is a weighted sum, never a new table.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Literal

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Level = Literal["nominal", "ordinal", "interval"]
Weights = Literal["linear", "quadratic"]
NO_ITEMS = "no items"
UNEQUAL = "the items do not all have the same number of labels, at least two"
ONE_CATEGORY = "only one label was used"
NO_VARIATION = "the labels do not vary"
NO_PAIRS = "no item has two labels"


class RaterAgreement(Record):
    """A coefficient with what it is made of.

    `estimate` holds the value; `observed` and `expected` are agreement (Fleiss, Gwet) or
    disagreement (Krippendorff); `se` is the linearised standard error where there is one;
    `n_labels` counts the labels that entered (for alpha those that can be paired).
    """

    estimate: Statistic
    observed: float | None = None
    expected: float | None = None
    se: float | None = None
    n_labels: int = 0


def label_counts(ratings: Sequence[Sequence[Hashable]], labels: Sequence[Hashable]) -> Floats:
    """Return the (N, K) counts of label k on item i; None is a missing label.

    `ratings` has one row per item and one column per rater. Unused labels keep their column.

    Raises:
        KeyError: a rating is not in `labels`.

    Example:
        >>> label_counts([["a", "b", None], ["b", "b", "b"]], ["a", "b"]).tolist()
        [[1.0, 1.0], [0.0, 3.0]]
    """
    import numpy as np

    position = {label: k for k, label in enumerate(labels)}
    counts = np.zeros((len(ratings), len(labels)))
    for i, row in enumerate(ratings):
        for label in row:
            if label is not None:
                counts[i, position[label]] += 1
    return counts


@statistic(
    "fleiss_kappa",
    kind="many raters",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("label_counts",),
    laws=("item_order", "rater_order", "label_order", "label_renaming", "empty_is_undefined"),
)
def fleiss_kappa(counts: Floats) -> RaterAgreement:
    """Return Fleiss' kappa of m raters.

    Formula: P_i = (sum_k n_ik^2 - m)/(m(m-1)); po = mean P_i; pe = sum_k p_k^2, p_k the share of
    label k; kappa = (po-pe)/(1-pe).
    Shapes: counts (N, K), every row adding to the same m >= 2. Range [-1/(m-1), 1], no unit.
    Undefined: no items; unequal m (use `krippendorff_alpha` or `gwet_ac`); one label in use
    (pe = 1), where statsmodels 0.15 and R give NaN.
    Interval: none here; `bootstrap_raters` resamples items or groups, too short below 30 items.
    Weakness: falls as one label grows common; no missing labels.
    Source: Fleiss 1971, Psychological Bulletin 76:378, doi 10.1037/h0031619.

    Example:
        >>> round(fleiss_kappa(label_counts([[1, 1, 1], [2, 2, 1]], [1, 2])).observed, 3)
        0.667
    """
    import numpy as np

    n, m = len(counts), counts.sum(axis=1)
    if n == 0:
        return RaterAgreement(estimate=Undefined(undefined=NO_ITEMS))
    if m[0] < 2 or (m != m[0]).any():
        return RaterAgreement(estimate=Undefined(undefined=UNEQUAL, n=n))
    sums = fleiss_sums(counts).sum(axis=0)
    po, pe = float(sums[1] / n), float(((sums[2:] / sums[2:].sum()) ** 2).sum())
    found = float(fleiss_of_sums(sums[None])[0])
    estimate: Statistic = Undefined(undefined=ONE_CATEGORY, n=n)
    if not np.isnan(found):
        estimate = Estimate(value=found, n=n, method="Fleiss kappa")
    return RaterAgreement(estimate=estimate, observed=po, expected=pe, n_labels=int(m.sum()))


def fleiss_sums(counts: Floats) -> Floats:
    """Return per item 1, P_i and the K counts: what Fleiss' kappa adds up."""
    import numpy as np

    m = counts.sum(axis=1)
    agreed = ((counts**2).sum(axis=1) - m) / (m * (m - 1))
    return np.column_stack([np.ones(len(counts)), agreed, counts])


def fleiss_of_sums(sums: Floats) -> Floats:
    """Return Fleiss' kappa of each row of (B, 2+K) sums; NaN where one label is in use."""
    shares = sums[:, 2:] / sums[:, 2:].sum(axis=1, keepdims=True)
    return _chance_corrected(sums[:, 1] / sums[:, 0], (shares**2).sum(axis=1))


def _chance_corrected(po: Floats, pe: Floats) -> Floats:
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pe < 1 - 1e-12, (po - pe) / (1 - pe), np.nan)


@statistic(
    "krippendorff_alpha",
    kind="many raters",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("label_counts",),
    laws=("item_order", "rater_order", "label_order", "label_renaming", "empty_is_undefined"),
)
def krippendorff_alpha(
    counts: Floats, *, level: Level = "nominal", values: Sequence[float] | None = None
) -> RaterAgreement:
    """Return Krippendorff's alpha over the items with at least two labels.

    Formula: o_ck = sum_i n_ic (n_ik - 1[c=k])/(m_i - 1), n_c = sum_k o_ck, n = sum_c n_c;
    Do = sum o_ck d_ck/n, De = sum n_c n_k d_ck/(n(n-1)), alpha = 1 - Do/De. d_ck: nominal
    1[c!=k]; interval (v_c - v_k)^2; ordinal (sum_{g=c..k} n_g - (n_c+n_k)/2)^2.
    Shapes: counts (N, K) in label order (order matters for ordinal and interval only); `values`
    are the K numbers behind the labels, 0..K-1 where not given. Range [-1, 1], no unit.
    Undefined: no item with two labels; labels that do not vary (never 1). The package
    krippendorff 0.9 raises in both cases.
    Interval: none here; see `bootstrap_raters`. Weakness: at a high share of one label a single
    disagreement moves alpha a lot.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability, University of
    Pennsylvania, repository.upenn.edu/asc_papers/43 (no DOI known).

    Example:
        >>> found = krippendorff_alpha(label_counts([[1, 2], [2, 1], [1, 2], [2, 1]], [1, 2]))
        >>> found.estimate.value
        -0.75
    """
    import numpy as np

    sums = alpha_sums(counts).sum(axis=0)
    n, items = float(sums.sum()), len(counts)
    if n == 0:
        return RaterAgreement(estimate=Undefined(undefined=NO_PAIRS, n=items))
    observed, expected = (float(x[0]) for x in _alpha_parts(sums[None], level, values))
    if np.isclose(expected, 0.0, atol=1e-12):
        none = Undefined(undefined=NO_VARIATION, n=items)
        return RaterAgreement(estimate=none, n_labels=round(n))
    return RaterAgreement(
        estimate=Estimate(
            value=1 - observed / expected, n=items, method=f"Krippendorff alpha ({level})"
        ),
        observed=observed,
        expected=expected,
        n_labels=round(n),
    )


def alpha_sums(counts: Floats) -> Floats:
    """Return per item the K*K coincidences, zero for items with fewer than two labels."""
    import numpy as np

    m = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(counts.shape[1])
    scale = np.where(m >= 2, 1 / np.maximum(m - 1, 1), 0.0)
    return np.asarray((pairs * scale[:, None, None]).reshape(len(counts), counts.shape[1] ** 2))


def alpha_of_sums(
    sums: Floats, *, level: Level = "nominal", values: Sequence[float] | None = None
) -> Floats:
    """Return alpha of each row of (B, K*K) coincidences; NaN where the labels do not vary."""
    import numpy as np

    observed, expected = _alpha_parts(sums, level, values)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 1e-12, 1 - observed / expected, np.nan)


def _alpha_parts(
    sums: Floats, level: Level, values: Sequence[float] | None
) -> tuple[Floats, Floats]:
    """Return Do and De of each row of (B, K*K) coincidences."""
    import numpy as np

    k = round(sums.shape[1] ** 0.5)
    o = sums.reshape(-1, k, k)
    totals = o.sum(axis=2)
    n = totals.sum(axis=1)
    d = _distances(totals, level, values)
    products = totals[:, :, None] * totals[:, None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = (o * d).sum(axis=(1, 2)) / n
        expected = (products * d).sum(axis=(1, 2)) / (n * (n - 1))
    return observed, expected


def _distances(totals: Floats, level: Level, values: Sequence[float] | None) -> Floats:
    """Return the (B, K, K) or (1, K, K) squared distances of the labels."""
    import numpy as np

    k = totals.shape[1]
    if level == "nominal":
        return 1 - np.eye(k)[None]
    if level == "interval":
        v = np.arange(k) if values is None else np.asarray(values, dtype=float)
        return np.asarray((v[:, None] - v[None, :]) ** 2, dtype=float)[None]
    middle = np.cumsum(totals, axis=1) - totals / 2
    return np.asarray((middle[:, :, None] - middle[:, None, :]) ** 2)


@statistic(
    "gwet_ac",
    kind="many raters",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("label_counts",),
    laws=("item_order", "rater_order", "label_order", "label_renaming", "empty_is_undefined"),
)
def gwet_ac(
    counts: Floats, *, weights: Weights | None = None, tail: float = 0.025
) -> RaterAgreement:
    """Return Gwet's AC1 (identity weights) or AC2 of many raters, missing labels allowed.

    Formula: pa = mean over items with m_i >= 2 of sum_k n_ik (sum_l w_kl n_il - 1)/(m_i(m_i-1));
    pi_k = mean over items with a label of n_ik/m_i; pe = Tw/(K(K-1)) sum_k pi_k (1-pi_k), Tw the
    sum of the weights; AC = (pa-pe)/(1-pe). w: identity, 1-|k-l|/(K-1), 1-(k-l)^2/(K-1)^2.
    Shapes: counts (N, K), K >= 2 declared labels in order; unused labels count. No unit.
    Undefined: no item with two labels. The standard error is None below two items.
    Interval: linearised error, t with N-1 df, `tail` in each tail, cut at 1 above and, as in
    irrCAC, not below (few items can give a bound under -1). Weakness: the error is 0 (status
    zero_se) under perfect agreement, and below 30 items it is too short. Looks
    good under imbalance, so it opens no gate alone. irrCAC 0.4 needs `categories` always.
    Source: Gwet 2008, BJMSP 61:29, doi 10.1348/000711006X126600.

    Example:
        >>> round(gwet_ac(label_counts([[1, 1], [1, 1], [1, 2]], [1, 2])).estimate.value, 3)
        0.538
    """
    import numpy as np

    rated = counts[counts.sum(axis=1) > 0]
    n = len(rated)
    if not (rated.sum(axis=1) >= 2).any():
        return RaterAgreement(estimate=Undefined(undefined=NO_PAIRS, n=n))
    sums = gwet_sums(rated, weights=weights).sum(axis=0)
    value = float(gwet_of_sums(sums[None], weights=weights)[0])
    pi = sums[3:] / sums[0]
    pe = float(_weights(len(pi), weights).sum() * (pi * (1 - pi)).sum() / (len(pi) ** 2 - len(pi)))
    se = _gwet_error(rated, weights, value, pe)
    return RaterAgreement(
        estimate=_with_t_interval(value, se, n, tail, f"Gwet {'AC2' if weights else 'AC1'}"),
        observed=float(sums[2] / sums[1]),
        expected=pe,
        se=se,
        n_labels=int(np.sum(rated)),
    )


def gwet_sums(counts: Floats, *, weights: Weights | None = None) -> Floats:
    """Return per item 1 if rated, 1 if paired, its agreement and its K label shares."""
    import numpy as np

    m = counts.sum(axis=1)
    weighted = counts @ _weights(counts.shape[1], weights)
    agreed = (counts * (weighted - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1)
    paired = m >= 2
    shares = counts / np.maximum(m, 1)[:, None]
    return np.column_stack([m > 0, paired, np.where(paired, agreed, 0.0), shares])


def gwet_of_sums(sums: Floats, *, weights: Weights | None = None) -> Floats:
    """Return AC of each row of (B, 3+K) sums; NaN where no item has two labels."""
    import numpy as np

    k = sums.shape[1] - 3
    with np.errstate(divide="ignore", invalid="ignore"):
        pa, pi = sums[:, 2] / sums[:, 1], sums[:, 3:] / sums[:, :1]
    pe = _weights(k, weights).sum() * (pi * (1 - pi)).sum(axis=1) / (k * (k - 1))
    return np.asarray((pa - pe) / (1 - pe))


def _weights(k: int, weights: Weights | None) -> Floats:
    import numpy as np

    if weights is None:
        return np.eye(k)
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return np.asarray(1 - (distance if weights == "linear" else distance**2))


def _gwet_error(counts: Floats, weights: Weights | None, value: float, pe: float) -> float | None:
    """Return the linearised standard error, None below two items."""
    import numpy as np

    n, k = counts.shape
    if n < 2:
        return None
    sums = gwet_sums(counts, weights=weights)
    paired, agreed, shares = sums[:, 1], sums[:, 2], sums[:, 3:]
    pi = shares.mean(axis=0)
    total = _weights(k, weights).sum() / (k * (k - 1))
    own = n / paired.sum() * (agreed - pe * paired) / (1 - pe)
    by_chance = total * (shares @ (1 - pi))
    influence = own - 2 * (1 - value) * (by_chance - pe) / (1 - pe)
    error = float(np.sqrt(((influence - value) ** 2).sum() / (n * (n - 1))))
    return error if error > 1e-12 else 0.0


def _with_t_interval(value: float, se: float | None, n: int, tail: float, name: str) -> Estimate:
    """Return the estimate with its t interval, cut at 1 above."""
    from scipy.stats import t

    if se is None:
        return Estimate(value=value, n=n, method=name, status="no_interval")
    half = float(t.ppf(1 - tail, n - 1)) * se
    return Estimate(
        value=value,
        low=value - half,
        high=min(1.0, value + half),
        n=n,
        method=f"{name}, linearised error, t",
        status="zero_se" if se == 0 else None,
    )
