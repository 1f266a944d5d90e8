"""The gate as JUnit XML, which every CI system reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from judgekit.gate.report import GateCondition, GateReport, ItemResult

if TYPE_CHECKING:
    from junitparser import TestCase, TestSuite

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def junit_xml(report: GateReport) -> bytes:
    """Return two suites: one test case per rule of the policy, one per item.

    A rule that is not met is a failure; an approval that does not stand or an outage is an error.
    Items are shown as skipped with their reason when they failed or wait for a person, because the
    rules decide about the build, not one item.
    """
    import junitparser

    document = junitparser.JUnitXml("judgekit gate")
    document.add_testsuite(_rules(report))
    document.add_testsuite(_items(report))
    document.update_statistics()  # type: ignore[no-untyped-call]  # junitparser 5.0 has no hint here
    return bytes(document.tostring())  # type: ignore[no-untyped-call]  # nor here


def xml_text(text: str) -> str:
    """Return the text with U+FFFD for what XML cannot hold and what steers a terminal."""
    return _STEERING.sub("\ufffd", _FORBIDDEN.sub("\ufffd", text))


def _rules(report: GateReport) -> TestSuite:
    import junitparser

    suite = junitparser.TestSuite("gate")
    for condition in report.conditions:
        suite.add_testcase(_rule(condition, waived=report.warning))
    overall = junitparser.TestCase("outcome", "judgekit.gate")
    text = xml_text("; ".join(report.reasons) or report.outcome)
    if report.outcome in ("not_approved", "outage"):
        overall.result = [junitparser.Error(text, report.outcome)]
    elif report.exit_code != 0:
        overall.result = [junitparser.Failure(text, report.outcome)]
    elif report.warning:
        overall.system_out = f"passed with a warning: {text}"
    suite.add_testcase(overall)
    return suite


def _rule(condition: GateCondition, *, waived: bool) -> TestCase:
    import junitparser

    case = junitparser.TestCase(xml_text(condition.name), "judgekit.gate.rule")
    text = xml_text(condition.sentence)
    if condition.outcome == "failed" or (condition.outcome == "inconclusive" and not waived):
        case.result = [junitparser.Failure(text, condition.outcome)]
    else:
        case.system_out = text
    return case


def _items(report: GateReport) -> TestSuite:
    import junitparser

    suite = junitparser.TestSuite("items")
    for item in report.items:
        case = junitparser.TestCase(xml_text(item.item_id), "judgekit.gate.item")
        if item.outcome != "passed":
            case.result = [junitparser.Skipped(xml_text(why(item)), item.outcome)]
        suite.add_testcase(case)
    return suite


def why(item: ItemResult) -> str:
    """Return one line: the outcome of an item, who failed it, its failure modes and reasons."""
    parts: list[str] = [item.outcome]
    if item.failed_by:
        parts.append("by " + ", ".join(item.failed_by))
    if item.failure_modes:
        parts.append("as " + ", ".join(item.failure_modes))
    return " ".join(parts) + (f": {'; '.join(item.reasons)}" if item.reasons else "")
