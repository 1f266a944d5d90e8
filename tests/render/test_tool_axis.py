"""The tools axis of the process report: what was called, and what was expected and never called."""

from __future__ import annotations

from process.trial_sets import CHECKS, case, no_prices, trial

from judgekit.model.trial import ToolCall
from judgekit.process.process_report import process_report
from judgekit.process.scored_set import RecordedSet, score_set
from judgekit.render.process_html import process_html
from judgekit.render.process_text import process_text
from judgekit.render.tool_axis import TOOL_HEAD, tool_rows


def report_of(*calls: ToolCall):
    expected = [{"tool": "look", "arguments": {"order": {"value": "R-1"}}}, {"tool": "pay"}]
    cases = tuple(case(name, paths={"p": {"calls": expected}}) for name in "ab")
    trials = tuple(trial(name, 0, tool_calls=calls) for name in "ab")
    one = score_set(RecordedSet("one", "sha256:0", cases, trials, None), CHECKS, no_prices)
    return process_report([one], no_prices)


def test_a_tool_that_was_expected_and_never_called_has_a_row_and_what_was_wrong_is_shown() -> None:
    report = report_of(ToolCall(name="look", arguments={"order": "R-9"}, latency_s=0.5))
    look, pay = (
        dict(zip(TOOL_HEAD, row, strict=True)) for row in tool_rows(report.configurations[0])
    )
    assert (look["tool"], look["calls"], look["median s"]) == ("look", "2", "0.5")
    assert look["left out"].startswith("0.000")
    assert look["arguments right"].startswith("0.000")
    assert (pay["tool"], pay["calls"], pay["errors"], pay["wrong tool"]) == ("pay", "0", "-", "-")
    assert pay["left out"].startswith("1.000")


def test_both_reports_show_the_same_cells() -> None:
    report = report_of(ToolCall(name="look", arguments={"order": "R-9"}, latency_s=0.5))
    text, page = process_text(report), process_html(report)
    for cell in (cell for row in tool_rows(report.configurations[0]) for cell in row):
        assert cell in text
        assert f">{cell}</td>" in page
