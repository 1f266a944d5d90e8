"""Agreement of two raters: Cohen's kappa with its intervals, and its companions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from judgekit.model.base import Record
from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
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


@statistic(
    "cohen_kappa",
    kind="agreement",
    symmetric=True,
    range=(-1.0, 1.0),
    needs=("confusion",),
    laws=("label_order", "label_renaming", "empty_is_undefined"),
)
def cohen_kappa(confusion: Confusion, *, weights: Weights | None = None) -> Kappa:
    """Return Cohen's kappa (1960; weighted 1968) and its standard errors.

    Range [-1, 1], higher is better. Undefined when there are no pairs or when both raters gave
    one and the same answer throughout (pe = 1). The category list is part of the input: an unused
    category changes weighted kappa. Standard errors: Fleiss, Cohen & Everitt 1969, Psychological
    Bulletin 72:323, doi 10.1037/h0028106; they fail for small n, see `kappa_quantiles`.

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


def kappa_of_shares(p: Any) -> Any:
    """Return kappa along the last two axes of an array of shares; NaN where pe is 1."""
    import numpy as np

    po = np.trace(p, axis1=-2, axis2=-1)
    pe = (p.sum(axis=-1) * p.sum(axis=-2)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(pe < 1 - 1e-12, (po - pe) / (1 - pe), np.nan)


def kappa_quantiles(
    counts: Sequence[Sequence[float]],
    levels: Sequence[float],
    *,
    seed: int = SEED,
    draws: int = DRAWS,
) -> tuple[float, ...]:
    """Return quantiles of kappa under Dirichlet(counts + 2/K^2), seeded.

    The only interval that holds its lower tail from n = 20 up (STATISTICS section 9). Counts may
    be fractional (divided by a design effect). A Bayesian device judged by frequentist coverage.
    """
    import numpy as np

    table = np.asarray(counts, dtype=float)
    k = table.shape[0]
    rng = np.random.default_rng(seed)
    p = rng.dirichlet((table + 2 / k**2).ravel(), size=draws).reshape(draws, k, k)
    return tuple(float(q) for q in np.quantile(kappa_of_shares(p), list(levels)))


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


def jackknife_kappa(tables: Any) -> Jackknife:
    """Return kappa and its delete-one-group standard error from a (G, K, K) array of counts.

    A group whose removal leaves kappa undefined makes the error inestimable.
    """
    import numpy as np

    groups = np.asarray(tables, dtype=float)
    n_groups, total = len(groups), groups.sum(axis=0)
    if total.sum() == 0:
        return Jackknife(value=None, se=None, n_groups=n_groups, undefined="no pairs")
    value = float(kappa_of_shares(total / total.sum()))
    if math.isnan(value):
        reason = "both raters gave one and the same answer"
        return Jackknife(value=None, se=None, n_groups=n_groups, undefined=reason)
    if n_groups < 2:
        return Jackknife(value=value, se=None, n_groups=n_groups, undefined="fewer than two groups")
    rest = total - groups
    sizes = rest.sum(axis=(1, 2), keepdims=True)
    if (sizes == 0).any():
        return Jackknife(value=value, se=None, n_groups=n_groups, undefined="one group holds all")
    leave = kappa_of_shares(rest / sizes)
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


def kappa_interval(tables: Any, tail: float, *, seed: int = SEED) -> KappaInterval:
    """Return the bounds of kappa with `tail` on each side, groups respected (DESIGN section 5).

    Independent items: Dirichlet(counts + 2/K^2). Grouped items: the wider of the delete-one-group
    jackknife (Fisher z, t) and Dirichlet(counts/deff + 2/K^2), deff that of the disagreement
    indicator. One group alone gives [-1, 1].
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


def gwet_ac1(confusion: Confusion) -> Statistic:
    """Return Gwet's AC1 (2008, BJMSP 61:29, doi 10.1348/000711006X126600) of two raters.

    Close to accuracy under imbalance, so it never opens the gate alone. Undefined without pairs.
    """
    n, k = confusion.n, len(confusion.labels)
    if n == 0:
        return Undefined(undefined="no pairs")
    totals = zip(confusion.human_totals, confusion.judge_totals, strict=True)
    shares = [(h + j) / (2 * n) for h, j in totals]
    pe = sum(share * (1 - share) for share in shares) / (k - 1)
    value = (confusion.agreed / n - pe) / (1 - pe)
    return Estimate(value=value, n=n, method="Gwet AC1")


def pabak(confusion: Confusion) -> Statistic:
    """Return (K po - 1)/(K - 1), which is 2 po - 1 for two labels (Byrt, Bishop & Carlin 1993,
    doi 10.1016/0895-4356(93)90018-V). Undefined without pairs."""
    n, k = confusion.n, len(confusion.labels)
    if n == 0:
        return Undefined(undefined="no pairs")
    value = (k * confusion.agreed / n - 1) / (k - 1)
    return Estimate(value=value, n=n, method="PABAK")


def specific_agreement(confusion: Confusion, label: str) -> Statistic:
    """Return 2 n_ll/(human l + judge l): PA+ for pass, PA- for fail (Cicchetti & Feinstein 1990,
    doi 10.1016/0895-4356(90)90159-M). Undefined where neither rater used the label."""
    if label not in confusion.labels:
        return Undefined(undefined=f"{label!r} is not one of the labels", n=confusion.n)
    i = confusion.labels.index(label)
    used = confusion.human_totals[i] + confusion.judge_totals[i]
    if used == 0:
        return Undefined(undefined=f"neither the humans nor the judge said {label}", n=confusion.n)
    return Estimate(
        value=2 * confusion.rows[i][i] / used, n=confusion.n, method="specific agreement"
    )
