"""The words of the Calibrate page, taken from the library's reports and never computed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.calibration.comparison import Stage
from judgekit.calibration.report import CalibrationReport
from judgekit.render import words
from judgekit.render.compare_report import RATES, p_text, signed
from judgekit.stats.estimate import Estimate, Statistic
from parts.plain_words import PlainTable

FEW = 30
RATE_OF = {"fail": "false_pass_rate", "pass": "false_fail_rate"}


@dataclass(frozen=True)
class Named:
    """One report and what it is called among the others: the judge, and what tells it apart."""

    report: CalibrationReport
    title: str
    key: str


def named(reports: Sequence[CalibrationReport]) -> tuple[Named, ...]:
    """Return the reports with their names; a criterion is named only where there are several."""
    several = len({report.unit for report in reports}) > 1
    found = []
    for report in reports:
        parts = [report.unit] if several else []
        parts += [report.slice] if report.slice is not None else []
        title = ", ".join((report.judge, *parts))
        found.append(Named(report, title, "-".join((report.judge, *parts))))
    return tuple(found)


def human_total(report: CalibrationReport, human: str) -> int:
    """Return how many scored items people pass or fail."""
    confusion = report.confusion
    if human not in confusion.labels:
        return 0
    return confusion.human_totals[confusion.labels.index(human)]


def few_words(report: CalibrationReport) -> str:
    """Return what is too little to say much about, empty where nothing is."""
    few = [f"{n} human {h}" for h in ("fail", "pass") if (n := human_total(report, h)) < FEW]
    return f"too few: {' and '.join(few)} (under {FEW})" if few else ""


def figure_words(statistic: Statistic) -> str:
    """Return value, interval and n, or why there is no value."""
    if isinstance(statistic, Estimate):
        return words.figure_text(statistic)
    return f"not measurable: {statistic.undefined} (n={statistic.n})"


def verdict_line(report: CalibrationReport) -> str:
    """Return the verdict in words, each limited rate with its interval and n."""
    limited = [c for c in report.conditions if c.name in RATE_OF.values()]
    parts = [
        f"{c.name.removesuffix('_rate').replace('_', '-').capitalize()} "
        f"{_percent(getattr(report, c.name))}: {_beside(c.outcome, c.limit)}"
        for c in limited
    ]
    return " ".join([words.headline(report), *(f"{part}." for part in parts)])


def _beside(outcome: str, limit: float) -> str:
    where = {
        "safe": "surely within",
        "past_limit": "surely above",
        "undecided": "not surely within",
    }[outcome]
    return f"{where} the {limit * 100:g} % limit"


def _percent(statistic: Statistic) -> str:
    if not isinstance(statistic, Estimate):
        return f"not measurable ({statistic.undefined})"
    value = f"{statistic.value * 100:.1f} %"
    if statistic.low is None or statistic.high is None:
        return f"{value} (no interval, n = {statistic.n})"
    low, high = statistic.low * 100, statistic.high * 100
    return f"{value} ({low:.1f}-{high:.1f} %, n = {statistic.n})"


def overview(reports: Sequence[Named]) -> PlainTable:
    """Return one row per judge, criterion and slice."""
    head = ("judge", "n", "false passes", "false fails", "kappa", "people", "no answer", "note")
    first = reports[0].report
    title = f"Share, {_confidence(first)} % interval and n; unit {first.unit.strip('_')}"
    return PlainTable(title, head, tuple(_overview_row(one) for one in reports))


def _confidence(report: CalibrationReport) -> str:
    return f"{report.policy.confidence * 100:g}" if report.policy is not None else "95"


def _overview_row(one: Named) -> tuple[str, ...]:
    report = one.report
    return (
        one.title,
        str(report.n_pairs),
        figure_words(report.false_pass_rate),
        figure_words(report.false_fail_rate),
        figure_words(report.kappa),
        figure_words(report.human_agreement),
        str(no_answer(report)),
        few_words(report) or "-",
    )


def no_answer(report: CalibrationReport) -> int:
    """Return how many labelled items have no scored verdict: they are in no cell."""
    return sum(report.unscored.values()) + report.dropped.get("missing", 0)


def figures_table(one: Named) -> PlainTable:
    """Return every statistic of one report with its meaning and limit."""
    rows = tuple(
        (
            figure.title,
            figure_words(figure.statistic),
            "-" if figure.limit is None else f"{figure.limit:g}",
            figure.meaning,
        )
        for figure in words.figures(one.report)
    )
    head = ("figure", "value (interval, n)", "limit", "what it is; which way is better")
    return PlainTable(f"All figures of {one.title}", head, rows)


def outside_table(report: CalibrationReport) -> PlainTable | None:
    """Return what is in no cell, by reason; None where everything is counted."""
    rows = [
        *((f"verdict {status}", str(n)) for status, n in report.unscored.items()),
        *((f"{reason.replace('_', ' ')}", str(n)) for reason, n in report.dropped.items()),
    ]
    if report.unresolved:
        rows.append(("judged, but people's answer does not stand", str(report.unresolved)))
    if not rows:
        return None
    return PlainTable("Outside the cells", ("reason", "count"), tuple(rows))


def modes_table(report: CalibrationReport) -> PlainTable | None:
    """Return the false-pass rate among each failure mode's human fails."""
    rows = tuple(
        (mode.mode, str(mode.n), figure_words(mode.false_pass_rate))
        for mode in report.per_failure_mode
    )
    head = ("failure mode", "human fails", "false passes (interval, n)")
    return PlainTable("By failure mode", head, rows) if rows else None


def conditions_table(report: CalibrationReport) -> PlainTable | None:
    """Return every limit with its state."""
    rows = tuple((words.MARKS[c.outcome], words.unmarked(c)) for c in report.conditions)
    return PlainTable("Limits", ("state", "what was found"), rows) if rows else None


def differences_table(stage: Stage) -> PlainTable | None:
    """Return the paired differences between judges on the same items."""
    rows = tuple(
        (
            f"{RATES[one.rate]}: {one.first} minus {one.second}",
            signed(one.difference),
            f"{one.only_first_wrong} / {one.only_second_wrong}",
            p_text(one.p_holm),
        )
        for one in stage.differences
    )
    head = ("difference", "value (interval, n)", "only first / only second wrong", "p (Holm)")
    title = "Differences on the same items (below 0: the first errs less)"
    return PlainTable(title, head, rows) if rows else None


def people_table(reports: Sequence[Named]) -> PlainTable | None:
    """Return how far people agree with each other: the ceiling of any judge."""
    rows = [
        (
            f"{pair.first} and {pair.second}",
            f"items of {one.title}",
            str(pair.n),
            f"{pair.agreement:.3f}",
            "undefined" if pair.kappa is None else f"{pair.kappa:.3f}",
        )
        for one in reports
        for pair in one.report.human_pairs
    ]
    if not rows:
        return None
    head = ("two people", "on", "n", "same answer", "kappa")
    return PlainTable("People with each other, two by two", head, tuple(rows))
