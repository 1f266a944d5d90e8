"""Agreement of two raters: Cohen's kappa with its intervals, and its companions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from judgekit.model.base import Record
from judgekit.stats.agreement_chance import ac1_of_shares as ac1_of_shares
from judgekit.stats.agreement_chance import gwet_ac1 as gwet_ac1
from judgekit.stats.agreement_chance import pabak as pabak
from judgekit.stats.agreement_chance import specific_agreement as specific_agreement
from judgekit.stats.agreement_chance import specific_of_shares as specific_of_shares
from judgekit.stats.confusion import Confusion
from judgekit.stats.intervals import FEW_ERROR_GROUPS, GroupedCounts
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Weights = Literal["linear", "quadratic"]
KappaStatus = Literal["ok", "one_rater_constant", "zero_se"]
DRAWS = 20_000
SEED = 20_261_130


class Kappa(Record):
    """Cohen's kappa with the standard errors of Fleiss, Cohen and Everitt.

    `value` is None exactly when `undefined` says why. `se` is the non-null standard error; it is
    None where it degenerates to zero, so that no interval is built on it.
    """

    n: int
    value: float | None = None
    po: float | None = None
    pe: float | None = None
    se: float | None = None
    se0: float | None = None
    status: KappaStatus | None = None
    undefined: str | None = None

    def wald(self, tail: float) -> tuple[float, float] | None:
        """Return kappa -+ z se, not cut at 1; None without an error. Never shown to a user."""
        from scipy.special import ndtri

        if self.value is None or self.se is None:
            return None
        half = float(ndtri(1 - tail)) * self.se
        return self.value - half, self.value + half


@statistic(
    "cohen_kappa",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("confusion",),
    laws=("label_order", "label_renaming", "empty_is_undefined"),
)
def cohen_kappa(confusion: Confusion, *, weights: Weights | None = None) -> Kappa:
    """Return Cohen's kappa, plain or weighted, with both standard errors.

    Formula: p_ij shares, r_i human, c_j judge, w_ij identity, 1-|i-j|/(K-1) (linear) or
    1-(i-j)^2/(K-1)^2 (quadratic); po = sum w_ij p_ij, pe = sum w_ij r_i c_j,
    kappa = (po-pe)/(1-pe). With a_i = sum_j c_j w_ij, b_j = sum_i r_i w_ij:
    var = [sum p_ij (w_ij-(a_i+b_j)(1-kappa))^2 - (kappa-pe(1-kappa))^2]/(n(1-pe)^2) and
    var0 = [sum r_i c_j (w_ij-(a_i+b_j))^2 - pe^2]/(n(1-pe)^2), which only tests kappa = 0.
    Shapes: K x K counts, rows human. The list of labels and its order are part of the input: an
    unused middle label changes weighted kappa. Range [-1, 1], no unit, higher is better.
    Undefined: no pairs; both raters gave one and the same label throughout (pe = 1), where
    scikit-learn and statsmodels give NaN. One constant rater: 0 with status one_rater_constant
    and no error. A zero variance: status zero_se and no error.
    Interval: `kappa_interval` or `kappa_quantiles`; `Kappa.wald` is for comparison with other
    tools only, since it misses up to .64 on the lower side at n = 20. Weakness: falls as one label
    grows common even where both error rates stay, so it never opens the gate alone.
    Source: Cohen 1960, doi 10.1177/001316446002000104; Cohen 1968, doi 10.1037/h0026256; Fleiss,
    Cohen & Everitt 1969, Psychological Bulletin 72:323, doi 10.1037/h0028106.

    Example:
        >>> table = Confusion(labels=("pass", "fail"), rows=((45, 5), (8, 42)))
        >>> round(cohen_kappa(table).value, 2)
        0.74
    """
    import numpy as np

    n = confusion.n
    if n == 0:
        return Kappa(n=0, undefined="no pairs")
    p = np.asarray(confusion.rows, dtype=float) / n
    w = _weight_matrix(len(confusion.labels), weights)
    r, c = p.sum(axis=1), p.sum(axis=0)
    po, pe = float((w * p).sum()), float((w * np.outer(r, c)).sum())
    if math.isclose(pe, 1.0, abs_tol=1e-12):
        return Kappa(n=n, po=po, pe=pe, undefined="both raters gave one and the same answer")
    return _defined_kappa(confusion, p, w, po, pe)


def _defined_kappa(confusion: Confusion, p: Floats, w: Floats, po: float, pe: float) -> Kappa:
    import numpy as np

    n, r, c = confusion.n, p.sum(axis=1), p.sum(axis=0)
    kappa = (po - pe) / (1 - pe)
    margin = (w @ c)[:, None] + (w.T @ r)[None, :]
    var = (p * (w - margin * (1 - kappa)) ** 2).sum() - (kappa - pe * (1 - kappa)) ** 2
    var0 = (np.outer(r, c) * (w - margin) ** 2).sum() - pe**2
    scale = n * (1 - pe) ** 2
    status = _kappa_status(confusion, float(var))
    constant = status == "one_rater_constant"
    return Kappa(
        n=n,
        value=0.0 if constant else float(kappa),
        po=po,
        pe=pe,
        se=math.sqrt(max(0.0, float(var)) / scale) if status == "ok" else None,
        se0=None if constant else math.sqrt(max(0.0, float(var0)) / scale),
        status=status,
    )


def _kappa_status(confusion: Confusion, variance: float) -> KappaStatus:
    constant = [max(t) == confusion.n for t in (confusion.human_totals, confusion.judge_totals)]
    if any(constant):
        return "one_rater_constant"
    return "zero_se" if variance < 1e-15 else "ok"


def _weight_matrix(k: int, weights: Weights | None) -> Floats:
    import numpy as np

    if weights is None:
        return np.eye(k)
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return np.asarray(1 - (distance if weights == "linear" else distance**2))


def kappa_of_shares(p: Any, weights: Weights | None = None) -> Any:
    """Return kappa along the last two axes of an array of shares; NaN where pe is 1."""
    import numpy as np

    r, c = p.sum(axis=-1), p.sum(axis=-2)
    if weights is None:
        po, pe = np.trace(p, axis1=-2, axis2=-1), (r * c).sum(axis=-1)
    else:
        w = _weight_matrix(p.shape[-1], weights)
        po, pe = (p * w).sum(axis=(-2, -1)), ((r @ w) * c).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pe < 1 - 1e-12, (po - pe) / (1 - pe), np.nan)


@statistic(
    "kappa_quantiles",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("count_table", "levels"),
)
def kappa_quantiles(
    counts: Sequence[Sequence[float]],
    levels: Sequence[float],
    *,
    weights: Weights | None = None,
    seed: int = SEED,
    draws: int = DRAWS,
) -> tuple[float, ...]:
    """Return quantiles of kappa under Dirichlet(counts + 2/K^2), seeded.

    Formula: draw shares from Dirichlet(counts_ij + 2/K^2), 0.5 a cell for K = 2; kappa of each
    draw; quantiles at `levels`.
    Shapes: K x K counts, which may be fractional (divided by a design effect); `draws` >= 10,000.
    Range [-1, 1]. Undefined: nothing, an empty table gives the prior's quantiles.
    Interval: two-sided 95 % at levels .025 and .975, coverage .91 to .95 from n = 20 up, and the
    only one tried whose lower tail holds. Weakness: a Bayesian device judged by frequentist
    coverage; K >= 4 is not simulated.
    Source: simulation in STATISTICS section 9 of this project; Dirichlet posterior of a
    multinomial, Gelman et al. 2013, Bayesian Data Analysis, isbn 9781439840955.

    Example:
        >>> low, high = kappa_quantiles([[13, 1], [2, 4]], (0.025, 0.975))
        >>> abs(low - 0.159) < 0.02 and abs(high - 0.860) < 0.02
        True
    """
    import numpy as np

    table = np.asarray(counts, dtype=float)
    k = table.shape[0]
    rng = np.random.default_rng(seed)
    p = rng.dirichlet((table + 2 / k**2).ravel(), size=draws).reshape(draws, k, k)
    return tuple(float(q) for q in np.quantile(kappa_of_shares(p, weights), list(levels)))


class Jackknife(Record):
    """A delete-one-group jackknife: `se` is None with a reason where it cannot be estimated."""

    value: float | None
    se: float | None
    n_groups: int
    undefined: str | None = None

    def fisher_z(self, tail: float) -> tuple[float, float] | None:
        """Return tanh(atanh(k) -+ t(G-1) se/(1-k^2)) with `tail` in each tail, or None."""
        from scipy.stats import t

        if self.value is None or self.se is None or abs(self.value) >= 1 - 1e-12:
            return None
        half = float(t.ppf(1 - tail, self.n_groups - 1)) * self.se / (1 - self.value**2)
        centre = math.atanh(self.value)
        return math.tanh(centre - half), math.tanh(centre + half)


@statistic(
    "jackknife_kappa",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("group_tables",),
    laws=("group_order", "label_order", "empty_is_undefined"),
)
def jackknife_kappa(tables: Any, *, weights: Weights | None = None) -> Jackknife:
    """Return kappa and its delete-one-group standard error.

    Formula: k_g kappa without group g; var = (G-1)/G sum_g (k_g - mean k)^2; interval
    tanh(atanh(k) -+ t_{G-1} se/(1-k^2)) by `Jackknife.fisher_z`.
    Shapes: (G, K, K) counts. Range [-1, 1]. Undefined: no pairs; pe = 1; the error also with fewer
    than two groups or where kappa is undefined without one of them.
    Interval: coverage .92 to .98 for 10 to 80 groups. Weakness: no claim below 10 groups, and it
    degenerates under perfect agreement, so `kappa_interval` sets a Dirichlet bound beside it.
    Source: Efron & Stein 1981, doi 10.1214/aos/1176345462; Fisher's z 1921.

    Example:
        >>> jackknife_kappa([[[5, 1], [0, 4]], [[4, 0], [1, 5]], [[6, 0], [2, 2]]]).n_groups
        3
    """
    import numpy as np

    groups = np.asarray(tables, dtype=float)
    n_groups, total = len(groups), groups.sum(axis=0)
    if total.sum() == 0:
        return Jackknife(value=None, se=None, n_groups=n_groups, undefined="no pairs")
    value = float(kappa_of_shares(total / total.sum(), weights))
    if math.isnan(value):
        reason = "both raters gave one and the same answer"
        return Jackknife(value=None, se=None, n_groups=n_groups, undefined=reason)
    if n_groups < 2:
        return Jackknife(value=value, se=None, n_groups=n_groups, undefined="fewer than two groups")
    rest = total - groups
    sizes = rest.sum(axis=(1, 2), keepdims=True)
    if (sizes == 0).any():
        return Jackknife(value=value, se=None, n_groups=n_groups, undefined="one group holds all")
    leave = kappa_of_shares(rest / sizes, weights)
    if np.isnan(leave).any():
        reason = "kappa is undefined without one of the groups"
        return Jackknife(value=value, se=None, n_groups=n_groups, undefined=reason)
    spread = float(((leave - leave.mean()) ** 2).sum()) * (n_groups - 1) / n_groups
    return Jackknife(value=value, se=math.sqrt(spread), n_groups=n_groups)


def group_tables(groups: Sequence[str], pairs: Sequence[tuple[int, int]], k: int) -> Any:
    """Return the (G, K, K) counts of (human, judge) label positions, by group in sorted order."""
    import numpy as np

    position = {group: i for i, group in enumerate(sorted(set(groups)))}
    tables = np.zeros((len(position), k, k))
    for group, (human, judge) in zip(groups, pairs, strict=True):
        tables[position[group], human, judge] += 1
    return tables


class KappaInterval(Record):
    """Bounds of kappa, each one-sided at the level asked for, and the method's name."""

    low: float
    high: float
    method: str


