"""k trials of each case, each isolated, each recorded whole as it ends; resumed after any death."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from judgekit.errors import UsageError
from judgekit.model.agent import Agent, TrialSet
from judgekit.model.canonical import unit_interval
from judgekit.model.case import Case
from judgekit.model.trial import Trial
from judgekit.store.trial_journal import TrialJournal
from judgekit.trials.launch import Ended, launch
from judgekit.trials.request import TrialRequest, shown_case
from judgekit.trials.tapes import Tapes

FIRST_MOMENT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""The time that trial 0 is to believe in; each further trial is a day later."""


class Side(NamedTuple):
    """One agent of a session: its name, itself, what it is made of, and where trials are kept."""

    name: str
    agent: Agent
    made_of: TrialSet
    state: dict[str, Any] | None
    path: Path
    tapes: Tapes | None = None


class Tally(NamedTuple):
    """What a session did for one side: attempts found finished, made now, and their money."""

    name: str
    found: int
    made: int
    cost_usd: float | None


class _Job(NamedTuple):
    side: Side
    journal: TrialJournal
    case: Case
    number: int


async def repeat(
    sides: Sequence[Side],
    cases: Sequence[Case],
    *,
    k: int,
    seed: str,
    root: Path,
    concurrency: int = 2,
    max_cost: float | None = None,
    on_trial: Callable[[str, Trial], None] | None = None,
) -> tuple[Tally, ...]:
    """Make k trials of each case with each agent and return the counts; trials are in the files.

    Candidate and baseline are interleaved: trial by trial, the order of the two changing each
    time, so that what drifts over the session meets both. Finished attempts are not made again;
    after a death at most the attempts in flight are. An attempt that fails through the
    infrastructure is recorded and stays in the denominator.

    Raises:
        UsageError: k or concurrency is below 1, or there is no case.
        InputError: a file holds trials of another configuration.
        StoreFailed: a file cannot be written, or another process holds it.
    """
    if k < 1 or concurrency < 1:
        raise UsageError("k and concurrency are at least 1", found=f"k={k}, {concurrency=}")
    if not cases:
        raise UsageError("there is no case to try", expected="at least one golden")
    with ExitStack() as stack:
        journals = [stack.enter_context(TrialJournal(side.path, side.made_of)) for side in sides]
        session = _Session(root, seed, max_cost, on_trial)
        found = [len(journal.finished) for journal in journals]
        jobs = iter(list(_jobs(sides, journals, cases, k)))
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(session.work(jobs))
        return tuple(
            Tally(side.name, n, session.made[side.name], session.cost[side.name])
            for side, n in zip(sides, found, strict=True)
        )


class _Session:
    def __init__(
        self,
        root: Path,
        seed: str,
        max_cost: float | None,
        on_trial: Callable[[str, Trial], None] | None,
    ) -> None:
        self.root = root
        self.seed = seed
        self.max_cost = max_cost
        self.on_trial = on_trial
        self.made: dict[str, int] = _Zero()
        self.cost: dict[str, float | None] = _Unknown()
        self.spent = 0.0

    async def work(self, jobs: Iterator[_Job]) -> None:
        for job in jobs:
            if self.max_cost is not None and self.spent >= self.max_cost:
                return
            request = self._request(job)
            started = datetime.now(UTC)
            tapes = job.side.tapes
            played = {} if tapes is None else tapes.variables(job.case.id, job.number)
            ended = await launch(job.side.agent, request, root=self.root, variables=played)
            trial = _trial(job, ended, started)
            job.journal.append(trial)
            self.made[job.side.name] += 1
            if trial.cost_usd is not None:
                self.spent += trial.cost_usd
                self.cost[job.side.name] = (self.cost[job.side.name] or 0.0) + trial.cost_usd
            if self.on_trial is not None:
                self.on_trial(job.side.name, trial)

    def _request(self, job: _Job) -> TrialRequest:
        parts = (self.seed, job.case.id, str(job.number))
        agent = job.side.agent
        return TrialRequest(
            **shown_case(job.case),
            number=job.number,
            identifier=str(uuid.uuid5(uuid.NAMESPACE_OID, "\x1f".join(parts))),
            seed=int(unit_interval(*parts) * 2**32),
            now=(FIRST_MOMENT + timedelta(days=job.number)).isoformat(),
            timezone=agent.timezone,
            locale=agent.locale,
            settings=agent.settings,
            state=job.side.state,
        )


class _Zero(dict[str, int]):
    def __missing__(self, _key: str) -> int:
        return 0


class _Unknown(dict[str, float | None]):
    def __missing__(self, _key: str) -> None:
        return None


def _jobs(
    sides: Sequence[Side], journals: Sequence[TrialJournal], cases: Sequence[Case], k: int
) -> Iterator[_Job]:
    both = list(zip(sides, journals, strict=True))
    for number in range(k):
        for place, case in enumerate(cases):
            order = both if (number + place) % 2 == 0 else both[::-1]
            for side, journal in order:
                if (case.id, number) not in journal.finished:
                    yield _Job(side, journal, case, number)


def _trial(job: _Job, ended: Ended, started: datetime) -> Trial:
    body: dict[str, Any] = {}
    if ended.answer is not None:
        body = ended.answer.model_dump(exclude={"infrastructure"}, exclude_none=True)
    return Trial.model_validate(
        {
            **body,
            "case_id": job.case.id,
            "number": job.number,
            "ending": ended.how,
            "error": ended.error,
            "state_before": job.side.state,
            "latency_s": ended.latency_s,
            "started_at": started,
            "configuration": job.side.made_of.configuration,
            "cost_usd": _cost(ended),
        }
    )


def _cost(ended: Ended) -> float | None:
    """Return what the agent says it cost, else the sum of its model calls where all are known."""
    if ended.answer is None:
        return None
    if ended.answer.cost_usd is not None:
        return ended.answer.cost_usd
    calls = ended.answer.model_calls
    known = [call.cost_usd for call in calls or () if call.cost_usd is not None]
    return sum(known) if calls and len(known) == len(calls) else None
