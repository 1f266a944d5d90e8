"""The gate as plain text for a terminal or a log."""

from __future__ import annotations

from judgekit.gate.report import GateReport
from judgekit.render.junit import why
from judgekit.render.text import one_line

MOST_ITEMS = 10


def gate_text(report: GateReport) -> str:
    """Return the outcome, the rules, the graders and the first items that did not pass."""
    warning = " with a warning" if report.warning else ""
    rate = "undefined" if report.pass_rate is None else f"{report.pass_rate:.1%}"
    lines = [
        f"gate {report.outcome}{warning}: {report.n_scored} of {report.n_items} items scored, "
        f"pass rate {rate}, policy {report.policy!r}"
    ]
    lines += [f"  rule {c.outcome}: {c.sentence}" for c in report.conditions]
    seen = {c.sentence for c in report.conditions}
    lines += [f"  why: {reason}" for reason in report.reasons if reason not in seen]
    for grader in report.graders:
        counts = ", ".join(f"{n} {word.replace('_', ' ')}" for word, n in grader.counts.items())
        lines.append(f"  {grader.kind} {grader.name} ({grader.standing}): {counts or 'not called'}")
    open_items = [i for i in report.items if i.outcome != "passed"]
    lines += [f"  item {i.item_id}: {why(i)}" for i in open_items[:MOST_ITEMS]]
    if len(open_items) > MOST_ITEMS:
        lines.append(f"  and {len(open_items) - MOST_ITEMS} more items did not pass")
    # One line each: in CI, a line that starts with `::` is a command to the runner.
    return "\n".join([one_line(lines[0]), *("  " + one_line(line) for line in lines[1:])])
