"""The runner: graders over items, with bounded concurrency, a journal, resume and a budget.

A verdict is asked for once: its key is the grader's fingerprint, the item's id and content and the
regrade number. What the journal holds under that key is not asked for again, unless it failed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from pydantic_core import PydanticSerializationError

from judgekit.errors import InputError, ItemError, JudgekitError, ProviderFailed, UsageError
from judgekit.model.grader import Grader
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.runs.budget import Budget, CostEstimate, hash_of, journal_path
from judgekit.runs.report import Progress, RunReport, Tally
from judgekit.store.journal import Journal, finished_keys, verdict_key

_YIELD_EVERY = 500


class _Lane:
    """One grader with its journal, what is finished already and its counts."""

    def __init__(self, grader: Grader, journal: Journal) -> None:
        self.grader = grader
        self.journal = journal
        self.fingerprint = grader.fingerprint.value
        self.finished = finished_keys(journal.path, self.fingerprint)
        self.taken: set[bytes] = set()
        self.tally = Tally(grader.name, self.fingerprint)


class _Job(NamedTuple):
    lane: _Lane
    item: Item
    regrade: int


async def run(
    graders: Sequence[Grader],
    items: Iterable[Item],
    *,
    journal_dir: Path,
    regrade: int = 0,
    concurrency: int = 16,
    max_cost: float | None = None,
    estimate: CostEstimate | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> RunReport:
    """Grade every item with every grader and return the counts; verdicts are in the journals.

    Args:
        graders: names must differ; they stay open (close them yourself).
        items: read as they are needed; may be an iterator.
        journal_dir: one `<grader>.jsonl` each.
        regrade: how often each item is graded again beyond the first time.
        concurrency: most items in flight.
        max_cost: ceiling in US dollars. Items beyond it end as failed with kind `budget`.
        estimate: expected cost of one verdict; needed with `max_cost`.
        on_progress: called after each verdict, in the event loop.

    Raises:
        UsageError: no grader, two of one name, or a number below its least value.
        BudgetExceeded: `max_cost` is given and a grader's price is unknown; it was not asked.
        StoreFailed: another process writes the same journal, or the disk is full.
    """
    _check(graders, regrade, concurrency, max_cost)
    with ExitStack() as stack:
        lanes = [_open_lane(grader, journal_dir, stack) for grader in graders]
        total = len(items) * len(graders) * (regrade + 1) if isinstance(items, Sized) else None
        budget = Budget(max_cost, estimate)
        state = _Run(_jobs(lanes, items, regrade), budget, total, on_progress)
        await _work(state, concurrency)
        return RunReport(
            graders=tuple(lane.tally.report() for lane in lanes),
            wall_s=state.elapsed_s,
            stopped="budget" if budget.exhausted else None,
        )


def _check(
    graders: Sequence[Grader], regrade: int, concurrency: int, max_cost: float | None
) -> None:
    names = [grader.name for grader in graders]
    if not names:
        raise UsageError("a run needs at least one grader")
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"grader {name!r} is given twice")
        if Path(name).name != name:
            raise UsageError(f"grader {name!r} cannot be a file name")
    if regrade < 0 or concurrency < 1 or (max_cost is not None and not max_cost >= 0):
        raise UsageError(
            "regrade and max_cost are at least 0 and concurrency at least 1",
            found=f"regrade={regrade}, max_cost={max_cost}, concurrency={concurrency}",
        )


def _open_lane(grader: Grader, journal_dir: Path, stack: ExitStack) -> _Lane:
    return _Lane(grader, stack.enter_context(Journal(journal_path(journal_dir, grader.name))))


def _jobs(lanes: Sequence[_Lane], items: Iterable[Item], regrade: int) -> Iterator[_Job]:
    for item in items:
        for lane in lanes:
            for number in range(regrade + 1):
                yield _Job(lane, item, number)


async def _work(state: _Run, concurrency: int) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(state.work())
    except BaseExceptionGroup as errors:
        raise _first(errors) from errors


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


class _Run:
    """What the workers share."""

    def __init__(
        self,
        jobs: Iterator[_Job],
        budget: Budget,
        total: int | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._jobs = jobs
        self._budget = budget
        self._total = total
        self._on_progress = on_progress
        self._started = time.monotonic()
        self._done = 0
        self._cached = 0
        self._failed = 0
        self._paid_usd = 0.0

    @property
    def elapsed_s(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._started

    async def work(self) -> None:
        """Take jobs until there are none; one worker of several."""
        for job in self._jobs:
            if not self._answered(job):
                await self._grade(job)
            self._step()
            if self._done % _YIELD_EVERY == 0:
                await asyncio.sleep(0)

    def _answered(self, job: _Job) -> bool:
        lane = job.lane
        key = verdict_key(job.item.id, hash_of(job.item), job.regrade)
        if key in lane.taken:
            raise InputError(
                f"item {job.item.id!r} is given twice", mend="give each item its own id"
            )
        lane.taken.add(key)
        status = lane.finished.get(key)
        if status is None:
            return False
        lane.tally.add_cached(status)
        self._cached += 1
        return True

    async def _grade(self, job: _Job) -> None:
        lane = job.lane
        held = self._budget.hold(lane.grader, job.item)
        if held is None:
            lane.tally.add_failed("budget")
            self._failed += 1
            return
        try:
            verdict = await _verdict(job)
        except BaseException:
            self._budget.give_back(held)
            raise
        verdict = _kept(lane.journal, verdict)
        self._budget.settle(lane.grader, held, verdict)
        lane.tally.add(verdict, self.elapsed_s)
        self._failed += verdict.status == "failed"

    def _step(self) -> None:
        self._done += 1
        if self._on_progress is None:
            return
        fresh = self._done - self._cached
        rate = fresh / self.elapsed_s if self.elapsed_s > 0 else 0.0
        left = None if self._total is None else self._total - self._done
        self._on_progress(
            Progress(
                done=self._done,
                total=self._total,
                cached=self._cached,
                failed=self._failed,
                cost_usd=self._budget.spent,
                per_second=rate,
                eta_s=left / rate if left is not None and rate > 0 else None,
            )
        )


def _kept(journal: Journal, verdict: Verdict) -> Verdict:
    try:
        journal.append(verdict)
    except PydanticSerializationError:  # a lone surrogate, which UTF-8 cannot carry
        verdict = verdict.in_utf8()
        journal.append(verdict)
    return verdict


async def _verdict(job: _Job) -> Verdict:
    started = time.monotonic()
    try:
        return await job.lane.grader.grade(job.item, regrade=job.regrade)
    except Exception as error:
        if isinstance(error, JudgekitError) and not isinstance(error, ItemError | ProviderFailed):
            raise
        return Verdict(
            item_id=job.item.id,
            grader=job.lane.grader.name,
            fingerprint=job.lane.fingerprint,
            item_hash=hash_of(job.item),
            regrade=job.regrade,
            status="failed",
            kind=error.kind if isinstance(error, ProviderFailed) else "grader",
            reason=f"{type(error).__name__}: {error}",
            latency_s=time.monotonic() - started,
        )
