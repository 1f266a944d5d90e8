"""What `judgekit repeat` reads, runs and reads back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.cli.output import say
from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.model.agent import Agent
    from judgekit.model.case import Case
    from judgekit.model.scoring import ScoringRules
    from judgekit.model.trial import Trial
    from judgekit.process.repeat_compare import Pairs
    from judgekit.process.repeat_records import RepeatComparison, RepeatReport
    from judgekit.store.workspace import Workspace
    from judgekit.trials.repeat import Side, Tally

DEFAULT = "default"
OUTSIDE_FAILED = 5


class Session:
    """One session of `repeat`: the agents, the cases and the rules."""

    def __init__(
        self,
        sides: Sequence[Side],
        cases: Sequence[Case],
        rules: ScoringRules,
        *,
        k: int,
        seed: str,
        root: Path,
        against: bool,
    ) -> None:
        self.sides = tuple(sides)
        self.cases = tuple(cases)
        self.rules = rules
        self.k = k
        self.seed = seed
        self.root = root
        self.against = against

    def announce(self) -> None:
        """Say what is going to be tried, before anything is spent."""
        n = len(self.cases) * self.k
        for side in self.sides:
            say(
                f"{side.name}: {n} trials ({self.k} of each of {len(self.cases)} cases), each at "
                f"most {side.agent.limits.timeout_s:g} s, into {side.path}"
            )


class Tried:
    """What a session left behind: the reports over all that its files hold."""

    def __init__(self, session: Session, tallies: Sequence[Tally]) -> None:
        from judgekit.process.repeat_report import repeat_report
        from judgekit.scorers.trial_scoring import correctness, score_trial
        from judgekit.store.trials_file import read_trials

        self.session = session
        self.tallies = tuple(tallies)
        self.paths = tuple(side.path for side in session.sides)
        known = {case.id: case for case in session.cases}
        self.reports: list[RepeatReport] = []
        self._answers: list[dict[tuple[str, int], bool]] = []
        for side in session.sides:
            trials = [one for one in read_trials(side.path) if _wanted(one, known, session.k)]
            scores = [score_trial(known[one.case_id or ""], one, session.rules) for one in trials]
            self.reports.append(
                repeat_report(
                    side.name, session.cases, trials, scores, session.rules, made_of=side.made_of
                )
            )
            answers = correctness(scores, session.rules).answers
            keys = [(one.case_id or "", one.number or 0) for one in trials]
            self._answers.append(
                {key: answer is True for key, answer in zip(keys, answers, strict=True)}
            )

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
        """Return 5 where no trial was available, 1 where the candidate is worse, else 0."""
        for report in self.reports:
            if report.endings.get("infrastructure", 0) == report.n_trials:
                return OUTSIDE_FAILED
        return 1 if comparison is not None and comparison.outcome == "worse" else 0

    def _pairs(self) -> Pairs:
        first, second = self._answers[:2]
        pairs: dict[str, tuple[list[bool], list[bool]]] = {}
        for key in sorted(first.keys() & second.keys()):
            one, other = pairs.setdefault(key[0], ([], []))
            one.append(first[key])
            other.append(second[key])
        return pairs


def plan_session(
    *,
    agent: str | None,
    baseline: str | None,
    k: int,
    goldens: Path | None,
    dataset: str | None,
    workspace: Path | None,
    rules: str | None,
    case: str | None,
    temperature: str | None,
    seed: str,
    out: Path | None,
) -> Session:
    """Return the session that the options describe; nothing is started or written.

    Raises:
        UsageError: the options do not fit together.
        InputError: an agent, the goldens or the rules cannot be used.
    """
    from judgekit.cli.score_inputs import read_cases
    from judgekit.store.scoring_rules import scoring_rules
    from judgekit.store.workspace import find_workspace

    if agent is None:
        raise UsageError("no agent is named", expected="--agent NAME, or --agent module:function")
    if temperature is not None and baseline is not None:
        raise UsageError("--temperature and --baseline are two sessions", mend="run one by one")
    place = find_workspace(workspace)
    chosen = scoring_rules(place.root, rules)
    cases = read_cases(goldens, dataset, place, case)
    folder = out or place.state_dir / "trials"
    named = _agents(place, agent, baseline, temperature)
    sides = [
        _side(name, one, cases, chosen, place.root, folder, k, seed) for name, one in named.items()
    ]
    return Session(
        sides, cases, chosen, k=k, seed=seed, root=place.root, against=baseline is not None
    )


def run_session(session: Session, *, concurrency: int, max_cost: float | None) -> Tried:
    """Make the trials that are missing and return what the files then hold."""
    from judgekit.trials.repeat import repeat

    done = {side.name: 0 for side in session.sides}
    total = len(session.cases) * session.k

    def report(name: str, trial: Trial) -> None:
        done[name] += 1
        ending = trial.ending or "finished"
        if ending != "finished" or done[name] % 20 == 0:
            say(f"{name}: case {trial.case_id} trial {trial.number} {ending} ({done[name]} made)")

    tallies = asyncio.run(
        repeat(
            session.sides, session.cases, k=session.k, seed=session.seed, root=session.root,
            concurrency=concurrency, max_cost=max_cost, on_trial=report,
        )
    )  # fmt: skip
    for tally in tallies:
        missing = total - tally.found - tally.made
        rest = f", {missing} not made (--max-cost)" if missing > 0 else ""
        say(f"{tally.name}: {tally.made} trials made, {tally.found} found finished{rest}")
    return Tried(session, tallies)


def _wanted(trial: Trial, known: dict[str, Case], k: int) -> bool:
    return trial.case_id in known and (trial.number or 0) < k


def _agents(
    place: Workspace, agent: str, baseline: str | None, temperature: str | None
) -> dict[str, Agent]:
    own = _agent(place, agent)
    if temperature is not None:
        return {_named(agent, value): _heated(own, value) for value in _values(temperature)}
    named = {agent: own}
    if baseline is not None:
        if baseline == agent:
            raise UsageError("an agent cannot be its own baseline", found=agent)
        named[baseline] = _agent(place, baseline)
    return named


def _agent(place: Workspace, name: str) -> Agent:
    from judgekit.model.agent import Agent

    if name not in place.settings.agents and ":" in name:
        return Agent(function=name)
    return place.agent(name)


def _values(text: str) -> list[float | None]:
    found: list[float | None] = []
    for part in text.split(","):
        word = part.strip()
        try:
            found.append(None if word == DEFAULT else float(word))
        except ValueError as error:
            raise UsageError(
                "a temperature cannot be used", found=word, expected=f"a number or {DEFAULT}"
            ) from error
    if len(set(found)) != len(found):
        raise UsageError("each temperature once", found=text)
    return found


def _heated(agent: Agent, value: float | None) -> Agent:
    settings = {name: one for name, one in agent.settings.items() if name != "temperature"}
    if value is not None:
        settings["temperature"] = value
    return agent.model_copy(update={"settings": settings})


def _named(agent: str, value: float | None) -> str:
    return f"{agent}@{DEFAULT if value is None else f'{value:g}'}"


def _side(
    name: str,
    agent: Agent,
    cases: Sequence[Case],
    rules: ScoringRules,
    root: Path,
    folder: Path,
    k: int,
    seed: str,
) -> Any:
    from judgekit.trials.configuration import fixture_of, trial_set
    from judgekit.trials.repeat import Side

    made_of = trial_set(
        name,
        agent,
        tuple(cases),
        root=root,
        k=k,
        seed=seed,
        settings=agent.settings,
        rules_hash=rules.content_hash,
    )
    file = "".join(c if c.isalnum() or c in "-_.@" else "_" for c in name)
    return Side(name, agent, made_of, fixture_of(agent, root), folder / f"{file}.trials.jsonl")