@statistic(
    "kappa_interval",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("group_tables", "tail"),
    laws=("group_order",),
)
def kappa_interval(tables: Any, tail: float, *, seed: int = SEED) -> KappaInterval:
    """Return the bounds of kappa with `tail` on each side, groups respected.

    Formula: independent items: Dirichlet(counts + 2/K^2) quantiles. Grouped items: the wider of
    the delete-one-group jackknife (Fisher z, t) and Dirichlet(counts/deff + 2/K^2), deff that of
    the disagreement indicator.
    Shapes: (G, K, K) counts; a group of one item each means independent items. Range [-1, 1].
    Undefined: nothing; one group alone gives [-1, 1]. Weakness: no claim below 10 groups.
    Source: STATISTICS sections 1 and 9 of this project; see `kappa_quantiles`, `jackknife_kappa`.

    Example:
        >>> kappa_interval([[[1, 0], [0, 0]]] * 30 + [[[0, 0], [0, 1]]] * 30, 0.05).method
        'Dirichlet'
    """
    import numpy as np

    groups = np.asarray(tables, dtype=float)
    total = groups.sum(axis=0)
    levels = (tail, 1 - tail)
    if not (groups.sum(axis=(1, 2)) > 1).any():
        low, high = kappa_quantiles(total, levels, seed=seed)
        return KappaInterval(low=low, high=high, method="Dirichlet")
    if len(groups) < 2:
        return KappaInterval(low=-1.0, high=1.0, method="one group only: no interval")
    low, high = kappa_quantiles(total / disagreement_effect(groups), levels, seed=seed)
    jackknife = jackknife_kappa(groups).fisher_z(tail)
    if jackknife is None:
        return KappaInterval(low=low, high=high, method="Dirichlet (counts/design effect)")
    method = "wider of group jackknife and Dirichlet (counts/design effect)"
    return KappaInterval(low=min(low, jackknife[0]), high=max(high, jackknife[1]), method=method)


