"""From the options of `judgekit repeat` to its session: agents, cases and rules."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from judgekit.cli.repeat_inputs import Session, side_of
from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.model.agent import Agent
    from judgekit.model.case import Case
    from judgekit.model.scoring import ScoringRules
    from judgekit.store.workspace import Workspace

DEFAULT = "default"
MOST_TRIALS = 100_000


class RepeatOptions(NamedTuple):
    """The options of one `judgekit repeat` that say what is tried, as given."""

    agent: str | None
    baseline: str | None
    k: int
    goldens: Path | None
    dataset: str | None
    workspace: Path | None
    rules: str | None
    case: str | None
    temperature: str | None
    seed: str
    out: Path | None
    cassettes: str | None


def plan_session(options: RepeatOptions) -> Session:
    """Return the session that the options describe; nothing is started or written.

    Raises:
        UsageError: the options do not fit together.
        InputError: an agent, the goldens, the rules or a cassette cannot be used.
    """
    from judgekit.store.workspace import find_workspace

    agent = _checked(options)
    place = find_workspace(options.workspace)
    every, rules = _cases_and_rules(options, place)
    session = Session(
        (),
        every if options.case is None else _cases(options, place, options.case),
        rules,
        all_cases=every,
        k=options.k,
        seed=options.seed,
        root=place.root,
        against=options.baseline is not None,
    )
    named = _agents(place, agent, options.baseline, options.temperature)
    folder = options.out or place.state_dir / "trials"
    _add_sides(session, named, folder, options.cassettes)
    return session


def _checked(options: RepeatOptions) -> str:
    """Return the agent's name; refuse options that do not fit together."""
    if options.agent is None:
        raise UsageError("no agent is named", expected="--agent NAME, or --agent module:function")
    if options.temperature is not None and options.baseline is not None:
        raise UsageError("--temperature and --baseline are two sessions", mend="run one by one")
    if not options.seed.isprintable():
        raise UsageError("the seed is no readable text", found=ascii(options.seed)[:80])
    if not 1 <= options.k <= MOST_TRIALS:
        raise UsageError(
            "each case is tried at least once",
            found=f"--k {options.k}",
            expected=f"1 to {MOST_TRIALS}",
        )
    return options.agent


def _cases_and_rules(
    options: RepeatOptions, place: Workspace
) -> tuple[tuple[Case, ...], ScoringRules]:
    from judgekit.scorers.rule_sources import with_sources
    from judgekit.store.scoring_rules import scoring_rules

    chosen = scoring_rules(place.root, options.rules)
    every = _cases(options, place, None)
    return every, with_sources(chosen, every, place.root)


def _cases(options: RepeatOptions, place: Workspace, case: str | None) -> tuple[Case, ...]:
    from judgekit.cli.score_inputs import read_cases

    return read_cases(options.goldens, options.dataset, place, case)


def _add_sides(
    session: Session, named: dict[str, Agent], folder: Path, cassettes: str | None
) -> None:
    from judgekit.cli.repeat_tapes import check_cassettes, with_tapes

    session.sides = tuple(side_of(session, name, one, folder) for name, one in named.items())
    if cassettes is not None:
        session.sides = tuple(with_tapes(session, one, cassettes) for one in session.sides)
        check_cassettes(session)


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
    from pydantic import ValidationError

    from judgekit.model.agent import Agent

    if name in place.settings.agents or ":" not in name:
        return place.agent(name)
    try:
        return Agent(function=name)
    except ValidationError as error:
        raise UsageError(
            "the agent's function cannot be read", found=name, expected="module:function"
        ) from error


def _values(text: str) -> list[float | None]:
    found: list[float | None] = []
    for part in text.split(","):
        word = part.strip()
        try:
            found.append(None if word == DEFAULT else float(word))
            if found[-1] is not None and not math.isfinite(found[-1]):
                raise ValueError("not finite")
        except ValueError as error:
            raise UsageError(
                "a temperature cannot be used", found=word, expected=f"a number or {DEFAULT}"
            ) from error
    if len(set(found)) != len(found):
        raise UsageError("each temperature once", found=text)
    return found


def _heated(agent: Agent, value: float | None) -> Agent:
    settings: dict[str, Any] = {n: v for n, v in agent.settings.items() if n != "temperature"}
    if value is not None:
        settings["temperature"] = value
    return agent.model_copy(update={"settings": settings})


def _named(agent: str, value: float | None) -> str:
    if value is None:
        return f"{agent}@{DEFAULT}"
    short = f"{value:g}"
    return f"{agent}@{short if float(short) == value else value}"
