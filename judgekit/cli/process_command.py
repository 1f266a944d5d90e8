"""`judgekit process`: cost, quality, tools and temperature from recorded trials."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson, WorkspacePath
from judgekit.cli.output import emit_json, print_text, say
from judgekit.cli.score_command import (
    DatasetName,
    GoldensFile,
    ItemsFile,
    MappingFile,
    RulesName,
)

if TYPE_CHECKING:
    from judgekit.process.process_records import ProcessReport
    from judgekit.process.regression_records import Regression

TrialFiles = Annotated[
    list[str] | None,
    typer.Option("--trials", help="Recorded trials, as FILE or NAME=FILE; several compare."),
]
BaselineFile = Annotated[
    str | None,
    typer.Option("--baseline", help="Trials of the configuration to be replaced; gates."),
]
Changed = Annotated[
    list[str] | None,
    typer.Option(
        "--changed", help="With --baseline: what is meant to differ, such as configuration.model."
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without", help="A metric that is shown and does not gate, such as cost or latency."
    ),
]
Margin = Annotated[
    float, typer.Option("--margin", help="Loss of a share that is still not inferior.")
]
RatioMargin = Annotated[
    float, typer.Option("--ratio-margin", help="Growth of cost and time that is allowed.")
]
AdvisoryFiles = Annotated[
    list[Path] | None,
    typer.Option("--advisory", help="Recorded verdicts of a judge, by case id: advisory only."),
]
HtmlFile = Annotated[
    Path | None, typer.Option("--html", help="Write the report with its curves here.")
]


NOT_ENOUGH = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("process")(process_command)


def process_command(
    trials: TrialFiles = None,
    items: ItemsFile = None,
    mapping: MappingFile = None,
    goldens: GoldensFile = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    rules: RulesName = None,
    baseline: BaselineFile = None,
    changed: Changed = None,
    without: Without = None,
    margin: Margin = 0.05,
    ratio_margin: RatioMargin = 0.10,
    advisory: AdvisoryFiles = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Report cost, quality, tools and temperature of recorded trials, and route between models;
    with --baseline gate each: 1 where a metric is worse, 3 where one is unclear, or
    no trial could be decided."""
    from judgekit.cli.process_inputs import (
        ProcessOptions,
        check_margins,
        keep_read,
        read_process,
    )

    check_margins(margin, ratio_margin)
    asked = ProcessOptions(
        trials or (), items, mapping, goldens, dataset, workspace, rules, baseline, advisory or ()
    )
    keep_read(html, asked)
    read = read_process(asked)
    gates = read.gates(tuple(changed or ()), margin, ratio_margin, tuple(without or ()))
    _show(read.report(margin), gates, html=html, as_json=as_json)
    return _exit_code(gates) or (0 if read.decided() else NOT_ENOUGH)


def _show(
    report: ProcessReport, gates: Sequence[Regression], *, html: Path | None, as_json: bool
) -> None:
    if html is not None:
        _write_html(html, report, gates)
    if as_json:
        emit_json(_object(report, gates))
    else:
        _print(report, gates)


def _exit_code(gates: Sequence[Regression]) -> int:
    """Return the worst: 1 before 3 before 0."""
    codes = {gate.exit_code for gate in gates}
    return 1 if 1 in codes else 3 if 3 in codes else 0


def _object(report: ProcessReport, gates: Sequence[Regression]) -> dict[str, Any]:
    body: dict[str, Any] = report.model_dump(mode="json", by_alias=True)
    if gates:
        body["gates"] = [
            {**gate.model_dump(mode="json"), "exit_code": gate.exit_code} for gate in gates
        ]
    return body


def _print(report: ProcessReport, gates: Sequence[Regression]) -> None:
    from judgekit.render.process_text import process_text, regression_text

    parts = [process_text(report), *(regression_text(gate) for gate in gates)]
    print_text("\n".join(parts).rstrip("\n"))


def _write_html(path: Path, report: ProcessReport, gates: Sequence[Regression]) -> None:
    from judgekit.render.process_html import process_html
    from judgekit.store.files import atomic_write

    atomic_write(path, process_html(report, gates).encode("utf-8"))
    say(f"wrote {path}")
