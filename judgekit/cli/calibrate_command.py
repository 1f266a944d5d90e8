"""`judgekit calibrate`: compare judges with human labels and decide."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.options import AsJson, WorkspacePath
from judgekit.cli.output import emit_json, print_text, say

if TYPE_CHECKING:
    from judgekit.calibration.calibrate import CalibrationRequest
    from judgekit.calibration.looks import LookLedger
    from judgekit.calibration.report import CalibrationReport
    from judgekit.cli.calibrate_inputs import Options
    from judgekit.model.item import Item


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no finite number")
    return value


ItemsFile = Annotated[Path | None, typer.Option("--items", help="Items: the texts.")]
LabelsFile = Annotated[Path | None, typer.Option("--labels", help="Human labels.")]
VerdictsFile = Annotated[Path | None, typer.Option("--verdicts", help="Recorded verdicts.")]
Judges = Annotated[list[str] | None, typer.Option("--judge", help="Only this judge; repeatable.")]
DatasetName = Annotated[str | None, typer.Option("--dataset", help="A folder in annotations/.")]
SplitName = Annotated[
    str | None, typer.Option("--split", help="Only this split (default: the policy's).")
]
Reference = Annotated[
    str | None,
    typer.Option(
        "--reference", help="auto, adjudicated, agreement, majority, mean, each, or an annotator."
    ),
]
Criterion = Annotated[str | None, typer.Option("--criterion", help="One criterion as the unit.")]
Criteria = Annotated[
    list[str] | None,
    typer.Option("--criterion", help="One criterion as the unit; several: each on its own, Holm."),
]
SliceKey = Annotated[
    str | None,
    typer.Option("--slice", help="Each value of this item metadata on its own, Holm."),
]
ReleaseName = Annotated[
    str | None,
    typer.Option("--release", help="Labels of this older release (default: the newest)."),
]
RubricName = Annotated[
    str | None, typer.Option("--rubric", help="Rubric of recorded files: a name or a .yaml.")
]
MappingFile = Annotated[
    Path | None, typer.Option("--mapping", help="What a foreign file's words mean.")
]
PassIf = Annotated[
    str | None, typer.Option("--pass-if", help="Which numbers pass, such as '>= 4'.")
]
Positive = Annotated[str | None, typer.Option("--positive", help="The category that passes.")]
PolicyName = Annotated[
    str | None, typer.Option("--policy", help="A policy of judgekit.yaml, or a .yaml file.")
]
MaxFalsePass = Annotated[
    float | None,
    typer.Option("--max-false-pass-rate", callback=_finite, help="Most that may be let through."),
]
MaxFalseFail = Annotated[
    float | None,
    typer.Option("--max-false-fail-rate", callback=_finite, help="Most that may be held back."),
]
MinKappa = Annotated[
    float | None, typer.Option("--min-kappa", callback=_finite, help="Least agreement with people.")
]
Confidence = Annotated[
    float | None,
    typer.Option("--confidence", callback=_finite, help="Of the bounds, such as 0.95."),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Count rows that cannot be read, do not stop.")
]
Page = Annotated[Path | None, typer.Option("--html", help="Write a self-contained page here.")]


_NOT_OPTIONS = frozenset({"judge", "criterion", "html", "as_json"})


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate_command)


def calibrate_command(
    items: ItemsFile = None,
    labels: LabelsFile = None,
    verdicts: VerdictsFile = None,
    judge: Judges = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    split: SplitName = None,
    reference: Reference = None,
    criterion: Criteria = None,
    slice_by: SliceKey = None,
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
    html: Page = None,
    as_json: AsJson = False,
) -> int:
    """Compare judges with human labels; 0 approved, 1 rejected, 3 not enough labels."""
    given = {k: v for k, v in locals().items() if k not in _NOT_OPTIONS}
    from judgekit.cli.calibrate_inputs import Options

    options = Options(
        **given,
        judges=tuple(dict.fromkeys(judge or ())),
        criteria=tuple(dict.fromkeys(criterion or ())),
    )
    return _calibrate(options, html=html, as_json=as_json)


def _calibrate(options: Options, *, html: Path | None, as_json: bool) -> int:
    from judgekit.calibration.report import worst_exit_code

    reports = _of_large_files(options) if html is None else None
    if reports is None:
        reports, items = _of_rows(options)
        _write_html(html, reports, items)
    _show(reports, as_json=as_json, several=len(options.judges) > 1)
    return worst_exit_code(reports)


def _of_large_files(options: Options) -> tuple[CalibrationReport, ...] | None:
    """Return the reports of large plain files, None where they are to be read by rows."""
    from datetime import UTC, datetime

    from judgekit.calibration.assemble import judge_all
    from judgekit.cli.calibrate_inputs import large_subjects

    subjects = large_subjects(options)
    if subjects is None:
        return None
    now = datetime.now(UTC)
    return tuple(judge_all((subject,), None, now)[0] for subject in subjects)


def _of_rows(options: Options) -> tuple[tuple[CalibrationReport, ...], tuple[Item, ...] | None]:
    """Return the reports and the items of a dataset or of files read by rows."""
    from judgekit.calibration.calibrate import calibrate_family

    families, ledger = _families(options)
    reports = tuple(
        report for family in families for report in calibrate_family(family, ledger=ledger)
    )
    return reports, families[0][0].items


def _families(
    options: Options,
) -> tuple[tuple[tuple[CalibrationRequest, ...], ...], LookLedger | None]:
    """Return the requests, those of one judge together, and the ledger of a dataset."""
    from judgekit.cli.calibrate_inputs import dataset_families, file_requests, in_families

    if options.labels or options.verdicts or options.items:
        return in_families(options, file_requests), None
    return dataset_families(options)


def _show(reports: tuple[CalibrationReport, ...], *, as_json: bool, several: bool) -> None:
    if as_json:
        found = [report.to_json() for report in reports]
        emit_json(found[0] if len(found) == 1 and not several else {"judges": found})
        return
    from judgekit.render.console import calibration_text

    for report in reports:
        print_text(calibration_text(report).rstrip("\n") + "\n")


def _write_html(
    path: Path | None, reports: tuple[CalibrationReport, ...], items: tuple[Item, ...] | None
) -> None:
    if path is None:
        return
    from judgekit.render.html import html_report
    from judgekit.store.files import atomic_write

    atomic_write(path, html_report(reports, items=items).encode("utf-8"))
    say(f"wrote {path}")
