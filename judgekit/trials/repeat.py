"""k trials of each case, each isolated, each recorded whole as it ends; resumed after any death."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from judgekit.errors import JudgekitError, UsageError
from judgekit.model.agent import Agent, TrialSet
from judgekit.model.canonical import unit_interval
from judgekit.model.case import Case
from judgekit.model.secrets import without
from judgekit.model.trial import Ending, Trial
from judgekit.store.trial_journal import TrialJournal
from judgekit.trials.launch import Ended, check_agent, credentials, launch
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
    """What a session did for one side: trials found, made now and left out, and their money.

    `cost_usd` is the sum over trials of this session whose cost is known (None = of none),
    `unknown_cost` how many of them it lacks.
    """

    name: str
    found: int
    made: int
    left: int
    cost_usd: float | None
    unknown_cost: int


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
    retry_infrastructure: bool = False,
    on_trial: Callable[[str, Trial], None] | None = None,
) -> tuple[Tally, ...]:
    """Make k trials of each case with each agent and return the counts; trials are in the files.

    Candidate and baseline are interleaved: trial by trial, the order of the two changing each
    time, so that what drifts over the session meets both. Finished attempts are not made again;
    after a death at most the attempts in flight are. An attempt that fails through the
    infrastructure is recorded and stays in the denominator; `retry_infrastructure` makes one more
    trial, under a further number, for each of them that has none yet.

    No attempt starts once the known costs of this session reach `max_cost`, or once an agent has
    finished one without saying what it cost: what is not known cannot be limited.

    Raises:
        UsageError: k or concurrency is below 1, `max_cost` is no amount, or there is no case.
        InputError: a file has another configuration, an agent cannot start, a cassette is missing.
        StoreFailed: a file cannot be written, or another process holds it.
    """
    _check(sides, cases, k, concurrency, max_cost)
    fresh = [side for side in sides if not side.path.exists()]
    await _check_agents(fresh, root)  # before a file is made: what is refused leaves none behind
    with ExitStack() as stack:
        journals = _opened(sides, stack)
        jobs = _jobs(sides, journals, cases, k, retry_infrastructure)
        at_work = {job.side.name: job.side for job in jobs}.values()
        await _check_agents([side for side in at_work if side not in fresh], root)
        session = _Session(root, seed, max_cost, on_trial)
        waiting = iter(jobs)
        await _together([session.work(waiting) for _ in range(min(concurrency, len(jobs)))])
        return tuple(_tally(side, session, jobs, k, len(cases)) for side in sides)


async def _check_agents(sides: Sequence[Side], root: Path) -> None:
    for side in sides:
        await check_agent(side.agent, root)


def check_limits(k: int, concurrency: int, max_cost: float | None) -> None:
    """Refuse numbers that no session can have.

    Raises:
        UsageError: k or concurrency is below 1, or `max_cost` is no amount.
    """
    if k < 1 or concurrency < 1:
        raise UsageError("k and concurrency are at least 1", found=f"k={k}, {concurrency=}")
    if max_cost is not None and not (max_cost >= 0 and math.isfinite(max_cost)):
        raise UsageError(
            "the most to spend is no amount", found=f"{max_cost}", expected="0 or more"
        )


def _opened(sides: Sequence[Side], stack: ExitStack) -> list[TrialJournal]:
    """Return the journals of the sides; those that could be refused are opened first."""
    found = {
        side.name: stack.enter_context(TrialJournal(side.path, side.made_of))
        for side in sorted(sides, key=lambda side: not side.path.exists())
    }
    return [found[side.name] for side in sides]


def _check(
    sides: Sequence[Side], cases: Sequence[Case], k: int, concurrency: int, max_cost: float | None
) -> None:
    check_limits(k, concurrency, max_cost)
    if not cases:
        raise UsageError("there is no case to try", expected="at least one golden")
    paths = [side.path for side in sides]
    if len(set(paths)) < len(paths):
        raise UsageError(
            "two agents would write to one file",
            found=", ".join(side.name for side in sides),
            mend="give them names that differ in letters or digits",
        )


async def _together(workers: Sequence[Any]) -> None:
    try:
        async with asyncio.TaskGroup() as group:
            for worker in workers:
                group.create_task(worker)
    except BaseExceptionGroup as several:
        first: BaseException = several.subgroup(JudgekitError) or several
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from several


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
        self.made: dict[str, list[Trial]] = {}
        self.unlimited = False

    async def work(self, jobs: Iterator[_Job]) -> None:
        for job in jobs:
            if self._is_spent():
                return
            request = self._request(job)
            started = datetime.now(UTC)
            tapes = job.side.tapes
            played = {} if tapes is None else tapes.variables(job.case.id, job.number)
            ended = await launch(job.side.agent, request, root=self.root, variables=played)
            trial = job.journal.append(_trial(job, ended, started))
            self.made.setdefault(job.side.name, []).append(_slim(trial))
            self.unlimited |= trial.ending == "finished" and trial.cost_usd is None
            if self.on_trial is not None:
                self.on_trial(job.side.name, trial)

    def _is_spent(self) -> bool:
        if self.max_cost is None:
            return False
        spent = sum(trial.cost_usd or 0.0 for made in self.made.values() for trial in made)
        return self.unlimited or spent >= self.max_cost

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


def _jobs(
    sides: Sequence[Side],
    journals: Sequence[TrialJournal],
    cases: Sequence[Case],
    k: int,
    retry: bool,
) -> list[_Job]:
    """Return what is to be made, number by number and case by case, the first side alternating."""
    found: list[tuple[int, int, int, _Job]] = []
    for turn, (side, journal) in enumerate(zip(sides, journals, strict=True)):
        held: dict[str, dict[int, Ending]] = {}
        for (case_id, number), ending in journal.endings.items():
            held.setdefault(case_id, {})[number] = ending
        for place, case in enumerate(cases):
            for number in _numbers(held.get(case.id, {}), k, retry):
                order = turn if (number + place) % 2 == 0 else len(sides) - turn
                found.append((number, place, order, _Job(side, journal, case, number)))
    found.sort(key=lambda one: one[:3])
    return [job for *_, job in found]


def _numbers(held: dict[int, Ending], k: int, retry: bool) -> Iterator[int]:
    yield from (number for number in range(k) if number not in held)
    if retry:
        failed = sum(ending == "infrastructure" for ending in held.values())
        further = sum(number >= k for number in held)
        first = max((k - 1, *held)) + 1
        yield from range(first, first + max(0, failed - further))


def _tally(side: Side, session: _Session, jobs: Sequence[_Job], k: int, n_cases: int) -> Tally:
    made = session.made.get(side.name, [])
    mine = [job for job in jobs if job.side.name == side.name]
    known = [trial.cost_usd for trial in made if trial.cost_usd is not None]
    return Tally(
        name=side.name,
        found=k * n_cases - sum(job.number < k for job in mine),
        made=len(made),
        left=len(mine) - len(made),
        cost_usd=sum(known) if known else None,
        unknown_cost=len(made) - len(known),
    )


def _trial(job: _Job, ended: Ended, started: datetime) -> Trial:
    body: dict[str, Any] = {}
    if ended.answer is not None:
        body = ended.answer.model_dump(exclude={"infrastructure"}, exclude_none=True)
        body = without(body, credentials(job.side.agent))
    facts = {
        "case_id": job.case.id,
        "number": job.number,
        "state_before": job.side.state,
        "latency_s": ended.latency_s,
        "started_at": started,
        "configuration": job.side.made_of.configuration,
    }
    how = {"ending": ended.how, "error": ended.error}
    try:
        return Trial.model_validate({**body, **facts, **how, "cost_usd": _cost(ended)})
    except ValidationError as error:  # the attempt is over, and must not be lost or end the session
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        why = f"the answer cannot be kept: {place}: {first['msg']}"
        return Trial.model_validate({**facts, "ending": "crashed", "error": why})


def _slim(trial: Trial) -> Trial:
    """Return the little of a trial that the session remembers: a long one must not grow."""
    return Trial(ending=trial.ending, cost_usd=trial.cost_usd)


def _cost(ended: Ended) -> float | None:
    """Return what the agent says it cost, else the sum of its model calls where all are known."""
    if ended.answer is None:
        return None
    if ended.answer.cost_usd is not None:
        return ended.answer.cost_usd
    calls = ended.answer.model_calls
    known = [call.cost_usd for call in calls or () if call.cost_usd is not None]
    return sum(known) if calls and len(known) == len(calls) else None
