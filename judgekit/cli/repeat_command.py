"""`judgekit repeat`: an agent k times at each case, isolated, recorded, resumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.output import emit_json, print_text
from judgekit.cli.score_command import (
    AsJson,
    CaseId,
    DatasetName,
    GoldensFile,
    RulesName,
    WorkspacePath,
)

if TYPE_CHECKING:
    from judgekit.cli.repeat_inputs import Tried

AgentName = Annotated[
    str | None, typer.Option("--agent", help="An agent of judgekit.yaml, or module:function.")
]
BaselineName = Annotated[
    str | None,
    typer.Option(
        "--baseline", help="Another agent, tried in the same session, interleaved and compared."
    ),
]
Times = Annotated[int, typer.Option("--k", "-k", help="Trials of each case.")]
Seed = Annotated[str, typer.Option("--seed", help="Seed of the trials' own seeds and ids.")]
Concurrency = Annotated[int, typer.Option("--concurrency", help="Attempts at one time.")]
Temperature = Annotated[
    str | None,
    typer.Option("--temperature", help="Settings to try one by one, such as 0,0.2,default."),
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", help="US dollars; no attempt starts beyond it.")
]
Declared = Annotated[
    list[str] | None,
    typer.Option("--changed", help="A component of the configuration that is meant to differ."),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of the trials (default: .judgekit/trials)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be tried, and stop.")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("repeat")(repeat_command)


def repeat_command(
    agent: AgentName = None,
    baseline: BaselineName = None,
    k: Times = 4,
    goldens: GoldensFile = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    rules: RulesName = None,
    case: CaseId = None,
    temperature: Temperature = None,
    changed: Declared = None,
    seed: Seed = "1",
    concurrency: Concurrency = 2,
    max_cost: MaxCost = None,
    out: Out = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> int:
    """Try an agent k times at each case and report availability, pass@1, pass^k and consistency; 1
    where the candidate is worse than the baseline, 5 where nothing was available."""
    from judgekit.cli.repeat_inputs import plan_session, run_session

    session = plan_session(
        agent=agent, baseline=baseline, k=k, goldens=goldens, dataset=dataset,
        workspace=workspace, rules=rules, case=case, temperature=temperature, seed=seed, out=out,
    )  # fmt: skip
    session.announce()
    if dry_run:
        return 0
    tried = run_session(session, concurrency=concurrency, max_cost=max_cost)
    return _show(tried, tuple(changed or ()), as_json=as_json)


def _show(tried: Tried, declared: tuple[str, ...], *, as_json: bool) -> int:
    from judgekit.render.repeat_text import repeat_comparison_text, repeat_text

    comparison = tried.comparison(declared)
    if as_json:
        body: dict[str, Any] = {
            "schema": 1,
            "agents": [one.model_dump(mode="json", by_alias=True) for one in tried.reports],
            "files": [str(path) for path in tried.paths],
        }
        if comparison is not None:
            body["comparison"] = comparison.model_dump(mode="json", by_alias=True)
        emit_json(body)
    else:
        parts = [repeat_text(report) for report in tried.reports]
        if comparison is not None:
            parts.append(repeat_comparison_text(comparison))
        print_text("\n".join(parts).rstrip("\n"))
    return tried.exit_code(comparison)
