"""An estimated pass rate as blocks, for the console and for Markdown."""

from __future__ import annotations

from judgekit.calibration.estimate import EstimateReport
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

ASSUMPTIONS = {
    "random": "labelled items are a random sample of the outputs",
    "label-shift": "the judge errs on the outputs as on the labelled items, whatever their mix",
}


def estimate_text(report: EstimateReport) -> str:
    """Return the estimate as plain text that ends with a line feed."""
    return blocks_text(estimate_blocks(report))


def estimate_markdown(report: EstimateReport) -> str:
    """Return the estimate as Markdown."""
    return blocks_markdown(estimate_blocks(report))


def estimate_blocks(report: EstimateReport) -> list[Block]:
    """Return what is shown, in order: the answer, its parts, the warnings, the limits."""
    rate = report.pass_rate
    return [
        Heading(_headline(report)),
        Line(_sample(report)),
        *([Line(f"method: {rate.method}")] if isinstance(rate, Estimate) else []),
        Table("", ("", "share", "what it is"), _rows(report)),
        _counts(report),
        Bullets("Warnings", report.warnings),
        Bullets("What these data cannot support", report.caveats),
    ]


def _headline(report: EstimateReport) -> str:
    rate = report.pass_rate
    if report.refused is not None or not isinstance(rate, Estimate):
        reason = report.refused or getattr(rate, "undefined", "no value")
        return f"No pass rate can be given: {reason}"
    if rate.low is None or rate.high is None:
        return f"Pass rate {rate.value:.1%}, without an interval"
    return (
        f"Pass rate {rate.value:.1%} ({report.confidence * 100:g} % interval"
        f" {rate.low:.1%} to {rate.high:.1%})"
    )


def _sample(report: EstimateReport) -> str:
    return (
        f"judge {report.judge}, unit {report.unit}, {_of(report.n_outputs, report.n_output_groups)}"
        f" judged outputs, {_of(report.n_labelled, report.n_labelled_groups)} labelled items; "
        f"assumed, not checked: {ASSUMPTIONS[report.assume]}"
    )


def _of(n: int, groups: int) -> str:
    return str(n) if n == groups else f"{n} (in {groups} groups)"


def _rows(report: EstimateReport) -> tuple[tuple[str, str, str], ...]:
    rows: list[tuple[str, Statistic, str]] = [
        ("Corrected", report.pass_rate, "for these outputs and the product that made them"),
        ("Corrected, at large", report.at_large, "PPI++ for the product, not for these outputs"),
        ("As the judge says", report.judge_pass_rate, "uncorrected: biased by the judge's errors"),
        ("Labels alone", report.labels_only, "without the judge"),
        ("Judge passes the good", report.true_pass_rate, "share of human passes"),
        ("Judge fails the bad", report.true_fail_rate, "share of human fails"),
        ("Youden's J", report.youden_j, "sum of both less 1; 0 is chance"),
    ]
    if report.refused is not None:
        rows = rows[2:]
    if report.assume == "label-shift":
        left_out = (report.at_large, report.labels_only)
        rows = [row for row in rows if not any(row[1] is one for one in left_out)]
    return tuple((title, figure_text(found), meaning) for title, found, meaning in rows)


def _counts(report: EstimateReport) -> Table:
    head = ("labelled items", "judge pass", "judge fail")
    names = ("human pass", "human fail")
    rows = tuple(
        (name, *map(str, row)) for name, row in zip(names, report.confusion.rows, strict=True)
    )
    return Table("", head, rows)
