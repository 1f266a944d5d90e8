"""The gate as a Markdown summary, safe to show on a pull request."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from judgekit.gate.report import GateReport
from judgekit.render.junit import why

MOST_ROWS = 20
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~@&:])")
_HEADLINES = {
    "passed": "Gate passed",
    "failed": "Gate failed",
    "inconclusive": "Gate inconclusive: not enough evidence",
    "not_approved": "Gate blocked: an approval does not stand",
    "outage": "Gate not finished: the provider failed",
}


def escape_markdown(text: str) -> str:
    """Return the text on one line, every mark of Markdown, HTML and mentions made plain.

    Example:
        >>> print(escape_markdown("<b>|*"))
        \\<b\\>\\|\\*
    """
    flat = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") else c for c in text)
    return _SPECIAL.sub(r"\\\1", " ".join(flat.split()))


def markdown_summary(report: GateReport) -> str:
    """Return headline, rules, graders and up to twenty items that did not pass."""
    headline = _HEADLINES[report.outcome] + (" with a warning" if report.warning else "")
    rate = "undefined" if report.pass_rate is None else f"{report.pass_rate:.1%}"
    lines = [
        f"## {headline}",
        "",
        f"{report.n_scored} of {report.n_items} items were scored, pass rate {rate}. "
        f"Policy {escape_markdown(report.policy)}.",
        "",
    ]
    lines += [f"- {escape_markdown(reason)}" for reason in report.reasons]
    lines += [""] if report.reasons else []
    lines += _rules(report)
    lines += _graders(report)
    lines += _items(report)
    return "\n".join(lines).rstrip() + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table, every cell escaped, and an empty line."""
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(escape_markdown(cell) for cell in row)} |" for row in rows]
    return [*lines, ""]


def _rules(report: GateReport) -> list[str]:
    if not report.conditions:
        return []
    rows = [(c.name, c.outcome, c.sentence) for c in report.conditions]
    return table(("rule", "outcome", "what was seen"), rows)


def _graders(report: GateReport) -> list[str]:
    rows = []
    for grader in report.graders:
        counts = ", ".join(f"{n} {word.replace('_', ' ')}" for word, n in grader.counts.items())
        models = ", ".join(grader.reported_models) or "none"
        rows.append((grader.name, grader.kind, grader.standing, counts or "not called", models))
    return table(("grader", "kind", "approval", "verdicts", "reported model"), rows)


def _items(report: GateReport) -> list[str]:
    open_items = [i for i in report.items if i.outcome != "passed"]
    if not open_items:
        return []
    lines = table(("item", "why"), ((i.item_id, why(i)) for i in open_items[:MOST_ROWS]))
    more = len(open_items) - MOST_ROWS
    return [*lines, f"{more} more items did not pass."] if more > 0 else lines
