"""The pass rate of a product from a judge's verdicts and its known error rates."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import wilson
from judgekit.stats.registry import statistic

LEAST_J = 0.3
"""Below this Youden's J a Rogan-Gladen estimate is hardly better than none."""


class Calibration(Record):
    """Labelled items by class: how many human passes and fails, and how many the judge got right.

    Example:
        >>> Calibration(true_passes=90, human_passes=100, true_fails=40, human_fails=50).tpr
        0.9
    """

    true_passes: int = Field(ge=0)
    human_passes: int = Field(ge=0)
    true_fails: int = Field(ge=0)
    human_fails: int = Field(ge=0)

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.true_passes > self.human_passes or self.true_fails > self.human_fails:
            raise ValueError("the judge cannot be right on more items of a class than there are")
        return self

    @property
    def tpr(self) -> float | None:
        """Return the share of human passes that the judge passes; None without any."""
        return self.true_passes / self.human_passes if self.human_passes else None

    @property
    def tnr(self) -> float | None:
        """Return the share of human fails that the judge fails; None without any."""
        return self.true_fails / self.human_fails if self.human_fails else None


@statistic("youden_j", kind="calibration", range=(-1.0, 1.0), needs=("calibration",))
def youden_j(calibration: Calibration, tail: float = 0.025) -> Statistic:
    """Return Youden's J = TPR + TNR - 1, the judge's information on the verdict.

    Formula: J = TPR - FPR, with Newcombe's hybrid score interval for two independent shares;
    `tail` is the error in each tail. Shapes: four counts. Undefined when a class has no label. J
    at or below 0 carries no information, and a lower bound at or below 0 does not exclude that.
    Weakness: independent items only.
    Source: Youden 1950, Cancer 3:32; interval Newcombe 1998, Statistics in Medicine 17:873.

    Example:
        >>> found = youden_j(
        ...     Calibration(true_passes=90, human_passes=100, true_fails=40, human_fails=50)
        ... )
        >>> round(found.value, 6), found.low > 0.5
        (0.7, True)
    """
    n = calibration.human_passes + calibration.human_fails
    tpr, tnr = calibration.tpr, calibration.tnr
    passes = wilson(calibration.true_passes, calibration.human_passes, tail)
    fails = wilson(calibration.true_fails, calibration.human_fails, tail)
    if tpr is None or tnr is None or passes is None or fails is None:
        return Undefined(undefined="a class has no label", n=n)
    value = tpr + tnr - 1
    low = value - math.hypot(tpr - passes.low, tnr - fails.low)
    high = value + math.hypot(passes.high - tpr, fails.high - tnr)
    low, high = max(-1.0, low), min(1.0, high)
    return Estimate(value=value, low=low, high=high, n=n, method="Newcombe hybrid score")


RoganGladenStatus = Literal[
    "ok", "clipped", "judge_not_informative", "empty_class", "nothing_judged"
]


class RoganGladen(Record):
    """A pass rate corrected for the judge's errors, clipped to [0, 1] in `estimate`.

    `estimate_raw` and `se` are unclipped. `status` tells which case it is; where it is neither
    `ok` nor `clipped` the estimate is undefined.
    """

    status: RoganGladenStatus
    estimate: Statistic
    estimate_raw: float | None = None
    se: float | None = None
    apparent: float | None = None
    tpr: float | None = None
    tnr: float | None = None
    youden: Statistic

    @property
    def reliable(self) -> bool:
        """Tell whether the lower bound of J lies above 0, without which it should be refused."""
        youden = self.youden
        return isinstance(youden, Estimate) and youden.low is not None and youden.low > 0


