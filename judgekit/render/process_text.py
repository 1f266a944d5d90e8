"""The four axes as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.process.process_records import Curve, ProcessReport
from judgekit.process.regression_records import Regression
from judgekit.render.score_text import brief, bullets, table
from judgekit.render.text import one_line, visible
from judgekit.render.words import figure_text


def process_text(report: ProcessReport) -> str:
    """Return the report as text that ends with a line feed."""
    parts = [
        _quality(report),
        _cost(report),
        _models(report),
        _tools(report),
        _temperature(report),
        *_routing(report),
        _splits(report),
        _pairs(report),
        _advisory(report),
        bullets("Notes", [one_line(note) for note in report.notes]),
    ]
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def regression_text(gate: Regression) -> str:
    """Return the gate against a baseline as text that ends with a line feed."""
    words = {1: "worse", 3: "unclear", 0: "no worse"}[gate.exit_code]
    rows = [["metric", "change", "margin", "outcome"]]
    for one in gate.metrics:
        rows.append([one.metric, figure_text(one.change), f"{one.margin:g}", one.outcome])
    changed = ", ".join(gate.changed) or "nothing"
    head = f"{one_line(gate.candidate)} against {one_line(gate.baseline)}: {words}"
    return visible(f"{head}\nchanged: {changed}\n\n{table(rows)}") + "\n"


def money(value: float | None) -> str:
    """Return US dollars with four significant digits, or a dash."""
    return "-" if value is None else f"${value:.4g}"


def _quality(report: ProcessReport) -> str:
    rows = [["quality", "cases", "trials", "pass@1", "pass^k", "all fields", "critical fields"]]
    for one in report.configurations:
        last = one.repeat.at_k[-1]
        rows.append(
            [
                one_line(one.name),
                str(one.repeat.n_cases),
                str(one.repeat.n_trials),
                figure_text(one.repeat.pass_at_1),
                f"k={last.k}: {brief(last.pass_hat)}",
                brief(one.score.all_fields_correct),
                brief(one.score.critical_fields_correct),
            ]
        )
    return table(rows)


def _cost(report: ProcessReport) -> str:
    rows = [["cost", "median", "p95", "per correct case", "turns", "input growth", "unknown"]]
    for one in report.configurations:
        cost = one.cost
        turns = "-" if cost.iterations_median is None else f"{cost.iterations_median:g}"
        growth = "-" if cost.input_growth is None else f"x {cost.input_growth:.2f}"
        rows.append(
            [
                one_line(one.name),
                money(cost.median_usd),
                money(cost.p95_usd),
                brief(cost.per_correct),
                turns,
                growth,
                f"{cost.n_unknown} of {cost.n_trials} trials",
            ]
        )
    return table(rows)


def _models(report: ProcessReport) -> str:
    rows = [["model calls", "model", "calls", "auxiliary", "retries", "tokens in", "out", "cost"]]
    for one in report.configurations:
        for row in one.cost.models:
            rows.append(
                [
                    one_line(one.name),
                    one_line(row.model),
                    str(row.calls),
                    str(row.auxiliary),
                    str(row.retries),
                    _count(row.input_tokens),
                    _count(row.output_tokens),
                    money(row.cost_usd),
                ]
            )
    return table(rows) if len(rows) > 1 else ""


def _tools(report: ProcessReport) -> str:
    rows = [["tools", "tool", "calls", "errors", "median s", "p95 s", "left out", "malformed"]]
    for one in report.configurations:
        scored = {row.tool: row for row in one.score.tools}
        for row in one.tools:
            other = scored.get(row.tool)
            rows.append(
                [
                    one_line(one.name),
                    one_line(row.tool),
                    str(row.n),
                    brief(row.errors),
                    _seconds(row.latency_median_s),
                    _seconds(row.latency_p95_s),
                    "-" if other is None else brief(other.omission),
                    "-" if other is None else brief(other.malformed),
                ]
            )
    return table(rows) if len(rows) > 1 else ""


def _temperature(report: ProcessReport) -> str:
    found = report.temperature
    if found is None:
        return ""
    rows = [["temperature", "trials", "pass@1", "consistency", "variance in a case", "setting"]]
    for row in found.rows:
        variance = "-" if row.between_trials is None else f"{row.between_trials:.4f}"
        rows.append(
            [
                row.setting,
                str(row.n_trials),
                figure_text(row.pass_at_1),
                brief(row.consistency),
                variance,
                row.applied.replace("_", " "),
            ]
        )
    return f"{table(rows)}\n{one_line(found.finding)}"


def _routing(report: ProcessReport) -> Iterator[str]:
    found = report.routing
    if found is None:
        return
    if found.overall is not None:
        yield curve_text(found.overall)
    for step in found.steps:
        yield curve_text(step)
    if found.expected_cost_usd is not None:
        yield f"cost of the cheapest tiers over all steps: {figure_text(found.expected_cost_usd)}"
    yield bullets("Escalate", [one_line(line) for line in found.escalation])


def curve_text(curve: Curve) -> str:
    """Return one cost-quality curve as a table and a sentence."""
    rows = [[f"routing: {one_line(curve.of)}", "cost", "quality", ""]]
    for point in curve.points:
        quality = f"{point.quality:.3f} ({point.quality_low:.3f} to {point.quality_high:.3f})"
        mark = "on the frontier" if point.on_frontier else ""
        rows.append([one_line(point.name), money(point.cost_usd), quality, mark])
    best = f"; cheapest not inferior by {curve.margin:g}: {one_line(curve.cheapest or 'none')}"
    return f"{table(rows)}\n{curve.shape.replace('_', ' ')}: {one_line(curve.sentence)}{best}"


def _splits(report: ProcessReport) -> str:
    rows = [["split", "development", "holdout"]]
    notes = []
    for row in report.splits:
        name = one_line(row.configuration)
        rows.append([name, figure_text(row.development), figure_text(row.holdout)])
        if row.divergence:
            notes.append(f"{name}: {row.divergence}")
    return "\n".join([table(rows), *notes]) if len(rows) > 1 else ""


def _pairs(report: ProcessReport) -> str:
    rows = [["price", "listed ratio", "measured ratio", ""]]
    for row in report.price_pairs:
        mark = "inverted: the list misleads" if row.inverted else ""
        name = f"{one_line(row.first)} / {one_line(row.second)}"
        rows.append([name, _ratio(row.listed_ratio), _ratio(row.measured_ratio), mark])
    return table(rows) if len(rows) > 1 else ""


def _advisory(report: ProcessReport) -> str:
    lines = []
    for row in report.advisory:
        family = f"; of the candidate's own family: {', '.join(row.own_family)}"
        mark = family if row.own_family else ""
        lines.append(f"{one_line(row.judge)}: pass rate {figure_text(row.pass_rate)}{mark}")
    return bullets("Advisory only: what judges say", lines)


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"x {value:.2f}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)
