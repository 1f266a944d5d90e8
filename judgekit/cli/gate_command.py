"""`judgekit gate`: scorers and approved judges over fresh outputs, for CI."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.options import AsJson, WorkspacePath
from judgekit.cli.output import command_ci, emit_json, print_text, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgekit.gate.report import GateReport
    from judgekit.gate.suite import GateSettings
    from judgekit.model.base import Record
    from judgekit.model.grader import Grader
    from judgekit.model.item import Item
    from judgekit.model.verdict import Verdict
    from judgekit.store.workspace import Workspace

REVIEW_FILE = "review.jsonl"
ItemsFile = Annotated[Path, typer.Option("--items", help="Fresh outputs: an items file.")]
BaselineFile = Annotated[
    Path | None, typer.Option("--baseline", help="The --json output of an earlier gate.")
]
PolicyName = Annotated[str | None, typer.Option("--policy", help="Policy in judgekit.yaml.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("gate")(gate)


def gate(
    items: ItemsFile,
    policy: PolicyName = None,
    baseline: BaselineFile = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML here.")] = None,
    summary: Annotated[Path | None, typer.Option("--summary", help="Write Markdown here.")] = None,
    review: Annotated[
        Path | None,
        typer.Option("--review", help="Items for people; default .judgekit/review.jsonl."),
    ] = None,
    github: Annotated[
        bool | None,
        typer.Option("--github/--no-github", help="Annotations; default: on in GitHub Actions."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Stop before this many US dollars.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the estimate and stop.")
    ] = False,
    workspace: WorkspacePath = None,
    as_json: AsJson = False,
) -> int:
    """Say yes (0), no (1), not enough evidence (3) or no valid approval (4) over fresh outputs."""
    from judgekit.store.readers import read_items
    from judgekit.store.workspace import find_workspace

    place = find_workspace(workspace)
    settings = _settings(place, policy, baseline)
    fresh = read_items(items)
    session = _Session(place, fresh, settings, max_cost)
    if dry_run:
        return session.show_estimate(as_json=as_json)
    report = session.run()
    _write_outputs(report, fresh, junit, summary, review or place.state_dir / REVIEW_FILE)
    _show(report, as_json=as_json, github=github, items_file=items)
    return report.exit_code


def _settings(place: Workspace, policy: str | None, baseline: Path | None) -> GateSettings:
    from judgekit.gate.files import read_baseline
    from judgekit.gate.suite import GateSettings

    name = policy or place.settings.gate.policy
    return GateSettings(
        policy_name=name,
        policy=place.policy(name),
        baseline=read_baseline(baseline) if baseline else None,
    )


def _write_outputs(
    report: GateReport,
    items: Sequence[Item],
    junit: Path | None,
    summary: Path | None,
    review: Path,
) -> None:
    from judgekit.gate.files import write_review
    from judgekit.store.files import atomic_write

    waiting = write_review(review, report, items)
    if waiting:
        say(f"{waiting} items for people are in {review}")
    if junit is not None:
        from judgekit.render.junit import junit_xml

        atomic_write(junit, junit_xml(report))
    if summary is not None:
        _write_summary(summary, report)


def _write_summary(path: Path, report: GateReport) -> None:
    """Write the Markdown; the file that GitHub gives all steps of a job is appended to."""
    from judgekit.render.markdown import markdown_summary
    from judgekit.store.files import append_text, atomic_write

    text = markdown_summary(report)
    shared = os.environ.get("GITHUB_STEP_SUMMARY")
    if shared and os.path.realpath(path) == os.path.realpath(shared):
        append_text(path, text)
    else:
        atomic_write(path, text.encode("utf-8"))


def _show(report: GateReport, *, as_json: bool, github: bool | None, items_file: Path) -> None:
    from judgekit.render.gate_text import gate_text
    from judgekit.render.github import github_annotations

    if as_json:
        emit_json(report.to_json())
    else:
        print_text(gate_text(report))
    wanted = os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github
    if wanted:
        for line in github_annotations(report, file=items_file.as_posix()):
            command_ci(line)


class _Session:
    """One gate from the command line: graders, journal, budget."""

    def __init__(
        self,
        place: Workspace,
        items: Sequence[Item],
        settings: GateSettings,
        max_cost: float | None,
    ) -> None:
        from judgekit.wiring import build_graders, journal_dir

        suite = place.settings.gate
        self._place = place
        self._items = items
        self._settings = settings
        self._max_cost = max_cost
        self._graders = build_graders(place, tuple(dict.fromkeys((*suite.scorers, *suite.judges))))
        self._journal_dir = journal_dir(place)

    def show_estimate(self, *, as_json: bool) -> int:
        """Print what the gate would ask for and cost."""
        plan = self._plan(self._graders)
        if as_json:
            emit_json({"dry_run": True, "plan": plan.model_dump(mode="json")})
        return 0

    def run(self) -> GateReport:
        """Run the gate and close the graders."""
        import asyncio

        return asyncio.run(self._run())

    async def _run(self) -> GateReport:
        from judgekit.approval.lockfile import read_lock
        from judgekit.gate.suite import run_gate

        lock = read_lock(self._place.lock_path)
        try:
            return await run_gate(
                self._graders, self._items, lock, self._settings, grade_all=self._grade
            )
        finally:
            for grader in self._graders:
                await grader.aclose()

    async def _grade(self, graders: Sequence[Grader], items: Sequence[Item]) -> Sequence[Verdict]:
        """Run graders through the journal, so that a gate that died resumes."""
        from judgekit.runs.collect import run_and_collect
        from judgekit.wiring import cost_estimator, require_credentials

        self._plan(graders)
        require_credentials(graders)
        collected = await run_and_collect(
            graders,
            items,
            journal_dir=self._journal_dir,
            max_cost=self._max_cost,
            estimate=cost_estimator(self._place),
        )
        return collected.verdicts

    def _plan(self, graders: Sequence[Grader]) -> Record:
        from judgekit.cli.run_command import plan_text
        from judgekit.runs.budget import plan_run
        from judgekit.wiring import cost_estimator

        plan = plan_run(
            graders,
            self._items,
            journal_dir=self._journal_dir,
            estimate=cost_estimator(self._place),
        )
        say(plan_text(plan))
        return plan