@statistic("rogan_gladen", kind="prevalence", needs=("judge_passes", "n_judged", "calibration"))
def rogan_gladen(
    judge_passes: int, n_judged: int, calibration: Calibration, tail: float = 0.025
) -> RoganGladen:
    """Return the pass rate corrected by the judge's true-pass and true-fail rates.

    Formula: p = (q + Sp - 1)/J with q = judge_passes/n_judged, clipped to [0, 1] and flagged; var
    = [q(1-q)/N + p^2 Se(1-Se)/n_p + (1-p)^2 Sp(1-Sp)/n_f]/J^2. Right under label shift: the class
    mix may differ, the judge's two rates may not. Interval: Lang-Reiczigel, [0, 1] where its
    smoothed J is not positive. Shapes: counts. Undefined when J <= 0, a class has no label or
    nothing was judged. Weakness: explodes as J nears 0 (refuse unless `reliable`, warn below J
    0.3); wrong when the judge's error rates moved; independent items only.
    Source: Rogan & Gladen 1978, American Journal of Epidemiology 107:71; interval Lang &
    Reiczigel 2014, Preventive Veterinary Medicine 113:13, doi 10.1016/j.prevetmed.2013.09.015.

    Example:
        >>> labels = Calibration(true_passes=90, human_passes=100, true_fails=40, human_fails=50)
        >>> round(rogan_gladen(720, 1000, labels).estimate.value, 6)
        0.742857
    """
    tpr, tnr = calibration.tpr, calibration.tnr
    apparent = judge_passes / n_judged if n_judged else None
    known = {"apparent": apparent, "tpr": tpr, "tnr": tnr}
    youden = youden_j(calibration, tail)
    refused = _refusal(apparent, youden)
    if refused is not None or apparent is None or tpr is None or tnr is None:
        status, reason = refused or ("empty_class", "")
        undefined = Undefined(undefined=reason, n=n_judged)
        return RoganGladen(status=status, estimate=undefined, youden=youden, **known)
    raw, se = _rogan_gladen_moments(apparent, n_judged, tpr, tnr, calibration)
    low, high = lang_reiczigel(judge_passes, n_judged, calibration, tail)
    value = min(1.0, max(0.0, raw))
    status = "ok" if -1e-12 <= raw <= 1 + 1e-12 else "clipped"
    estimate = Estimate(
        value=value, low=low, high=high, n=n_judged, method="Rogan-Gladen, Lang-Reiczigel"
    )
    return RoganGladen(
        status=status, estimate=estimate, estimate_raw=raw, se=se, youden=youden, **known
    )


def _refusal(apparent: float | None, youden: Statistic) -> tuple[RoganGladenStatus, str] | None:
    if isinstance(youden, Undefined):
        return "empty_class", "no label of one class, so that the judge's error rate is unknown"
    if apparent is None:
        return "nothing_judged", "no output was judged"
    if youden.value <= 1e-12:
        return "judge_not_informative", "Youden's J is not above 0: verdicts carry no information"
    return None


def _rogan_gladen_moments(
    q: float, n: int, tpr: float, tnr: float, calibration: Calibration
) -> tuple[float, float]:
    j = tpr + tnr - 1
    p = (q + tnr - 1) / j
    variance = (
        q * (1 - q) / n
        + p**2 * tpr * (1 - tpr) / calibration.human_passes
        + (1 - p) ** 2 * tnr * (1 - tnr) / calibration.human_fails
    )
    return p, math.sqrt(variance) / j


def lang_reiczigel(
    judge_passes: int, n_judged: int, calibration: Calibration, tail: float = 0.025
) -> tuple[float, float]:
    """Return Lang and Reiczigel's interval of the corrected pass rate, clipped to [0, 1].

    Formula: q' = (k + z^2/2)/(N + z^2), Se' = (tp + 1)/(n_p + 2), Sp' = (tn + 1)/(n_f + 2), p' from
    these; dp = 2 z^2 [p' Se'(1-Se')/(n_p+2) - (1-p') Sp'(1-Sp')/(n_f+2)]; p' + dp -+ z sqrt(var').
    The paper prints (1+p')^2 in var' where (1-p')^2 is meant. [0, 1] when J' <= 0.
    Source: Lang & Reiczigel 2014, Preventive Veterinary Medicine 113:13,
    doi 10.1016/j.prevetmed.2013.09.015.

    Example:
        >>> labels = Calibration(true_passes=90, human_passes=100, true_fails=40, human_fails=50)
        >>> [round(x, 4) for x in lang_reiczigel(720, 1000, labels)]
        [0.657, 0.8329]
    """
    from scipy.special import ndtri

    z = float(ndtri(1 - tail))
    n, n_p, n_f = n_judged + z * z, calibration.human_passes + 2, calibration.human_fails + 2
    q = (judge_passes + z * z / 2) / n
    se, sp = (calibration.true_passes + 1) / n_p, (calibration.true_fails + 1) / n_f
    j = se + sp - 1
    if j <= 1e-12:
        return 0.0, 1.0
    p = (q + sp - 1) / j
    v_se, v_sp = se * (1 - se) / n_p, sp * (1 - sp) / n_f
    shift = 2 * z * z * (p * v_se - (1 - p) * v_sp)
    half = z * math.sqrt(q * (1 - q) / n + p**2 * v_se + (1 - p) ** 2 * v_sp) / j
    return clip01(p + shift - half), clip01(p + shift + half)


def clip01(value: float) -> float:
    """Return the value, or the nearer end of [0, 1]."""
    return min(1.0, max(0.0, value))
