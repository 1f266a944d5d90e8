"""The tools of a configuration, one row each: how they answered, and how they were called."""

from __future__ import annotations

from judgekit.process.process_records import Configuration, ToolReliability
from judgekit.process.score_records import ToolRow
from judgekit.render.score_text import brief

TOOL_HEAD = (
    "tool", "calls", "errors", "median s", "p95 s", "left out", "wrong tool", "malformed",
    "arguments right",
)  # fmt: skip


def tool_rows(one: Configuration) -> list[list[str]]:
    """Return the cells of each tool that was called or expected, in the order of `TOOL_HEAD`."""
    called = {row.tool: row for row in one.tools}
    scored = {row.tool: row for row in one.score.tools}
    names = sorted({*called, *scored})
    return [[name, *_answered(called.get(name)), *_asked(scored.get(name))] for name in names]


def _answered(row: ToolReliability | None) -> list[str]:
    if row is None:
        return ["0", "-", "-", "-"]
    times = (row.latency_median_s, row.latency_p95_s)
    return [str(row.n), brief(row.errors), *(_seconds(one) for one in times)]


def _asked(row: ToolRow | None) -> list[str]:
    if row is None:
        return ["-"] * 4
    return [brief(one) for one in (row.omission, row.wrong, row.malformed, row.arguments)]


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
