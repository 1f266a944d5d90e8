"""`judgekit estimate`: the pass rate of a product, from a judge's verdicts and its calibration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.calibrate_command import (
    Confidence,
    Criterion,
    DatasetName,
    ItemsFile,
    LabelsFile,
    Lenient,
    MappingFile,
    PassIf,
    PolicyName,
    Positive,
    Reference,
    RubricName,
    SplitName,
    VerdictsFile,
)
from judgekit.cli.compare_command import MarkdownFile, write_markdown
from judgekit.cli.options import AsJson, WorkspacePath, picked
from judgekit.cli.output import emit_json, print_text

if TYPE_CHECKING:
    from judgekit.calibration.estimate import EstimateReport

OneJudge = Annotated[str | None, typer.Option("--judge", help="The judge; needed where several.")]
Assume = Annotated[
    str | None,
    typer.Option(
        "--assume",
        help="random: the labels are a random sample of the outputs. label-shift: another mix, "
        "but the judge errs alike. Never guessed.",
    ),
]
Outputs = Annotated[
    str | None,
    typer.Option(
        "--outputs",
        help="The judge's verdicts on unlabelled outputs: a file, or a dataset of the workspace "
        "(default: the items without labels).",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("estimate")(estimate_command)


def estimate_command(
    items: ItemsFile = None,
    labels: LabelsFile = None,
    verdicts: VerdictsFile = None,
    judge: OneJudge = None,
    assume: Assume = None,
    outputs: Outputs = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    split: SplitName = None,
    reference: Reference = None,
    criterion: Criterion = None,
    rubric: RubricName = None,
    mapping: MappingFile = None,
    pass_if: PassIf = None,
    positive: Positive = None,
    policy: PolicyName = None,
    confidence: Confidence = None,
    lenient: Lenient = False,
    markdown: MarkdownFile = None,
    as_json: AsJson = False,
) -> int:
    """Estimate a product's pass rate from verdicts on unlabelled outputs; 3 where it is refused."""
    given = dict(locals())
    from judgekit.cli.calibrate_inputs import Options
    from judgekit.cli.estimate_inputs import estimation

    judges = (judge,) if judge else ()
    options = Options(**picked(Options.model_fields, given), judges=judges)
    return _show(estimation(options, assume, outputs), markdown=markdown, as_json=as_json)


def _show(report: EstimateReport, *, markdown: Path | None, as_json: bool) -> int:
    from judgekit.render.estimate_report import estimate_markdown, estimate_text

    write_markdown(markdown, estimate_markdown(report))
    if as_json:
        emit_json(report.to_json())
    else:
        print_text(estimate_text(report).rstrip("\n"))
    return report.exit_code
