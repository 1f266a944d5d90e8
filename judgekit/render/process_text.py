"""The four axes as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from judgekit.process.process_records import (
    Advisory,
    Configuration,
    Curve,
    Escalation,
    ProcessCost,
    ProcessReport,
)
from judgekit.process.regression_records import MetricGate, Regression
from judgekit.render.score_text import brief
from judgekit.render.text import bullets, one_line, table, visible
from judgekit.render.tool_axis import TOOL_HEAD, tool_rows
from judgekit.render.words import figure_text
from judgekit.stats.estimate import Estimate, Statistic

MOST_SIGNALS = 6
"""Signals of one configuration; those that are worth escalating on come first."""


def process_text(report: ProcessReport) -> str:
    """Return the report as text that ends with a line feed."""
    parts = [
        _quality(report),
        _at_k(report),
        _cost(report),
        _finish(report),
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
    rows = [["metric", "change", "margin", "outcome", ""]]
    for one in gate.metrics:
        word = one.outcome.replace("_", " ")
        rows.append([one.metric, change_text(one), f"{one.margin:g}", word, one.reason or ""])
    lines = [
        f"{one_line(gate.candidate)} against {one_line(gate.baseline)}: {gate_word(gate)}",
        f"changed: {', '.join(gate.changed) or 'nothing'}",
    ]
    if gate.missing:
        lines.append(f"{gate.missing} trials of the baseline were not made by the candidate")
    if gate.extra:
        lines.append(f"{gate.extra} trials of the candidate have no partner and are left out")
    if gate.mean_for_variance:
        lines.append(gate.mean_for_variance)
    return visible("\n".join([*lines, "", table(rows)])) + "\n"


def gate_word(gate: Regression) -> str:
    """Return the answer of a gate in one or two words."""
    return {1: "worse", 3: "unclear", 0: "no worse"}[gate.exit_code]


def change_text(one: MetricGate) -> str:
    """Return the change of a metric: a signed share, or `x` and a ratio."""
    found, sign = one.change, "x " if one.metric in ("cost", "latency") else ""
    if not isinstance(found, Estimate):
        return "-"
    form = ".3f" if sign else "+.3f"
    if found.low is None or found.high is None:
        return f"{sign}{found.value:{form}} (n={found.n})"
    return f"{sign}{found.value:{form}} ({found.low:{form}} to {found.high:{form}}, n={found.n})"


def money(value: float | None) -> str:
    """Return US dollars with four significant digits, or a dash."""
    return "-" if value is None else f"${value:.4g}"


def money_figure(found: Statistic) -> str:
    """Return US dollars with their interval, or why there is no value."""
    if not isinstance(found, Estimate):
        return f"undefined: {found.undefined}"
    if found.low is None or found.high is None:
        return f"{money(found.value)} (n={found.n})"
    return f"{money(found.value)} ({money(found.low)} to {money(found.high)}, n={found.n})"


def _quality(report: ProcessReport) -> str:
    rows = [["quality", "cases", "trials", "pass@1", "available", "all fields", "critical fields"]]
    for one in report.configurations:
        rows.append(
            [
                one_line(one.name),
                str(one.repeat.n_cases),
                str(one.repeat.n_trials),
                figure_text(one.repeat.pass_at_1),
                figure_text(one.repeat.availability),
                brief(one.score.all_fields_correct),
                brief(one.score.critical_fields_correct),
            ]
        )
    return table(rows)


def _at_k(report: ProcessReport) -> str:
    rows = [["repeats", "k", "pass^k (all of k)", "pass@k (one of k)"]]
    for one in report.configurations:
        for row in one.repeat.at_k:
            k, every, some = str(row.k), figure_text(row.pass_hat), figure_text(row.pass_at)
            rows.append([one_line(one.name), k, every, some])
    return table(rows)


def _cost(report: ProcessReport) -> str:
    rows = [["cost", "of a case: median", "p95", "of a correct case", "total", "unknown"]]
    for one in report.configurations:
        cost = one.cost
        rows.append(
            [
                one_line(one.name),
                money(cost.median_usd),
                money(cost.p95_usd),
                money_figure(cost.per_correct),
                total_text(one),
                f"{cost.n_unknown} of {cost.n_trials} trials",
            ]
        )
    return table(rows)


def total_text(one: Configuration) -> str:
    """Return all money spent; `at least` where the cost of some trial is not known."""
    if one.cost.total_usd is not None:
        return money(one.cost.total_usd)
    return f"at least {money(one.cost.known_usd)}" if one.cost.known_usd else "-"


def _finish(report: ProcessReport) -> str:
    rows = [["iterations", "median", "most", "input growth", "tokens a turn", "retries", "ends"]]
    for one in report.configurations:
        cost = one.cost
        if cost.iterations_max is None:
            continue
        growth = "-" if cost.input_growth is None else f"x {cost.input_growth:.2f}"
        turn = cost.input_growth_per_turn
        rows.append(
            [
                one_line(one.name),
                "-" if cost.iterations_median is None else f"{cost.iterations_median:g}",
                str(cost.iterations_max),
                growth,
                "-" if turn is None else f"{turn:+.0f}",
                str(cost.retries),
                one_line(ends_text(one)) or "-",
            ]
        )
    return table(rows) if len(rows) > 1 else ""


def ends_text(one: Configuration) -> str:
    """Return the finish reasons of the agent's calls, the most frequent first."""
    found = sorted(one.cost.finish_reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{n} {reason}" for reason, n in found)


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
    rows = [["tools", *TOOL_HEAD]]
    for one in report.configurations:
        rows += [
            [one_line(one.name), *(one_line(cell) for cell in cells)] for cells in tool_rows(one)
        ]
    return table(rows) if len(rows) > 1 else ""


def _temperature(report: ProcessReport) -> str:
    found = report.temperature
    if found is None:
        return ""
    head = ["temperature", "trials", "pass@1", "consistency", "variance in a case"]
    rows = [[*head, "median cost", "tool errors", "setting"]]
    for row in found.rows:
        rows.append(
            [
                row.setting,
                str(row.n_trials),
                figure_text(row.pass_at_1),
                brief(row.consistency),
                figure_text(row.between_trials),
                money(row.cost_median_usd),
                brief(row.tool_errors),
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
    if found.process_cost is not None:
        yield _process_cost(found.process_cost)
    yield _escalation(found.escalation)


def _process_cost(found: ProcessCost) -> str:
    rows = [["process cost", "tier", "calls of a trial", "cost of a call", "cost", "chosen by"]]
    for row in found.steps:
        cells = [f"{row.calls_per_trial:.3g}", money(row.usd_per_call), money(row.usd_per_trial)]
        rows.append([one_line(row.step), one_line(row.tier), *cells, row.why])
    return f"{table(rows)}\nall steps: {money_figure(found.total)}"


def _escalation(found: Sequence[Escalation]) -> str:
    rows = [["signals", "signal", "trials", "wrong with it", "wrong without", "of the wrong", ""]]
    shown: Counter[str] = Counter()
    for row in found:
        shown[row.configuration] += 1
        if shown[row.configuration] > MOST_SIGNALS and not row.worth:
            continue
        rows.append(
            [
                one_line(row.configuration),
                one_line(row.signal),
                f"{row.n_with} of {row.n}",
                brief(row.wrong_with),
                brief(row.wrong_without),
                brief(row.caught),
                "escalate" if row.worth else "",
            ]
        )
    more = len(found) - len(rows) + 1
    rest = f"\n... and {more} more (--json has all)" if more else ""
    return table(rows) + rest if len(rows) > 1 else ""


def curve_text(curve: Curve) -> str:
    """Return one cost-quality curve as a table and a sentence."""
    rows = [[f"routing: {one_line(curve.of)}", "cost", "quality", ""]]
    for point in curve.points:
        quality = f"{point.quality:.3f} ({point.quality_low:.3f} to {point.quality_high:.3f})"
        mark = "on the frontier" if point.on_frontier else ""
        rows.append([one_line(point.name), money(point.cost_usd), quality, mark])
    best = f"; cheapest not inferior by {curve.margin:g}: {one_line(curve.cheapest)}"
    left = f"\nleft out: {one_line(', '.join(curve.left_out))}" if curve.left_out else ""
    shape = curve.shape.replace("_", " ")
    return f"{table(rows)}\n{shape}: {one_line(curve.sentence)}{best}{left}"


def _splits(report: ProcessReport) -> str:
    rows = [["split", "development", "holdout", "difference"]]
    notes = []
    for row in report.splits:
        name = one_line(row.configuration)
        sides = [row.development, row.holdout, row.difference]
        rows.append([name, *(figure_text(side) for side in sides)])
        if row.divergence:
            notes.append(f"{name}: {row.divergence}")
    return "\n".join([table(rows), *notes]) if len(rows) > 1 else ""


def _pairs(report: ProcessReport) -> str:
    rows = [["price", "listed ratio", "measured ratio", ""]]
    for row in report.price_pairs:
        mark = "inverted: the list misleads" if row.inverted else ""
        name = f"{one_line(row.first)} / {one_line(row.second)}"
        rows.append([name, _ratio(row.listed_ratio), brief(row.measured), mark])
    return table(rows) if len(rows) > 1 else ""


def _advisory(report: ProcessReport) -> str:
    lines = []
    for row in report.advisory:
        lines.append(f"{one_line(row.judge)}: {advisory_words(row)}")
    return bullets("Advisory only: what judges say", lines)


def advisory_words(row: Advisory) -> str:
    """Return what a judge says, what it did not say, and whether it is of the candidate's kind."""
    words = f"pass rate {figure_text(row.pass_rate)}"
    if row.unscored:
        words += f"; {row.unscored} unscored"
    if row.elsewhere:
        words += f"; {row.elsewhere} of cases that were not tried"
    if row.own_family:
        words += f"; of the candidate's own family: {one_line(', '.join(row.own_family))}"
    return words


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"x {value:.2f}"


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)
