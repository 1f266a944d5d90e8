"""`judgekit labels import|export|status`: human labels between files and the label database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.options import AsJson, WorkspacePath, picked
from judgekit.cli.output import emit_json, print_text, say
from judgekit.errors import UsageError

KINDS = ("items", "events", "labels")
Dataset = Annotated[
    str | None,
    typer.Option("--dataset", help="A folder in annotations/; default: that of judgekit.yaml."),
]
ProjectName = Annotated[
    str | None, typer.Option("--project", help="The project; default: named as the dataset.")
]
Url = Annotated[
    str | None,
    typer.Option(
        "--url", help="The label database; default: judgekit.yaml, else .judgekit/labels.db."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would happen; write nothing.")]


File = Annotated[
    Path | None,
    typer.Option("--file", help="What to import; default: the dataset folder, with its log."),
]
Kind = Annotated[
    str | None, typer.Option("--kind", help="items, events or labels; default: read from the file.")
]
Rubric = Annotated[
    str | None, typer.Option("--rubric", help="What is asked, where the project is new.")
]
Design = Annotated[
    str | None, typer.Option("--design", help="How these items were drawn: random, targeted, ...")
]
MappingFile = Annotated[
    Path | None, typer.Option("--mapping", help="What the words of a label file mean.")
]
ImportedBy = Annotated[str, typer.Option("--by", help="The alias that the audit log keeps.")]
Version = Annotated[
    str | None,
    typer.Option("--version", help="The release's version; default: the next number."),
]
ReleasedBy = Annotated[
    str | None, typer.Option("--by", help="The alias of who releases; never guessed.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Write items, log and labels to this new folder; no release."),
]
CsvFile = Annotated[
    Path | None, typer.Option("--csv", help="Write the labels as CSV, formulas quoted; no release.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        name="labels",
        help="Human labels between files and the label database.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("import")(import_labels)
    group.command("export")(export_labels)
    group.command("status")(labels_status)
    app.add_typer(group, name="labels")


def import_labels(
    file: File = None,
    kind: Kind = None,
    dataset: Dataset = None,
    project: ProjectName = None,
    rubric: Rubric = None,
    design: Design = None,
    mapping: MappingFile = None,
    by: ImportedBy = "command-line",
    dry_run: DryRun = False,
    workspace: WorkspacePath = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Import items, the log or anyone's labels; on any conflict or bad line nothing is changed."""
    given = dict(locals())
    from judgekit.cli.labels_import import ImportOptions, run_import

    if kind is not None and kind not in KINDS:
        raise UsageError(
            "this cannot be imported", found=f"--kind {kind}", expected=" or ".join(KINDS)
        )
    reports = run_import(ImportOptions(**picked(ImportOptions._fields, given)))
    if as_json:
        rows = [report.model_dump(mode="json") for report in reports]
        emit_json({"dry_run": dry_run, "imports": rows})
        return 0
    print_text("\n".join(report.sentence() for report in reports))
    say("nothing was written (--dry-run)" if dry_run else "imported")
    return 0


def export_labels(
    dataset: Dataset = None,
    project: ProjectName = None,
    version: Version = None,
    by: ReleasedBy = None,
    out: Out = None,
    csv: CsvFile = None,
    dry_run: DryRun = False,
    workspace: WorkspacePath = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Release: fold the log into labels.jsonl, with hashes in dataset.yaml. Or export a copy."""
    given = dict(locals())
    from judgekit.cli.labels_export import ExportOptions, export_text, run_export

    done = run_export(ExportOptions(**picked(ExportOptions._fields, given)))
    if as_json:
        emit_json(done)
    else:
        print_text(export_text(done))
    return 0


def labels_status(
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Only projects of this dataset.")
    ] = None,
    workspace: WorkspacePath = None,
    url: Url = None,
    as_json: AsJson = False,
) -> int:
    """Show who labelled how much, what is open, how people agree, and the releases."""
    from judgekit.cli.labels_status import status_of, status_text

    found = status_of(dataset, workspace=workspace, url=url)
    if as_json:
        emit_json(found)
    else:
        print_text(status_text(found))
    return 0
