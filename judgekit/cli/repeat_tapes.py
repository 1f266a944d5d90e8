"""`judgekit repeat` with cassettes: recorded, replayed, played to attribute variance, perturbed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.cli.output import say
from judgekit.cli.repeat_inputs import SUFFIX, Known, Session, file_stem, run_session, side_of
from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.cli.repeat_inputs import Tried
    from judgekit.process.perturb_report import PerturbReport
    from judgekit.stats.estimate import Undefined
    from judgekit.stats.variance_share import VarianceShare
    from judgekit.trials.perturb import Perturbation
    from judgekit.trials.repeat import Side
    from judgekit.trials.tapes import Tapes

MODES = ("record", "replay", "auto")
PLAYED = "tools-played"
_RECORD = "judgekit repeat --cassettes record (into another --out where trials are finished)"


def with_tapes(session: Session, side: Side, mode: str) -> Side:
    """Return the side with cassettes beside its trials.

    Recording changes nothing of what happens, so its trials are the agent's own; replayed ones
    are kept in a file of their own.

    Raises:
        UsageError: there is no such mode, or the agent runs elsewhere.
    """
    if mode not in MODES:
        raise UsageError("there is no such mode", found=mode, expected=", ".join(MODES))
    tapes = _tapes(side)
    if mode == "record":
        return side._replace(tapes=tapes._replace(mode="record"))
    ids = [case.id for case in session.all_cases]
    if mode == "auto":
        tapes, played = tapes._replace(mode="auto"), "auto"
    else:
        played = f"replay {tapes.content_hash(ids)}"
    return side_of(
        session, f"{side.name}+{mode}", side.agent, side.path.parent, tapes=tapes, played=played
    )


def check_cassettes(session: Session) -> None:
    """Refuse a replay that lacks a cassette, before anything is written.

    Raises:
        InputError: says how many are missing, and where the first was looked for.
    """
    for side in session.sides:
        if side.tapes is None or side.tapes.mode != "replay":
            continue
        missing: list[InputError] = []
        for case in session.cases:
            for number in range(session.k):
                try:
                    side.tapes.held(case.id, number)
                except InputError as error:
                    missing.append(error)
        if missing:
            raise InputError(
                missing[0].message,
                where=missing[0].where,
                found=f"{len(missing)} of {session.k * len(session.cases)} are missing",
                mend=_RECORD,
            )


def say_what_was_recorded(tried: Tried) -> None:
    """Say where cassettes are, and warn where no attempt recorded a call."""
    for known in tried.known:
        side = known.side
        if side.tapes is None or side.tapes.mode != "record":
            continue
        files = list(side.tapes.folder.glob("*.jsonl"))
        without = _without_cassette(side.tapes, known)
        if without:
            say(f"{side.name}: {without} finished trials have no cassette; another --out has all")
        calls = sum(path.stat().st_size > 0 for path in files)
        say(f"{side.name}: {len(files)} cassettes in {side.tapes.folder}")
        if files and not calls:
            say(f"{side.name}: no call was recorded; an agent calls through open_cassette()")


def _without_cassette(tapes: Tapes, known: Known) -> int:
    from judgekit.trials.tapes import tape_path

    return sum(not tape_path(tapes.folder, *trial.key).is_file() for trial in known.trials)


class Attributed:
    """Live trials and as many with tools that answer alike, and the agent's share of variance."""

    def __init__(self, live: Tried, played: Tried) -> None:
        from judgekit.process.variance_share import agent_share

        self.live = live
        self.played = played
        self.share: VarianceShare | Undefined = agent_share(
            live.known[0].by_case(), played.known[0].by_case()
        )


