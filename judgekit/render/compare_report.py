"""A comparison of judges as blocks, for the console and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.calibration.comparison import (
    Candidate,
    Ceiling,
    ComparisonReport,
    PairedDifference,
    Stage,
)
from judgekit.render.blocks import (
    Block,
    Bullets,
    Heading,
    Line,
    Table,
    blocks_markdown,
    blocks_text,
)
from judgekit.render.words import figure_text
from judgekit.stats.estimate import Estimate, Statistic

MOST_DIFFERENCES = 20
MOST_ITEMS = 5
RATES = {"false_pass_rate": "false passes", "false_fail_rate": "false fails"}
OUTCOMES = {"non_inferior": "yes", "inferior": "no, worse", "not_shown": "not shown"}
DECISIONS = {"approved": "kept", "rejected": "broken", "need_labels": "open", None: "none set"}
HEADLINES = {
    "approved": "every limit is kept",
    "rejected": "a limit is broken",
    "need_labels": "too few labels to tell",
    None: "no limit was set",
}


def comparison_text(report: ComparisonReport) -> str:
    """Return the comparison as plain text that ends with a line feed."""
    return blocks_text(comparison_blocks(report))


def comparison_markdown(report: ComparisonReport) -> str:
    """Return the comparison as Markdown."""
    return blocks_markdown(comparison_blocks(report))


def comparison_blocks(report: ComparisonReport) -> list[Block]:
    """Return what is shown, in order: the answer, the figures, the differences, the limits."""
    return [
        Heading(_headline(report)),
        Line(_sample(report)),
        Bullets("What follows", report.reasons),
        *_stage(report.confirmed, "Confirmed on {split}"),
        *_stage(
            report.measured,
            "Measured on {split}" if report.choice is None else "Chosen on {split} (exploratory)",
        ),
        Bullets("What these data cannot support", report.caveats),
    ]


def _headline(report: ComparisonReport) -> str:
    names = len(report.measured.candidates)
    if report.choice is None:
        return f"{names} judges on the same items; no winner is named"
    if report.choice.winner is None:
        return f"{names} judges compared; none could be chosen"
    if report.confirmed is None:
        return f"{report.choice.winner} was chosen among {names} judges and not confirmed"
    words = HEADLINES[report.confirmed.candidates[0].figures.decision]
    where = report.confirmed.split
    return f"{report.choice.winner} was chosen among {names} judges; on {where}: {words}"


def _sample(report: ComparisonReport) -> str:
    parts = [f"unit {report.unit}", f"reference {report.reference}"]
    parts.append(f"{report.confidence * 100:g} % intervals")
    if report.baseline is not None:
        parts.append(f"baseline {report.baseline}")
    if report.margin is not None:
        parts.append(f"margin {report.margin:g} on the false-pass rate")
    return ", ".join(parts)


def _stage(stage: Stage | None, title: str) -> list[Block]:
    if stage is None:
        return []
    where = title.format(split=stage.split or "all items")
    return [
        _judges(stage, where),
        _differences(stage),
        _tests(stage),
        _people(stage.candidates),
        _alone(stage.candidates),
    ]


def _judges(stage: Stage, title: str) -> Table:
    head = ("judge", "false passes", "false fails", "kappa", "no answer", "USD/1,000", "limits")
    return Table(title, head, tuple(_judge(one) for one in stage.candidates))


def _judge(one: Candidate) -> tuple[str, ...]:
    figures = one.figures
    missing = sum(figures.unscored.values()) + figures.dropped.get("missing", 0)
    return (
        one.judge + (" (biased)" if one.biased else ""),
        figure_text(figures.false_pass_rate),
        figure_text(figures.false_fail_rate),
        figure_text(figures.kappa),
        str(missing),
        f"{one.usd_per_1000.value:.2f}" if isinstance(one.usd_per_1000, Estimate) else "unknown",
        DECISIONS[figures.decision],
    )


def _differences(stage: Stage) -> Table:
    found: Sequence[PairedDifference] = stage.differences
    shown = sorted(found, key=lambda d: 2.0 if d.p_holm is None else d.p_holm)[:MOST_DIFFERENCES]
    shown = [d for d in found if d in shown]
    more = len(found) - len(shown)
    title = (
        f"Differences on the same {_items(stage)} (first minus second; below 0 the first errs less)"
    )
    if more:
        title += f"; the {len(shown)} clearest of {len(found)}, all in --json, or name a --baseline"
    head = ("rate", "first", "second", "difference", "only 1st/2nd wrong", "p", "p (Holm)")
    return Table(title, head, tuple(_difference(d) for d in shown))


def _difference(one: PairedDifference) -> tuple[str, ...]:
    return (
        RATES[one.rate],
        one.first,
        one.second,
        signed(one.difference),
        f"{one.only_first_wrong}/{one.only_second_wrong}",
        p_text(one.p_value),
        p_text(one.p_holm),
    )


def signed(statistic: Statistic) -> str:
    """Return a difference with its sign: `+0.031 (-0.004 to +0.070, n=96)`.

    Example:
        >>> signed(Estimate(value=0.5, low=0.25, high=0.75, n=4, method="m"))
        '+0.500 (+0.250 to +0.750, n=4)'
    """
    if not isinstance(statistic, Estimate):
        return f"undefined: {statistic.undefined}"
    if statistic.low is None or statistic.high is None:
        return f"{statistic.value:+.3f} (no interval, n={statistic.n})"
    few = ", too few groups" if statistic.status == "few_groups" else ""
    low, high = f"{statistic.low:+.3f}", f"{statistic.high:+.3f}"
    return f"{statistic.value:+.3f} ({low} to {high}, n={statistic.n}{few})"


def p_text(p: float | None) -> str:
    """Return a p value with two digits that count.

    Example:
        >>> p_text(0.0312), p_text(1e-9), p_text(None)
        ('0.031', '<0.0001', 'none')
    """
    if p is None:
        return "none"
    return "<0.0001" if p < 1e-4 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def _items(stage: Stage) -> str:
    return "items" if stage.split is None else f"items of {stage.split}"


def _tests(stage: Stage) -> Table:
    head = ("candidate", "baseline", "margin", "difference, one-sided bounds", "p (Holm)", "result")
    rows = tuple(
        (
            test.candidate,
            test.baseline,
            f"{test.margin:g}",
            signed(test.difference),
            p_text(test.p_holm),
            OUTCOMES[test.outcome],
        )
        for test in stage.non_inferiority
    )
    title = f"Not worse than the baseline by the margin, on {_items(stage)}?"
    return Table(title, head, rows)


def _people(candidates: Sequence[Candidate]) -> Table:
    tested = [one.ceiling for one in candidates if one.ceiling.passes is not None]
    title = "Could the judge stand in for a person? (alternative-annotator test)"
    if tested:
        title += f" epsilon {tested[0].epsilon:g}, people: {', '.join(tested[0].annotators)}"
    head = ("judge", "people it stands up to", "average advantage", "passes")
    return Table(title, head, tuple(_person(one) for one in tested))


def _person(one: Ceiling) -> tuple[str, ...]:
    return (
        one.judge,
        _won(one),
        _share(one.average_advantage),
        "yes" if one.passes else "no",
    )


def _won(one: Ceiling) -> str:
    people = len(one.annotators)
    if not isinstance(one.winning_rate, Estimate):
        return _share(one.winning_rate)
    return f"{round(one.winning_rate.value * people)} of {people}"


def _share(statistic: Statistic) -> str:
    if isinstance(statistic, Estimate):
        return f"{statistic.value:.3f}"
    return f"undefined: {statistic.undefined}"


def _alone(candidates: Sequence[Candidate]) -> Table:
    shown = [one for one in candidates if one.alone_of]
    of = shown[0].alone_of if shown else 0
    head = ("judge", "false passes", "false fails", "some of them")
    rows = tuple(
        (
            one.judge,
            str(len(one.alone_false_passes)),
            str(len(one.alone_false_fails)),
            _some((*one.alone_false_passes, *one.alone_false_fails)),
        )
        for one in shown
    )
    return Table(f"Wrong alone, every other judge right ({of} items answered by all)", head, rows)


def _some(ids: Sequence[str]) -> str:
    more = ", ..." if len(ids) > MOST_ITEMS else ""
    return ", ".join(ids[:MOST_ITEMS]) + more
