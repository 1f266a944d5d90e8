"""A calibration as plain text: readable without colour, in a pipe and in a log."""

from __future__ import annotations

from judgekit.calibration.report import CalibrationReport
from judgekit.render.text import bullets, one_line, table, visible
from judgekit.render.words import (
    MARKS,
    approvable_line,
    caveats,
    figure_text,
    figures,
    headline,
    is_synthetic,
    needed_text,
    other_reasons,
    unmarked,
)

MOST_DISAGREEMENTS = 10


def calibration_text(report: CalibrationReport) -> str:
    """Return the calibration as text that ends with a line feed.

    Control characters of ids and names are written out, so that no text can steer the terminal.
    """
    parts = [
        _head(report),
        _counts(report),
        _figures(report),
        _modes(report),
        _conditions(report),
        _left_out(report),
        _disagreements(report),
        bullets("What these data cannot support", caveats(report)),
        _next(report),
    ]
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def _head(report: CalibrationReport) -> str:
    lines = [f"{one_line(report.judge)}: {headline(report)}"]
    if is_synthetic(report):
        lines.append("SYNTHETIC LABELS: this shows the method, not the judge's worth to people.")
    part = "" if report.slice is None else f", slice {one_line(report.slice)}"
    lines.append(
        f"unit {one_line(report.unit)}{part}, reference {report.reference}, "
        f"split {report.split or 'none'}, {report.n_pairs} pairs in {report.n_groups} groups"
    )
    if report.looks is not None:
        again = ", a repetition (free)" if report.looks.repeated else ""
        lines.append(f"look {report.looks.used} of {report.looks.max_looks} at this holdout{again}")
    return "\n".join(lines)


def _counts(report: CalibrationReport) -> str:
    labels = [one_line(label) for label in report.confusion.labels]
    head = ["", *(f"judge {label}" for label in labels)]
    rows = [
        [f"human {label}", *map(str, row)]
        for label, row in zip(labels, report.confusion.rows, strict=True)
    ]
    return table([head, *rows], right=True, indent="  ")


def _figures(report: CalibrationReport) -> str:
    rows = []
    for figure in figures(report):
        limit = "" if figure.limit is None else f"limit {figure.limit:g}"
        rows.append([figure.title, limit, figure_text(figure.statistic)])
    return table(rows, indent="  ")


def _modes(report: CalibrationReport) -> str:
    rows = [[one_line(m.mode), figure_text(m.false_pass_rate)] for m in report.per_failure_mode]
    return "False passes per failure mode\n" + table(rows, indent="  ") if rows else ""


def _conditions(report: CalibrationReport) -> str:
    lines = [f"{MARKS[c.outcome]}: {one_line(unmarked(c))}" for c in report.conditions]
    return bullets("Limits", lines)


def _left_out(report: CalibrationReport) -> str:
    rows = [f"dropped, {one_line(key)}: {n}" for key, n in sorted(report.dropped.items()) if n]
    rows += [f"unscored, {one_line(key)}: {n}" for key, n in sorted(report.unscored.items()) if n]
    return bullets("Outside the rates", rows)


def _disagreements(report: CalibrationReport) -> str:
    shown = report.disagreements[:MOST_DISAGREEMENTS]
    lines = [
        f"{one_line(d.item_id)}: human {d.human}, judge {d.judge}"
        + (f" ({one_line(d.failure_mode)})" if d.failure_mode else "")
        for d in shown
    ]
    more = len(report.disagreements) - len(shown)
    return bullets("Disagreements", [*lines, f"and {more} more"] if more else lines)


def _next(report: CalibrationReport) -> str:
    lines = [one_line(reason) for reason in other_reasons(report)]
    needed = needed_text(report)
    lines += [needed] if needed else []
    if report.decision is not None:
        lines.append(approvable_line(report))
    return bullets("Why, and what next", lines)
