"""Run graders and hand back the verdicts themselves, one for each grader, item and regrade."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from judgekit.model.base import Record
from judgekit.model.grader import Grader
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.runs.budget import CostEstimate, hash_of, journal_path
from judgekit.runs.report import Progress, RunReport
from judgekit.runs.runner import run
from judgekit.store.journal import read_verdict_journal, verdict_key


class Collected(Record):
    """A run's report and its verdicts in the order graders x items x regrades."""

    report: RunReport
    verdicts: tuple[Verdict, ...]


async def run_and_collect(
    graders: Sequence[Grader],
    items: Sequence[Item],
    *,
    journal_dir: Path,
    regrade: int = 0,
    concurrency: int = 16,
    max_cost: float | None = None,
    estimate: CostEstimate | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Collected:
    """Run as `run` does and return the verdicts too; none is left out.

    An item that the budget did not allow gets a verdict with status `failed`, kind `budget`.
    """
    report = await run(
        graders,
        items,
        journal_dir=journal_dir,
        regrade=regrade,
        concurrency=concurrency,
        max_cost=max_cost,
        estimate=estimate,
        on_progress=on_progress,
    )
    verdicts = tuple(
        verdict
        for grader in graders
        for verdict in _verdicts_of(grader, items, journal_dir, regrade)
    )
    return Collected(report=report, verdicts=verdicts)


def current_verdicts(path: Path, fingerprint: str, items: Sequence[Item]) -> tuple[Verdict, ...]:
    """Return the journal's verdicts about exactly these items' present content."""
    hashes = {item.id: hash_of(item) for item in items}
    return tuple(
        verdict
        for verdict in read_verdict_journal(path, fingerprint)
        if hashes.get(verdict.item_id) == verdict.item_hash
    )


def _verdicts_of(
    grader: Grader, items: Sequence[Item], journal_dir: Path, regrade: int
) -> list[Verdict]:
    path = journal_path(journal_dir, grader.name)
    known = {
        verdict_key(v.item_id, v.item_hash, v.regrade): v
        for v in current_verdicts(path, grader.fingerprint.value, items)
    }
    return [
        known.get(verdict_key(item.id, hash_of(item), number)) or _not_sent(grader, item, number)
        for item in items
        for number in range(regrade + 1)
    ]


def _not_sent(grader: Grader, item: Item, regrade: int) -> Verdict:
    return Verdict(
        item_id=item.id,
        grader=grader.name,
        fingerprint=grader.fingerprint.value,
        item_hash=hash_of(item),
        regrade=regrade,
        status="failed",
        kind="budget",
        reason="the budget did not allow this call",
    )
