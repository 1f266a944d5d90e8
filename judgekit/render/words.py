"""The words that every rendering of a calibration uses: verdict line, figures, limits, caveats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from judgekit.calibration.conditions import WORDS, Condition
from judgekit.calibration.needed import Needed
from judgekit.calibration.report import CalibrationReport
from judgekit.stats.estimate import Estimate, Statistic

FEW_PER_MODE = 10
FEW_GROUPS = 10
DRAWN_BY_VERDICT = "labels drawn by verdict"
VERDICTS = (*WORDS.values(), "open")
MARKS = {"safe": "met", "undecided": "open", "past_limit": "broken"}
FIGURES: tuple[tuple[str, str, str], ...] = (
    ("false_pass_rate", "False passes", "share of human fails that the judge passes; lower"),
    ("false_fail_rate", "False fails", "share of human passes that the judge fails; lower"),
    ("kappa", "Cohen's kappa", "agreement beyond chance; higher"),
    ("accuracy", "Accuracy", "share of pairs with the same answer; higher"),
    ("ac1", "Gwet's AC1", "agreement beyond chance, steadier when one class is rare; higher"),
    ("pabak", "PABAK", "agreement as if both classes were equally common; higher"),
    ("positive_agreement", "Agreement on passes", "share, higher is better"),
    ("negative_agreement", "Agreement on fails", "share, higher is better"),
    ("human_agreement", "People with each other", "kappa among the annotators; higher"),
    ("worst_case_false_pass_rate", "False passes, worst case", "unscored items counted against"),
    ("worst_case_false_fail_rate", "False fails, worst case", "unscored items counted against"),
    ("pessimistic_false_pass_rate", "False passes, pessimistic", "ties and unsure count as errors"),
    ("pessimistic_false_fail_rate", "False fails, pessimistic", "ties and unsure count as errors"),
    ("unsupported_evidence_rate", "Unsupported evidence", "share of verdicts; lower"),
)
_SIGNED = frozenset({"kappa", "ac1", "pabak", "human_agreement"})
_HEADLINES = {
    "approved": "Approved: every limit is kept, with the stated confidence.",
    "rejected": "Rejected: a limit is broken, and more labels would not change that.",
    "need_labels": "Undecided: these labels neither clear nor condemn the judge.",
    None: "No decision: no limit was set, so these are numbers only.",
}


class Figure(NamedTuple):
    """One statistic ready to be shown; `limit` None where the policy sets none."""

    name: str
    title: str
    meaning: str
    statistic: Statistic
    limit: float | None
    low_end: float


def headline(report: CalibrationReport) -> str:
    """Return the verdict line in words."""
    return _HEADLINES[report.decision]


def approvable_line(report: CalibrationReport) -> str:
    """Return whether `judgekit approve` would take this calibration."""
    if report.approvable:
        return "This calibration may be signed with `judgekit approve`."
    return "This calibration cannot be signed with `judgekit approve`."


def figures(report: CalibrationReport) -> tuple[Figure, ...]:
    """Return every statistic with its limit, the error rates first; the pessimistic rates only
    where ties or unsure make them differ."""
    limits = {condition.name: condition.limit for condition in report.conditions}
    return tuple(
        Figure(
            name,
            title,
            meaning,
            getattr(report, name),
            limits.get(name),
            -1.0 if name in _SIGNED else 0.0,
        )
        for name, title, meaning in FIGURES
        if report.unresolved or not name.startswith("pessimistic_")
    )


def figure_text(statistic: Statistic) -> str:
    """Return `0.083 (0.041 to 0.157, n=96)`, or why there is no value."""
    if not isinstance(statistic, Estimate):
        return f"undefined: {statistic.undefined} (n={statistic.n})"
    if statistic.low is None or statistic.high is None:
        return f"{statistic.value:.3f} (no interval, n={statistic.n})"
    return f"{statistic.value:.3f} ({statistic.low:.3f} to {statistic.high:.3f}, n={statistic.n})"


def needed_text(report: CalibrationReport) -> str | None:
    """Return how many labels would decide, or None where nothing is asked for or missing."""
    if report.needed is None or report.decision == "approved":
        return None
    if isinstance(report.needed, Needed):
        return (
            f"About {report.needed.human_fail} human fails and {report.needed.human_pass} human "
            "passes in all (present ones included) would meet every limit if the judge goes "
            "on as it did."
        )
    why = report.needed.infeasible
    if why.startswith(DRAWN_BY_VERDICT):
        return f"How many labels would do is not said here: {why}."
    return f"If the judge goes on as it did, no number of labels would meet every limit: {why}"


def unmarked(condition: Condition) -> str:
    """Return a condition's sentence without its verdict, which stands in front of it."""
    sentence = condition.sentence
    for word in VERDICTS:
        head, found, rest = sentence.rpartition(f": {word}")
        if found and rest[:1] in (".", ";"):
            sentence = head + rest
    return sentence


def other_reasons(report: CalibrationReport) -> tuple[str, ...]:
    """Return the reasons that no condition states already."""
    stated = {condition.sentence for condition in report.conditions}
    return tuple(reason for reason in report.reasons if reason not in stated)


def is_synthetic(report: CalibrationReport) -> bool:
    """Tell whether any reference label came from a model or was made up."""
    return any(report.origins.get(origin, 0) for origin in ("model", "synthetic"))


def caveats(report: CalibrationReport) -> tuple[str, ...]:
    """Return the claims that these data cannot support, each as one sentence."""
    found = [*_about_labels(report), *_about_sample(report), *_about_modes(report)]
    found.append(
        "Nothing is said about another prompt, model, rubric or kind of item: a change of any of "
        "them is another judge."
    )
    return tuple(found)


def _about_labels(report: CalibrationReport) -> Sequence[str]:
    found = []
    if is_synthetic(report):
        found.append("Nothing is said about people: labels here are synthetic or a model's.")
    if not isinstance(report.human_agreement, Estimate):
        found.append(
            "How far people agree with each other is unknown "
            f"({report.human_agreement.undefined}), so the labels may be no better than chance."
        )
    for title, statistic in (
        ("false passes", report.false_pass_rate),
        ("false fails", report.false_fail_rate),
    ):
        if not isinstance(statistic, Estimate):
            found.append(f"The rate of {title} is unknown: {statistic.undefined}.")
    if not isinstance(report.unsupported_evidence_rate, Estimate):
        found.append("Whether the judge's quotes are in the texts was not checked.")
    return found


def _about_sample(report: CalibrationReport) -> Sequence[str]:
    found = []
    if report.split != "holdout":
        found.append(
            f"Items of split {report.split or 'none'} may have shaped the judge; only a holdout "
            "shows how it does on unseen items."
        )
    if report.n_groups < FEW_GROUPS:
        found.append(
            f"Only {report.n_groups} independent groups of items were seen: too few to generalise."
        )
    left_out = sum(report.dropped.values()) + sum(report.unscored.values())
    if left_out:
        found.append(
            f"{left_out} items are outside the rates (dropped or unscored; see Outside the rates)."
        )
    return found


def _about_modes(report: CalibrationReport) -> Sequence[str]:
    few = [f"{m.mode} (n={m.n})" for m in report.per_failure_mode if m.n < FEW_PER_MODE]
    if not few:
        return []
    return [f"Too few cases to say anything about: {', '.join(few)}."]
