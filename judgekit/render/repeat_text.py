"""Reliability over repeats as plain text."""

from __future__ import annotations

from judgekit.process.repeat_records import CaseRow, RepeatComparison, RepeatReport
from judgekit.render.score_text import counted_trials, some
from judgekit.render.text import bullets, one_line, table, visible
from judgekit.render.words import figure_text

MOST_CASES = 20


def repeat_text(report: RepeatReport) -> str:
    """Return the report as text that ends with a line feed."""
    parts = [
        f"{one_line(report.agent)}: {counted_trials(report)}",
        _figures(report),
        _at_k(report),
        _steps(report),
        _worst(report),
        bullets("Notes", list(report.notes)),
    ]
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def repeat_comparison_text(comparison: RepeatComparison) -> str:
    """Return the comparison as text that ends with a line feed, worst case first."""
    words = {
        "better": "is better than",
        "worse": "is worse than",
        "not_distinguishable": "is not distinguishable from",
    }
    head = (
        f"{one_line(comparison.candidate)} {words[comparison.outcome]} "
        f"{one_line(comparison.baseline)}: difference {figure_text(comparison.difference)} over "
        f"{comparison.n_pairs} pairs of trials in {comparison.n_cases} cases"
    )
    if comparison.p_value is not None:
        head += f", p = {comparison.p_value:.3g} (sign flips of cases)"
    lines = [*comparison.reasons]
    if comparison.mean_for_variance:
        lines.append(comparison.mean_for_variance)
    if comparison.changed:
        lines.append(f"configurations differ in: {', '.join(comparison.changed)}")
    if comparison.unpaired:
        lines.append(f"{comparison.unpaired} trials without a partner of their number, left out")
    if comparison.only_one_side:
        lines.append(f"cases on one side only, left out: {some(comparison.only_one_side)}")
    parts = [head, bullets("Notes", [one_line(line) for line in lines]), _case_table(comparison)]
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def _figures(report: RepeatReport) -> str:
    rows = [
        ["availability", figure_text(report.availability)],
        ["pass@1", figure_text(report.pass_at_1)],
        ["correct when available", figure_text(report.correct_when_available)],
        ["consistency", figure_text(report.consistency)],
    ]
    if report.undecided:
        rows.append(["undecided", f"{report.undecided} trials, counted as not correct"])
    return table(rows)


def _at_k(report: RepeatReport) -> str:
    rows = [["k", "pass^k (all of k)", "pass@k (one of k)"]]
    rows += [
        [str(row.k), figure_text(row.pass_hat), figure_text(row.pass_at)] for row in report.at_k
    ]
    return table(rows)


def _steps(report: RepeatReport) -> str:
    if not report.steps:
        return ""
    rows = [["step", "right", "not run"]]
    rows += [
        [one_line(step.step), figure_text(step.passed), str(step.not_run)] for step in report.steps
    ]
    if report.steps_product is not None:
        rows.append(["all, if independent", f"{report.steps_product:.3f} (a product)", ""])
    rows.append(["all, as they were", figure_text(report.steps_together), ""])
    return table(rows)


def _worst(report: RepeatReport) -> str:
    rows = [["worst cases", "correct", "endings"]]
    rows += [_case(row) for row in report.worst if row.correct < row.n]
    more = sum(row.correct < row.n for row in report.cases) - len(rows) + 1
    rest = f"\n... and {more} more that are not always right (--json has all)" if more else ""
    return table(rows) + rest if len(rows) > 1 else ""


def _case(row: CaseRow) -> list[str]:
    endings = ", ".join(f"{n} {name}" for name, n in row.endings.items())
    return [one_line(row.case), f"{row.correct} of {row.n}", endings]


def _case_table(comparison: RepeatComparison) -> str:
    rows = [["case", "candidate", "baseline", "difference"]]
    for row in comparison.cases[:MOST_CASES]:
        rows.append(
            [
                one_line(row.case),
                f"{row.candidate} of {row.n_candidate}",
                f"{row.baseline} of {row.n_baseline}",
                f"{row.difference:+.3f}",
            ]
        )
    more = len(comparison.cases) - MOST_CASES
    return table(rows) + (f"\n... and {more} more (--json has all)" if more > 0 else "")
