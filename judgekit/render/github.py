"""The gate as GitHub workflow commands: lines that become annotations of a run."""

from __future__ import annotations

from judgekit.gate.report import GateReport
from judgekit.render.junit import why

MOST_LINES = 9
"""GitHub shows ten annotations of a kind per step; the first is the outcome."""


def github_annotations(report: GateReport, *, file: str | None = None) -> list[str]:
    """Return `::error`, `::warning` and `::notice` lines about the items file `file`."""
    if report.exit_code == 0 and not report.warning:
        return [command("notice", f"gate passed: {report.n_scored} items scored", title="judgekit")]
    level = "warning" if report.exit_code == 0 else "error"
    summary = f"gate {report.outcome}: {'; '.join(report.reasons) or report.outcome}"
    lines = [command(level, summary, title="judgekit", file=file)]
    failed = [i for i in report.items if i.outcome == "failed"]
    for item in failed[:MOST_LINES]:
        lines.append(
            command(level, f"item {item.item_id} {why(item)}", title="judgekit", file=file)
        )
    if len(failed) > MOST_LINES:
        lines.append(command("notice", f"{len(failed) - MOST_LINES} more items failed"))
    return lines


def command(level: str, message: str, *, title: str | None = None, file: str | None = None) -> str:
    """Return one workflow command, escaped so that no text can start another.

    Example:
        >>> command("error", "50%\\n::stop", title="a,b")
        '::error title=a%2Cb::50%25%0A::stop'
    """
    given = [(key, value) for key, value in (("file", file), ("title", title)) if value]
    properties = ",".join(f"{key}={_property(value)}" for key, value in given)
    return f"::{level}{' ' if properties else ''}{properties}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
