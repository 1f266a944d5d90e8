"""What `judgekit repeat` runs and reads back."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.cli.output import say
from judgekit.cli.progress import trial_text
from judgekit.errors import BudgetExceeded, InputError

if TYPE_CHECKING:
    from judgekit.model.agent import Agent
    from judgekit.model.case import Case
    from judgekit.model.scoring import ScoringRules
    from judgekit.model.trial import Trial, TrialKey
    from judgekit.process.repeat_compare import Pairs
    from judgekit.process.repeat_records import RepeatComparison, RepeatReport
    from judgekit.trials.repeat import Side, Tally
    from judgekit.trials.tapes import Tapes

OUTSIDE_FAILED = 5
NOT_ENOUGH = 3
SUFFIX = ".trials.jsonl"


class Session:
    """One session of `repeat`: the agents, the cases and the rules.

    `all_cases` are those of the dataset, also where `cases` are fewer.
    """

    def __init__(
        self,
        sides: Sequence[Side],
        cases: Sequence[Case],
        rules: ScoringRules,
        *,
        all_cases: Sequence[Case],
        k: int,
        seed: str,
        root: Path,
        against: bool,
    ) -> None:
        self.sides = tuple(sides)
        self.cases = tuple(cases)
        self.all_cases = tuple(all_cases)
        self.rules = rules
        self.k = k
        self.seed = seed
        self.root = root
        self.against = against

    def announce(self) -> None:
        """Say what is going to be tried, before anything is spent."""
        n = len(self.cases) * self.k
        for side in self.sides:
            tapes = "" if side.tapes is None else f", cassettes {side.tapes.mode}"
            say(
                f"{side.name}: {n} trials ({self.k} of each of {len(self.cases)} cases), each at "
                f"most {side.agent.limits.timeout_s:g} s{tapes}, into {side.path}"
            )
            say(f"{side.name}: {self._estimate(side)}")
            unset = [name for name in side.agent.scope.credentials if not os.environ.get(name)]
            if unset:
                say(f"{side.name}: {', '.join(unset)} of its credentials is not set here")

    def _estimate(self, side: Side) -> str:
        """Return what is still to be spent, going by the trials that the file holds."""
        wanted = {case.id for case in self.cases}
        held = _readable(side.path)
        finished = sum(t.case_id in wanted and (t.number or 0) < self.k for t in held)
        left = len(wanted) * self.k - finished
        if not left:
            return "0 to make: what was made is kept (--out names a folder for a new set)"
        known = [trial.cost_usd for trial in held if trial.cost_usd is not None]
        if not known:
            return f"{left} to make, cost unknown (no trial so far says what it cost)"
        mean = sum(known) / len(known)
        return f"{left} to make, about {left * mean:.4g} USD at {mean:.4g} a trial so far"

    def with_sides(self, sides: Sequence[Side], cases: Sequence[Case]) -> Session:
        """Return a session of other sides over some of the cases, without a comparison."""
        return Session(
            sides, cases, self.rules, all_cases=self.all_cases, k=self.k, seed=self.seed,
            root=self.root, against=False,
        )  # fmt: skip


def _readable(path: Path) -> list[Trial]:
    """Return the trials up to the first bad line; the journal cuts a torn one, refuses others."""
    from judgekit.store.trials_file import iter_trials

    found: list[Trial] = []
    if path.is_file() and path.stat().st_size:
        with suppress(InputError):
            found.extend(iter_trials(path))
    return found


class Known:
    """All trials that the file of a side holds about the cases of a session, scored."""

    def __init__(self, side: Side, session: Session) -> None:
        from judgekit.scorers.trial_scoring import correctness, score_trials
        from judgekit.store.trials_file import read_trials

        known = {case.id for case in session.cases}
        self.side = side
        self.trials = [one for one in read_trials(side.path) if one.case_id in known]
        self.scores = score_trials(session.cases, self.trials, session.rules)
        self.answers = correctness(self.scores, session.rules).answers

    def by_case(self) -> dict[str, list[bool]]:
        """Return whether the trials of each case were correct, those left out that the
        infrastructure failed or that could not be decided."""
        found: dict[str, list[bool]] = {}
        for score, answer in zip(self.scores, self.answers, strict=True):
            if score.ending != "infrastructure" and answer is not None:
                found.setdefault(score.case_id, []).append(answer)
        return found

    def by_number(self) -> dict[TrialKey, bool]:
        """Return whether each trial is correct; one that could not be decided is not."""
        return {
            one.key: answer is True for one, answer in zip(self.trials, self.answers, strict=True)
        }


class Tried:
    """What a session left behind: the reports over all that its files hold."""

    def __init__(self, session: Session, tallies: Sequence[Tally]) -> None:
        from judgekit.process.repeat_report import repeat_report

        self.session = session
        self.tallies = tuple(tallies)
        self.paths = tuple(side.path for side in session.sides)
        self.known = [Known(side, session) for side in session.sides]
        self.reports: list[RepeatReport] = [
            repeat_report(
                one.side.name, session.cases, one.trials, one.scores, session.rules,
                made_of=one.side.made_of,
            )
            for one in self.known
        ]  # fmt: skip

    def comparison(self, declared: tuple[str, ...]) -> RepeatComparison | None:
        """Return candidate against baseline; None without a baseline."""
        from judgekit.process.repeat_compare import compare_repeats
        from judgekit.store.trial_journal import changed_components

        if not self.session.against:
            return None
        candidate, baseline = self.session.sides[:2]
        return compare_repeats(
            self.reports[0],
            self.reports[1],
            self._pairs(),
            changed=changed_components(baseline.made_of, candidate.made_of),
            declared=declared,
        )

    def exit_code(self, comparison: RepeatComparison | None) -> int:
        """Return 5 where the ceiling of costs left trials out or where no trial was available, 3
        where none could be decided, 1 where the candidate is worse, else 0."""
        if any(tally.left for tally in self.tallies):
            return OUTSIDE_FAILED
        for report in self.reports:
            if report.endings.get("infrastructure", 0) == report.n_trials:
                return OUTSIDE_FAILED
        if any(set(one.answers) == {None} for one in self.known):
            return NOT_ENOUGH
        return 1 if comparison is not None and comparison.outcome == "worse" else 0

    def spent(self) -> float:
        """Return the known costs of this session."""
        return sum(tally.cost_usd or 0.0 for tally in self.tallies)

    def _pairs(self) -> Pairs:
        first, second = (one.by_number() for one in self.known[:2])
        pairs: dict[str, tuple[list[bool], list[bool]]] = {}
        for key in sorted(first.keys() & second.keys()):
            one, other = pairs.setdefault(key[0], ([], []))
            one.append(first[key])
            other.append(second[key])
        return pairs


def side_of(
    session: Session,
    name: str,
    agent: Agent,
    folder: Path,
    *,
    tapes: Tapes | None = None,
    played: str | None = None,
) -> Side:
    """Return one side of a session; `played` says what its trials are played from, if they are.

    Raises:
        InputError: a file of its configuration is not there.
    """
    from judgekit.trials.configuration import fixture_of, trial_set
    from judgekit.trials.repeat import Side

    made_of = trial_set(
        name,
        agent,
        session.all_cases,
        root=session.root,
        k=session.k,
        seed=session.seed,
        settings=agent.settings,
        rules_hash=session.rules.content_hash,
        tapes=played,
    )
    path = folder / f"{file_stem(name)}{SUFFIX}"
    return Side(name, agent, made_of, fixture_of(agent, session.root), path, tapes)


def file_stem(name: str) -> str:
    """Return the name of an agent as a file may be called."""
    return "".join(c if c.isalnum() or c in "-_.@+" else "_" for c in name)


def run_session(
    session: Session,
    *,
    concurrency: int,
    max_cost: float | None,
    retry_infrastructure: bool = False,
) -> Tried:
    """Make the trials that are missing and return what the files then hold.

    Raises:
        BudgetExceeded: the ceiling of costs allowed no trial at all.
    """
    from judgekit.trials.repeat import repeat

    done = {side.name: 0 for side in session.sides}

    def report(name: str, trial: Trial) -> None:
        done[name] += 1
        if trial.ending not in (None, "finished") or done[name] % 20 == 0:
            say(f"{name}: {trial_text(trial, done[name])}")

    tallies = asyncio.run(
        repeat(
            session.sides, session.cases, k=session.k, seed=session.seed, root=session.root,
            concurrency=concurrency, max_cost=max_cost, retry_infrastructure=retry_infrastructure,
            on_trial=report,
        )
    )  # fmt: skip
    for tally in tallies:
        say(_tally_line(tally, max_cost))
        if not tally.found + tally.made:
            raise BudgetExceeded(
                f"the ceiling of costs allowed no trial of {tally.name!r}", mend="raise --max-cost"
            )
    return Tried(session, tallies)


def _tally_line(tally: Tally, max_cost: float | None) -> str:
    parts = [f"{tally.made} trials made", f"{tally.found} found finished"]
    if tally.left:
        unknown = " and what a trial costs is not known" if tally.unknown_cost else ""
        parts.append(f"{tally.left} not made (--max-cost {max_cost:g}{unknown})")
    if tally.cost_usd is not None:
        parts.append(f"{tally.cost_usd:.4g} USD")
    return f"{tally.name}: {', '.join(parts)}"
