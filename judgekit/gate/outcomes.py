"""Combine the verdicts of all graders about one item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgekit.gate.report import ItemOutcome, ItemResult
from judgekit.model.grader import GraderKind
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict

OUTSIDE = frozenset({"rate_limit", "server", "timeout", "connection", "budget", "request"})
"""Failure kinds that are the provider's or the budget's, not the item's."""
MOST_REASON = 300
"""So many characters of why a grader gave no answer are told."""


def item_result(
    item: Item, verdicts: Mapping[str, tuple[GraderKind, Verdict]], *, unapproved: Sequence[str]
) -> ItemResult:
    """Return what became of `item`.

    One scored fail fails it. It passes when every grader of the suite passed it; a consequential
    item needs a scorer among them. Everything else goes to review, or counts as an outage where
    the provider gave no reply.
    """
    failed = [(name, v) for name, (_, v) in verdicts.items() if v.passed is False]
    reasons = [f"{name}: unapproved" for name in unapproved]
    reasons += [_open_reason(name, v) for name, (_, v) in verdicts.items() if v.passed is None]
    outcome = _outcome(item, verdicts, failed=bool(failed), reasons=reasons)
    modes = [v.failure_mode for _, v in failed if v.failure_mode]
    return ItemResult(
        item_id=item.id,
        group=item.group_key,
        outcome=outcome,
        reasons=tuple(reasons),
        failed_by=tuple(name for name, _ in failed),
        failure_modes=tuple(dict.fromkeys(modes)),
        consequential=item.consequential,
    )


def _outcome(
    item: Item,
    verdicts: Mapping[str, tuple[GraderKind, Verdict]],
    *,
    failed: bool,
    reasons: list[str],
) -> ItemOutcome:
    if failed:
        return "failed"
    if reasons:
        lost = any(v.status == "failed" and v.kind in OUTSIDE for _, v in verdicts.values())
        return "outage" if lost else "review"
    if item.consequential and not any(kind == "scorer" for kind, _ in verdicts.values()):
        reasons.append("consequential: a judge alone cannot pass it")
        return "review"
    return "passed"


def _open_reason(name: str, verdict: Verdict) -> str:
    detail = ": ".join(part for part in (verdict.kind, verdict.reason) if part)
    return f"{name}: {verdict.status}" + (f" ({detail[:MOST_REASON]})" if detail else "")