def dirichlet_interval(
    tables: Any, tail: float, statistic: Callable[[Any], Any], *, seed: int = SEED
) -> tuple[float, float] | None:
    """Return quantiles of a statistic of shares under Dirichlet(counts/deff + 2/K^2).

    `statistic` maps (D, K, K) shares to (D,) values. None where there is one group of many items.
    """
    import numpy as np

    groups = np.asarray(tables, dtype=float)
    grouped = bool((groups.sum(axis=(1, 2)) > 1).any())
    if grouped and len(groups) < 2:
        return None
    total = groups.sum(axis=0) / (disagreement_effect(groups) if grouped else 1.0)
    k = total.shape[0]
    rng = np.random.default_rng(seed)
    p = rng.dirichlet((total + 2 / k**2).ravel(), size=DRAWS).reshape(DRAWS, k, k)
    low, high = np.quantile(statistic(p), [tail, 1 - tail])
    return float(low), float(high)


def disagreement_effect(tables: Any) -> float:
    """Return the design effect of the disagreement indicator, at least 1.

    At least 1+(mbar-1)*0.3 when fewer than 15 groups disagree or none can be estimated.
    """
    import numpy as np

    groups = np.asarray(tables, dtype=float)
    sizes = groups.sum(axis=(1, 2))
    wrong = sizes - np.trace(groups, axis1=1, axis2=2)
    counts = GroupedCounts(
        errors=tuple(int(x) for x in wrong), sizes=tuple(int(size) for size in sizes)
    )
    effect = counts.design_effect
    if effect is None or counts.error_groups < FEW_ERROR_GROUPS:
        return max(1.0, effect or 1.0, counts.assumed_design_effect)
    return max(1.0, effect)
