"""`judgekit repeat`: an agent k times at each case, isolated, recorded, resumed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from judgekit.cli.options import AsJson, WorkspacePath, picked
from judgekit.cli.output import emit_json, print_text
from judgekit.cli.score_command import (
    CaseId,
    DatasetName,
    GoldensFile,
    RulesName,
)

if TYPE_CHECKING:
    from judgekit.cli.repeat_modes import Found

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
    typer.Option(
        "--changed", help="What is meant to differ, such as settings or configuration.model."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Folder of the trials (default: .judgekit/trials)."),
]
Retry = Annotated[
    bool,
    typer.Option(
        "--retry-infrastructure",
        help="One further trial for each that the infrastructure failed; those stay counted.",
    ),
]
Cassettes = Annotated[
    str | None,
    typer.Option(
        "--cassettes", help="record, replay (strict) or auto; beside the trials, one a trial."
    ),
]
Attribute = Annotated[
    bool,
    typer.Option(
        "--attribute",
        help="Record, then try as often with played tools: the agent's share of the variance.",
    ),
]
Perturbed = Annotated[
    list[str] | None,
    typer.Option(
        "--perturb",
        help="TOOL=HOW (empty, partial, stale, error): what the agent does next. Repeatable.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be tried, and stop.")]


class Limited(NamedTuple):
    """How far a session may go."""

    concurrency: int
    max_cost: float | None
    retry_infrastructure: bool
    dry_run: bool


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
    retry_infrastructure: Retry = False,
    cassettes: Cassettes = None,
    attribute: Attribute = False,
    perturb: Perturbed = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> int:
    """Try an agent k times at each case and report availability, pass@1, pass^k and consistency; 1
    where the candidate is worse than the baseline, 3 where no trial could be decided, 5 where
    nothing was available or --max-cost left trials out."""
    given = dict(locals())
    from judgekit.cli.repeat_modes import check_modes, repeat_plain, repeat_played
    from judgekit.cli.repeat_plan import RepeatOptions, plan_session
    from judgekit.trials.repeat import check_limits

    check_modes(attribute, perturb or (), cassettes, baseline, temperature)
    asked = RepeatOptions(**picked(RepeatOptions._fields, given))
    check_limits(max(k, 1), concurrency, max_cost)  # also where nothing is tried: --dry-run
    session = plan_session(asked._replace(cassettes="record") if attribute else asked)
    limits = Limited(concurrency, max_cost, retry_infrastructure, dry_run)
    if attribute or perturb:
        found = repeat_played(session, limits, perturb or ())
    else:
        found = repeat_plain(session, limits, tuple(changed or ()))
    return _show(found, as_json=as_json)


def _show(found: Found, *, as_json: bool) -> int:
    if as_json and found.body:
        emit_json(found.body)
    elif found.text:
        print_text(found.text)
    return found.exit_code
