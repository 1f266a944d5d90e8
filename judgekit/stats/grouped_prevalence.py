"""The corrected pass rate where items come in groups."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from judgekit.stats.confusion import PASS_FAIL, Confusion
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import (
    DEFAULT_ICC,
    FEW_ERROR_GROUPS,
    LEAST_GROUPS,
    GroupedCounts,
    decision_n,
    wilson,
)
from judgekit.stats.ppi import FEW_LABELS, ppi_pass_rate
from judgekit.stats.prevalence import Calibration, lang_reiczigel, rogan_gladen
from judgekit.stats.registry import statistic

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Target = Literal["population", "outputs", "both"]
ROGAN_GLADEN_METHOD = (
    "Rogan-Gladen, wider of Lang-Reiczigel on effective counts and linearised groups"
)


def effective_calibration(
    passes: GroupedCounts, fails: GroupedCounts, tail: float = 0.025
) -> Calibration:
    """Return the labelled counts that independent items with the same information would have.

    Formula: n* of `decision_n` for each class, rounded down; right answers in proportion, rounded.
    `passes` and `fails` count the judge's errors among human passes and human fails. `tail` is
    that of the interval that follows. Without groups the counts are unchanged. Weakness: the two
    classes are taken as independent although they share groups.
    Source: Korn & Graubard 1998, Survey Methodology 24:193, with the declared floor of DESIGN 5.

    Example:
        >>> alone = GroupedCounts(errors=(0, 1), sizes=(1, 1))
        >>> effective_calibration(alone, alone).true_passes
        1
    """
    true_passes, human_passes = _effective(passes, tail)
    true_fails, human_fails = _effective(fails, tail)
    return Calibration(
        true_passes=true_passes,
        human_passes=human_passes,
        true_fails=true_fails,
        human_fails=human_fails,
    )


def _effective(counts: GroupedCounts, tail: float) -> tuple[int, int]:
    """Return (right, all) in effective counts; (0, 0) where no interval exists."""
    n = decision_n(counts, tail).n if counts.n else None
    if n is None:
        return 0, 0
    whole = max(1, math.floor(n + 1e-9))
    return round(whole * (1 - counts.x / counts.n)), whole


@statistic(
    "grouped_ppi_pass_rate",
    kind="prevalence",
    range=(0.0, 1.0),
    needs=("tables", "judge_passes", "judged"),
)
def grouped_ppi_pass_rate(
    tables: ArrayLike,
    judge_passes: ArrayLike,
    judged: ArrayLike,
    tail: float = 0.025,
    *,
    target: Target = "population",
) -> Statistic:
    """Return the pass rate of PPI++ where items come in groups.

    Formula: value and lambda of `ppi_pass_rate` on the summed counts. With r = Y - lam F and
    z_g = lam sum_unl,g (F - mean F)/N + sum_lab,g (r - mean r)/n, var = G/(G-1) sum z_g^2 where G
    is the number of labelled groups. That is for the rate of the `population` that all items come
    from. For the realised rate of the unlabelled `outputs` var = var(mean r) (1 + max(n/N,
    G/G_unl)); `both` takes the larger. Interval: Wilson on the effective n of independent items
    (as `ppi_pass_rate`) divided by the design effect var/var_independent (at least 1) and by
    (t(G-1)/z)^2. When fewer than 15 labelled groups hold a disagreement, the design effect is at
    least 1 + (mbar-1)*0.3, a declared assumption.
    Shapes: tables (G, 2, 2) of labelled counts (rows human, columns judge, pass first),
    judge_passes and judged (G,) counts of unlabelled items; a group may hold both kinds.
    Undefined without labels or with one labelled group. Status `few_groups` under 10 labelled
    groups, `few_labels` with fewer than 10 labels in a class.
    Weakness: linearised, so rough with few groups; labelled groups must be a random sample.
    Source: Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453; linearisation Binder 1983,
    International Statistical Review 51:279, doi 10.2307/1402588.

    Example:
        >>> import numpy as np
        >>> tables = np.array([[[1, 0], [0, 1]], [[1, 1], [0, 0]]] * 6)
        >>> found = grouped_ppi_pass_rate(tables, [1] * 12, [2] * 12)
        >>> round(found.value, 3), found.low < found.value < found.high
        (0.75, True)
    """
    cells, f, u = _arrays(tables, judge_passes, judged)
    rows = tuple(map(tuple, cells.sum(axis=0).astype(int).tolist()))
    total = Confusion(labels=PASS_FAIL, rows=rows)
    plain = ppi_pass_rate(total, int(f.sum()), int(u.sum()), tail=tail)
    if isinstance(plain.estimate, Undefined):
        return plain.estimate
    return _grouped_ppi(plain.estimate, plain.lam or 0.0, (cells, f, u), tail, target)


def _grouped_ppi(
    plain: Estimate, lam: float, counts: tuple[Any, Any, Any], tail: float, target: Target
) -> Statistic:
    cells, f, u = counts
    groups = int((cells.sum(axis=(1, 2)) > 0).sum())
    if groups < 2:
        return Undefined(undefined="fewer than two labelled groups", n=plain.n)
    effect = _design_effect(cells, f, u, lam, target)
    n = _independent_n(cells.sum(axis=0), f.sum(), u.sum(), lam) / effect
    low, high = _wilson_t(plain.value, n, groups, tail)
    few = "few_labels" if cells.sum(axis=(0, 2)).min() < FEW_LABELS else None
    status = "few_groups" if groups < LEAST_GROUPS else few
    method = _ppi_method(target, _has_groups(cells, u))
    found = {"value": plain.value, "low": low, "high": high}
    return Estimate(**found, n=plain.n, method=method, status=status)


def _ppi_method(target: Target, has_groups: bool) -> str:
    error = "larger error of both" if target == "both" else target
    groups = ", groups linearised" if has_groups else ""
    return f"PPI++ ({error}), Wilson on effective n{groups}"


def _has_groups(cells: Any, u: Any) -> bool:
    return bool((cells.sum(axis=(1, 2)) + u > 1).any())


def _wilson_t(value: float, n: float, groups: int, tail: float) -> tuple[float, float]:
    """Return Wilson's interval on n shrunk by (t(G-1)/z)^2."""
    from scipy.special import ndtri
    from scipy.stats import t

    shrunk = n * float(ndtri(1 - tail) / t.ppf(1 - tail, groups - 1)) ** 2
    bounds = wilson(value * shrunk, shrunk, tail)
    return (bounds.low, bounds.high) if bounds is not None else (0.0, 1.0)


