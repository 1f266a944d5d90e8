"""The sentences beside an estimate: warnings, and the claims these data cannot support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.calibration.pairing import Pair
from judgekit.stats.estimate import Estimate
from judgekit.stats.intervals import LEAST_GROUPS, GroupedCounts, decision_n
from judgekit.stats.ppi import FEW_LABELS
from judgekit.stats.prevalence import LEAST_J

if TYPE_CHECKING:
    from judgekit.calibration.estimate import EstimateReport

DRIFT_Z = 2.5758
"""Two-sided 1 %: how far apart the judge's pass rates must lie before a warning is given."""
UNRESOLVED = ("tie", "unsure", "contradictory", "disagreement", "incomplete", "too_few_annotators")


def estimate_warnings(
    report: EstimateReport, scored: Sequence[Pair], outputs: Sequence[tuple[str, bool]]
) -> tuple[str, ...]:
    """Return what makes the number weaker than it looks, one sentence each."""
    found = [*_weak_judge(report), *_few(report), *_shape(report)]
    if report.assume == "random" and (z := _shift(scored, outputs)) is not None and z > DRIFT_Z:
        labelled = sum(pair.judge == "pass" for pair in scored) / len(scored)
        judged = sum(passed for _, passed in outputs) / len(outputs)
        found.append(
            f"The judge passes {labelled:.1%} of the labelled items and {judged:.1%} of the"
            " outputs, more apart than a random sample explains: `--assume random` looks wrong."
        )
    look = report.calibration.looks
    if look is not None:
        found.append(
            "The looks at this holdout are used up: what is read off it now was not planned for."
            if look.exhausted
            else f"Labels of the holdout were read: look {look.used} of {look.max_looks}."
        )
    return tuple(found)


def _weak_judge(report: EstimateReport) -> list[str]:
    youden = report.youden_j
    if (
        report.refused is not None
        or not isinstance(youden, Estimate)
        or youden.value > LEAST_J - 1e-9
    ):
        return []
    return [
        f"Youden's J is {youden.value:.3f}, under {LEAST_J:g}: the judge says little, and the"
        " interval is hardly better (under label-shift: far worse) than that of labels alone."
    ]


def _few(report: EstimateReport) -> list[str]:
    passes, fails = report.confusion.human_totals
    found = [
        f"Only {n} labels of class {name}: below {FEW_LABELS} the interval is too short."
        for name, n in (("pass", passes), ("fail", fails))
        if n < FEW_LABELS
    ]
    if report.n_labelled_groups < LEAST_GROUPS:
        found.append(
            f"Only {report.n_labelled_groups} labelled groups: the interval makes no claim under"
            f" {LEAST_GROUPS}."
        )
    return found


def _shape(report: EstimateReport) -> list[str]:
    rate, found = report.pass_rate, []
    if isinstance(rate, Estimate) and rate.status == "clipped":
        found.append(
            "The corrected rate lay outside 0 to 1 and was clipped: sampling error, or the judge's"
            " rates on the outputs are not those on the labels."
        )
    if report.unknown_groups:
        found.append(
            "The outputs' groups are not known, so each counts as independent; if several come"
            " from one conversation or document, the interval is too short."
        )
    return found


def _shift(scored: Sequence[Pair], outputs: Sequence[tuple[str, bool]]) -> float | None:
    """Return |z| between the judge's pass rates on labelled items and outputs, on n*."""
    first = GroupedCounts.of((pair.group, pair.judge == "pass") for pair in scored)
    second = GroupedCounts.of(outputs)
    sizes = [decision_n(counts, 0.025).n for counts in (first, second) if counts.n]
    share = (first.x + second.x) / max(1, first.n + second.n)
    if len(sizes) < 2 or None in sizes or not 0 < share < 1:
        return None
    spread = share * (1 - share) * sum(1 / n for n in sizes if n)
    return float(abs(first.x / first.n - second.x / second.n) / spread**0.5)


def estimate_caveats(report: EstimateReport) -> tuple[str, ...]:
    """Return the claims that these data cannot support, one sentence each."""
    return (
        *_about_assumption(report),
        *_about_outputs(report),
        *_about_labels(report),
        "Whether a single output is good: the correction is of the rate, not of any verdict.",
        "Whether the product got better or worse than at another time, or than another product: "
        "that needs both, judged and labelled the same way.",
        "The rate in any part of the outputs (a topic, a language, a customer): the judge may err "
        "differently there.",
    )


def _about_assumption(report: EstimateReport) -> list[str]:
    if report.assume == "random":
        return [
            "That the labelled items are a random sample of these outputs: it was stated, and only"
            " the judge's pass rate on both could be compared."
        ]
    return [
        "That the judge errs as often on these outputs, among good and among bad ones, as on the"
        " labelled items: it was stated, and nothing here can show it. Another model version,"
        " prompt or kind of output breaks it."
    ]


def _about_outputs(report: EstimateReport) -> list[str]:
    found = []
    unscored = sum(report.unscored_outputs.values())
    if unscored:
        found.append(
            f"The {unscored} outputs without a usable verdict: the rate is that of the"
            f" {report.n_outputs} others."
        )
    return found


def _about_labels(report: EstimateReport) -> list[str]:
    calibration, found = report.calibration, []
    open_ones = sum(calibration.dropped.get(reason, 0) for reason in UNRESOLVED)
    if open_ones:
        found.append(
            f"Items on which people do not agree: {open_ones} were left out of the labels and"
            " cannot be left out of the outputs."
        )
    lost = sum(calibration.unscored.values()) + calibration.dropped.get("missing", 0)
    if lost:
        found.append(f"{lost} labelled items without a usable verdict, left out of both rates.")
    if any(calibration.origins.get(origin) for origin in ("model", "synthetic")):
        found.append("Anything about people: labels here are synthetic or a model's.")
    return found
