"""The three ways of `judgekit repeat`: plainly, to attribute variance, and with tricky results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.cli.repeat_command import Limited
    from judgekit.cli.repeat_inputs import Session, Tried


class Found(NamedTuple):
    """What the command has to say: text for people, one JSON object, and the exit code."""

    text: str = ""
    body: dict[str, Any] | None = None
    exit_code: int = 0


def check_modes(
    attribute: bool,
    perturb: Sequence[str],
    cassettes: str | None,
    baseline: str | None,
    temperature: str | None,
) -> None:
    """Refuse options that are several sessions at once.

    Raises:
        UsageError: they do not fit together.
    """
    if attribute and perturb:
        raise UsageError("--attribute and --perturb are two sessions", mend="run one by one")
    name = "--attribute" if attribute else "--perturb" if perturb else None
    given = {"--cassettes": cassettes, "--baseline": baseline, "--temperature": temperature}
    other = next((option for option, value in given.items() if value is not None), None)
    if name is not None and other is not None:
        raise UsageError(
            f"{name} is a session of its own", found=other, expected="one agent, one setting"
        )


def repeat_plain(session: Session, limits: Limited, declared: tuple[str, ...]) -> Found:
    """Try, and compare where there is a baseline."""
    from judgekit.cli.repeat_tapes import say_what_was_recorded
    from judgekit.render.repeat_text import repeat_comparison_text

    _check_declared(session, declared)
    session.announce()
    if limits.dry_run:
        return _planned(session)
    tried = _run(session, limits)
    say_what_was_recorded(tried)
    comparison = tried.comparison(declared)
    body, parts = _reports(tried)
    if comparison is not None:
        body["comparison"] = comparison.model_dump(mode="json", by_alias=True)
        parts.append(repeat_comparison_text(comparison))
    return Found(_text(parts), body, tried.exit_code(comparison))


def _check_declared(session: Session, declared: tuple[str, ...]) -> None:
    from judgekit.process.regression import refuse_unchanged
    from judgekit.store.trial_journal import changed_components

    if declared and not session.against:
        raise UsageError("--changed needs --baseline")
    if declared:
        candidate, baseline = session.sides[:2]
        refuse_unchanged(declared, changed_components(baseline.made_of, candidate.made_of))


def repeat_played(session: Session, limits: Limited, perturb: Sequence[str]) -> Found:
    """Try with tools played from cassettes: as they answered, or changed as `perturb` says."""
    from judgekit.cli.repeat_tapes import changes_of

    return _perturbed(session, limits, changes_of(perturb)) if perturb else _shared(session, limits)


def _shared(session: Session, limits: Limited) -> Found:
    from judgekit.cli.repeat_tapes import Attributed, attribute, say_what_was_recorded
    from judgekit.render.tapes_text import variance_text

    session.announce()
    if limits.dry_run:
        return _planned(session)
    live = _run(session, limits)
    say_what_was_recorded(live)
    if any(tally.left for tally in live.tallies):
        body, parts = _reports(live)
        body["variance"] = {"undefined": "--max-cost left trials out", "n": 0}
        return Found(_text(parts), body, live.exit_code(None))
    played = attribute(session, live, concurrency=limits.concurrency, max_cost=limits.max_cost)
    share = Attributed(live, played).share
    body, parts = _reports(live, played)
    body["variance"] = share.model_dump(mode="json")
    parts.append(variance_text(share))
    code = live.exit_code(None) or played.exit_code(None)
    return Found(_text(parts), body, code)


def _perturbed(session: Session, limits: Limited, changes: Sequence[Any]) -> Found:
    from judgekit.cli.repeat_tapes import perturb_reports, perturb_sides
    from judgekit.render.tapes_text import perturb_text

    if limits.dry_run:
        session.announce()
        return _planned(session)
    changed = perturb_sides(session, changes)
    changed.announce()
    tried = _run(changed, limits)
    reports = perturb_reports(session, changes, tried)
    body, _ = _reports(tried)
    body["perturbed"] = [one.model_dump(mode="json", by_alias=True) for one in reports]
    parts = [perturb_text(one) for one in reports]
    return Found(_text(parts), body, tried.exit_code(None))


def _planned(session: Session) -> Found:
    n = len(session.cases) * session.k
    sides = [{"agent": one.name, "trials": n, "file": str(one.path)} for one in session.sides]
    return Found(body={"schema": 1, "dry_run": True, "agents": sides})


def _run(session: Session, limits: Limited) -> Tried:
    from judgekit.cli.repeat_inputs import run_session

    return run_session(
        session,
        concurrency=limits.concurrency,
        max_cost=limits.max_cost,
        retry_infrastructure=limits.retry_infrastructure,
    )


def _reports(*tried: Tried) -> tuple[dict[str, Any], list[str]]:
    from judgekit.render.repeat_text import repeat_text

    reports = [report for one in tried for report in one.reports]
    body: dict[str, Any] = {
        "schema": 1,
        "agents": [one.model_dump(mode="json", by_alias=True) for one in reports],
        "files": [str(path) for one in tried for path in one.paths],
        "sessions": [tally._asdict() for one in tried for tally in one.tallies],
    }
    return body, [repeat_text(report) for report in reports]


def _text(parts: Sequence[str]) -> str:
    return "\n".join(parts).rstrip("\n")
