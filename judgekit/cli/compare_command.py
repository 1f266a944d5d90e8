"""`judgekit compare`: judges on the same items, chosen on one split and confirmed on another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.calibrate_command import (
    Confidence,
    Criterion,
    DatasetName,
    ItemsFile,
    Judges,
    LabelsFile,
    Lenient,
    MappingFile,
    MaxFalseFail,
    MaxFalsePass,
    MinKappa,
    PassIf,
    PolicyName,
    Positive,
    Reference,
    ReleaseName,
    RubricName,
    VerdictsFile,
)
from judgekit.cli.options import AsJson, WorkspacePath, picked
from judgekit.cli.output import emit_json, print_text, say

if TYPE_CHECKING:
    from judgekit.calibration.comparison import ComparisonReport

SelectOn = Annotated[
    str | None, typer.Option("--select-on", help="Choose the judge on this split.")
]
ConfirmOn = Annotated[
    str | None, typer.Option("--confirm-on", help="Confirm the chosen judge once on this split.")
]
OneSplit = Annotated[
    str | None,
    typer.Option(
        "--split",
        help="Compare on this one split, confirm on none (default: choose on development, "
        "confirm on holdout, where both have items).",
    ),
]
ChooseBy = Annotated[
    str,
    typer.Option(
        "--choose-by", help="youden, false_pass_rate, false_fail_rate, or cost (with --margin)."
    ),
]
Baseline = Annotated[
    str | None, typer.Option("--baseline", help="The judge that the others are compared with.")
]
Margin = Annotated[
    float | None,
    typer.Option("--margin", help="How much higher than the baseline's a false-pass rate may be."),
]
Costs = Annotated[
    list[str] | None,
    typer.Option("--cost", help="JUDGE=USD per 1,000 items, where it is not known; repeatable."),
]
Epsilon = Annotated[
    float,
    typer.Option(
        "--epsilon", help="What a person costs, for the human ceiling: .2 experts, .1 crowd."
    ),
]
MarkdownFile = Annotated[
    Path | None, typer.Option("--markdown", help="Also write the report here as Markdown.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare_command)


def compare_command(
    items: ItemsFile = None,
    labels: LabelsFile = None,
    verdicts: VerdictsFile = None,
    judge: Judges = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    select_on: SelectOn = None,
    confirm_on: ConfirmOn = None,
    choose_by: ChooseBy = "youden",
    split: OneSplit = None,
    baseline: Baseline = None,
    margin: Margin = None,
    cost: Costs = None,
    epsilon: Epsilon = 0.1,
    reference: Reference = None,
    criterion: Criterion = None,
    release: ReleaseName = None,
    rubric: RubricName = None,
    mapping: MappingFile = None,
    pass_if: PassIf = None,
    positive: Positive = None,
    policy: PolicyName = None,
    max_false_pass_rate: MaxFalsePass = None,
    max_false_fail_rate: MaxFalseFail = None,
    min_kappa: MinKappa = None,
    confidence: Confidence = None,
    lenient: Lenient = False,
    markdown: MarkdownFile = None,
    as_json: AsJson = False,
) -> int:
    """Compare judges on the same items; choose on one split, confirm once on another."""
    given = dict(locals())
    from judgekit.cli.calibrate_inputs import Options
    from judgekit.cli.compare_inputs import CompareOptions, comparison

    judges = tuple(dict.fromkeys(judge or ()))
    options = Options(**picked(Options.model_fields, given), judges=judges)
    asked = CompareOptions(**picked(CompareOptions.model_fields, given), costs=tuple(cost or ()))
    return _show(comparison(options, asked), markdown=markdown, as_json=as_json)


def _show(report: ComparisonReport, *, markdown: Path | None, as_json: bool) -> int:
    from judgekit.render.compare_report import comparison_markdown, comparison_text

    write_markdown(markdown, comparison_markdown(report))
    if as_json:
        emit_json(report.to_json())
    else:
        print_text(comparison_text(report).rstrip("\n"))
    return report.exit_code


def write_markdown(path: Path | None, text: str) -> None:
    """Write the report where it was asked for."""
    if path is None:
        return
    from judgekit.store.files import atomic_write

    atomic_write(path, text.encode("utf-8"))
    say(f"wrote {path}")