def attribute(session: Session, live: Tried, *, concurrency: int, max_cost: float | None) -> Tried:
    """Make as many trials with tools played from each case's first cassette.

    Raises:
        InputError: no case has a cassette.
    """
    from judgekit.trials.tapes import first_tape

    side = session.sides[0]
    tapes = _tapes(side)._replace(mode="play", first_only=True, kinds=("tool",))
    cases = [case for case in session.cases if first_tape(tapes.folder, case.id) is not None]
    if not cases:
        raise InputError("no case has a cassette", where=str(tapes.folder), mend=_RECORD)
    for case in session.cases:
        if case not in cases:
            say(f"case {case.id} has no cassette and is left out")
    played = f"play tool first {tapes.content_hash(case.id for case in session.all_cases)}"
    name = f"{side.name}+{PLAYED}"
    other = side_of(session, name, side.agent, side.path.parent, tapes=tapes, played=played)
    second = session.with_sides([other], cases)
    second.announce()
    left = None if max_cost is None else max(0.0, max_cost - live.spent())
    return run_session(second, concurrency=concurrency, max_cost=left)


def perturb_sides(session: Session, changes: Sequence[Perturbation]) -> Session:
    """Return a session of one side for each change, its cassettes written beside the trials.

    Raises:
        InputError: there are no cassettes, or a change alters nothing.
    """
    from judgekit.trials.tapes import first_tape, perturbed_tapes

    side = session.sides[0]
    recorded = _tapes(side)
    cases = [case for case in session.cases if first_tape(recorded.folder, case.id) is not None]
    if not cases:
        raise InputError("there are no cassettes", where=str(recorded.folder), mend=_RECORD)
    sides = []
    for change in changes:
        name = f"{side.name}+{change.label}"
        into = _folder(side.path.with_name(file_stem(name) + SUFFIX))
        tapes = perturbed_tapes(recorded, change, into)
        played = f"{change.tool}={change.how} {tapes.content_hash(c.id for c in session.all_cases)}"
        sides.append(
            side_of(session, name, side.agent, side.path.parent, tapes=tapes, played=played)
        )
    return session.with_sides(sides, cases)


def perturb_reports(
    session: Session, changes: Sequence[Perturbation], tried: Tried
) -> list[PerturbReport]:
    """Return for each change what the agent did next, beside the recorded trials of the cases."""
    from judgekit.process.perturb_report import perturb_report
    from judgekit.trials.cassette_file import read_cassette
    from judgekit.trials.perturb import changed_places

    side = session.sides[0]
    live = Known(side, tried.session) if side.path.is_file() else None
    _say_what_changed(side)
    changing = session.rules.tools.changing
    found = []
    for change, one in zip(changes, tried.known, strict=True):
        tapes = one.side.tapes
        places = {
            t.key: changed_places(read_cassette(tapes.held(*t.key)))
            for t in one.trials
            if tapes is not None
        }
        found.append(
            perturb_report(
                change, one.trials, one.scores, one.answers, places, changing,
                live=[] if live is None else live.scores,
                live_answers=[] if live is None else live.answers,
            )
        )  # fmt: skip
    return found


def _say_what_changed(side: Side) -> None:
    from judgekit.store.trial_journal import changed_components, read_trial_set

    before = read_trial_set(side.path)
    changed = () if before is None else changed_components(before, side.made_of)
    if changed:
        say(f"{side.name}: the recorded trials differ in {', '.join(changed)}")


def changes_of(texts: Sequence[str]) -> list[Perturbation]:
    """Return the perturbations that the options name.

    Raises:
        UsageError: one cannot be read, or is named twice.
    """
    from judgekit.trials.perturb import Perturbation

    found = [Perturbation.parse(text) for text in texts]
    if len({(one.tool, one.how) for one in found}) < len(found):
        raise UsageError("each perturbation once", found=", ".join(texts))
    return found


def _tapes(side: Side) -> Tapes:
    from judgekit.trials.tapes import Tapes

    if side.agent.kind == "http":
        raise UsageError(
            f"the agent {side.name!r} runs elsewhere: its calls cannot be recorded from here",
            found=f"url {side.agent.url}",
            expected="a function or a command",
        )
    return Tapes(_folder(side.path), "replay")


def _folder(trials: Path) -> Path:
    return trials.with_name(trials.name.removesuffix(SUFFIX) + ".cassettes")