def _design_effect(cells: Any, f: Any, u: Any, lam: float, target: Target) -> float:
    """Return the variance of the target over that of independent items, at least 1."""
    n, total, judged = cells.sum(axis=(1, 2)), cells.sum(), u.sum()
    groups = int((n > 0).sum())
    own = _rest_influence(cells, lam)
    pool = lam * (f - u * f.sum() / judged) / judged if judged else 0.0 * f
    rest = groups / (groups - 1) * float((own**2).sum())
    again = max(total / judged, groups / float((u > 0).sum())) if judged else 0.0
    found = {
        "population": groups / (groups - 1) * float(((own + pool) ** 2).sum()),
        "outputs": rest * (1 + again),
    }
    variance = found[target] if target != "both" else max(found.values())
    independent = _independent_variance(cells.sum(axis=0), f.sum(), judged, lam)
    effect = max(1.0, variance / independent) if independent > 1e-15 else 1.0
    wrong = int(((cells[:, 0, 1] + cells[:, 1, 0]) > 0).sum())
    if wrong < FEW_ERROR_GROUPS:
        effect = max(effect, 1 + (total / groups - 1) * DEFAULT_ICC)
    return effect


def _independent_n(table: Any, passes: float, judged: float, lam: float) -> float:
    """Return the labels that alone would be as precise, from cells with half an item added."""
    smooth = table + 0.5
    share = smooth[0].sum() / smooth.sum()
    variance = _independent_variance(smooth, passes, judged, lam)
    return float(table.sum() * share * (1 - share) / smooth.sum() / variance)


def _rest_influence(cells: Any, lam: float) -> Any:
    n, total = cells.sum(axis=(1, 2)), cells.sum()
    rest = cells[:, 0].sum(axis=1) - lam * cells[:, :, 0].sum(axis=1)
    return (rest - n * rest.sum() / total) / total


def _independent_variance(table: Any, passes: float, judged: float, lam: float) -> float:
    """Return var(Y - lam F)/n + lam^2 var(F)/N of independent items."""
    (a, b), (c, _) = table / table.sum()
    mean = a + b - lam * (a + c)
    rest = a * (1 - lam) ** 2 + b + c * lam**2 - mean**2
    share = passes / judged if judged else 0.0
    pool = lam**2 * share * (1 - share) / judged if judged else 0.0
    return float(rest / table.sum() + pool)


def _clipped(
    value: float, low: float, high: float, total: Confusion, groups: int, method: str
) -> Estimate:
    few = min(total.human_totals) < FEW_LABELS
    status = "few_groups" if groups < LEAST_GROUPS else "few_labels" if few else None
    low, high = max(0.0, low), min(1.0, high)
    return Estimate(value=value, low=low, high=high, n=total.n, method=method, status=status)


def _arrays(tables: ArrayLike, judge_passes: ArrayLike, judged: ArrayLike) -> tuple[Any, Any, Any]:
    import numpy as np

    cells = np.asarray(tables, dtype=float).reshape(-1, 2, 2)
    f, u = (np.asarray(x, dtype=float) for x in (judge_passes, judged))
    if f.shape != (len(cells),) or u.shape != f.shape:
        raise ValueError("tables, judge_passes and judged must have one entry per group")
    return cells, f, u


@statistic(
    "grouped_rogan_gladen",
    kind="prevalence",
    range=(0.0, 1.0),
    needs=("tables", "judge_passes", "judged"),
)
def grouped_rogan_gladen(
    tables: ArrayLike, judge_passes: ArrayLike, judged: ArrayLike, tail: float = 0.025
) -> Statistic:
    """Return the Rogan-Gladen pass rate where items come in groups.

    Formula: p = (q + Sp - 1)/J on the summed counts. Interval: the wider, on each side, of
    Lang-Reiczigel on effective counts (`effective_calibration`, and n* of the judged items) and
    p -+ t(G-1) se, se^2 = G/(G-1) sum z_g^2 over the groups' linearised parts
    z_g = [dq_g + (1-p) dSp_g - p dSe_g]/J; G is the number of labelled groups. Clipped to [0, 1].
    Shapes: as `grouped_ppi_pass_rate`. Undefined as `rogan_gladen`, and with fewer than two
    labelled groups. Status `clipped` where p lay outside [0, 1], `few_groups` under 10 labelled
    groups. Weakness: conservative; wrong when the judge's error rates moved.
    Source: Rogan & Gladen 1978, American Journal of Epidemiology 107:71; Lang & Reiczigel 2014,
    Preventive Veterinary Medicine 113:13, doi 10.1016/j.prevetmed.2013.09.015; Binder 1983,
    International Statistical Review 51:279, doi 10.2307/1402588.

    Example:
        >>> import numpy as np
        >>> tables = np.array([[[4, 1], [0, 2]], [[3, 0], [1, 2]]] * 8)
        >>> found = grouped_rogan_gladen(tables, [6] * 16, [10] * 16)
        >>> round(found.value, 3), found.low < found.value < found.high
        (0.593, True)
    """
    cells, f, u = _arrays(tables, judge_passes, judged)
    plain = rogan_gladen(int(f.sum()), int(u.sum()), _calibration(cells.sum(axis=0)), tail)
    groups = int((cells.sum(axis=(1, 2)) > 0).sum())
    if isinstance(plain.estimate, Undefined) or plain.estimate_raw is None:
        return plain.estimate
    if groups < 2:
        return Undefined(undefined="fewer than two labelled groups", n=plain.estimate.n)
    half = _linearised_half(_rogan_gladen_influence(cells, f, u, plain.estimate_raw), groups, tail)
    low, high = _effective_interval(cells, f, u, tail)
    raw, value = plain.estimate_raw, plain.estimate.value
    low, high = min(max(0.0, raw - half), low, value), max(min(1.0, raw + half), high, value)
    clipped = "clipped" if plain.status == "clipped" else None
    status = "few_groups" if groups < LEAST_GROUPS else clipped
    method, n = ROGAN_GLADEN_METHOD, plain.estimate.n
    return Estimate(value=value, low=low, high=high, n=n, method=method, status=status)


def _linearised_half(influence: Any, groups: int, tail: float) -> float:
    """Return half the width of the t interval from the linearised parts of the groups."""
    from scipy.stats import t

    spread = float((influence**2).sum()) * groups / (groups - 1)
    return float(t.ppf(1 - tail, groups - 1)) * math.sqrt(spread)


def _calibration(total: Any) -> Calibration:
    (a, b), (c, d) = total.astype(int).tolist()
    return Calibration(true_passes=a, human_passes=a + b, true_fails=d, human_fails=c + d)


def _rogan_gladen_influence(cells: Any, f: Any, u: Any, p: float) -> Any:
    passes, fails = cells[:, 0].sum(axis=1), cells[:, 1].sum(axis=1)
    se, sp = cells[:, 0, 0].sum() / passes.sum(), cells[:, 1, 1].sum() / fails.sum()
    of_q = (f - u * f.sum() / u.sum()) / u.sum()
    of_se = (cells[:, 0, 0] - se * passes) / passes.sum()
    of_sp = (cells[:, 1, 1] - sp * fails) / fails.sum()
    return (of_q + (1 - p) * of_sp - p * of_se) / (se + sp - 1)


def _effective_interval(cells: Any, f: Any, u: Any, tail: float) -> tuple[float, float]:
    passes = _grouped(cells[:, 0, 1], cells[:, 0].sum(axis=1))
    fails = _grouped(cells[:, 1, 0], cells[:, 1].sum(axis=1))
    right, n = _effective(_grouped(u - f, u), tail)
    return lang_reiczigel(right, n, effective_calibration(passes, fails, tail), tail)


def _grouped(errors: Any, sizes: Any) -> GroupedCounts:
    kept = sizes > 0
    return GroupedCounts(
        errors=tuple(errors[kept].astype(int).tolist()), sizes=tuple(sizes[kept].astype(int))
    )
