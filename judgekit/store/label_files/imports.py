"""Import items, event files and foreign label files: first a report, then all or nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from judgekit.errors import InputError, LabelConflict
from judgekit.model.item import Item
from judgekit.store.formats.problems import Refusal
from judgekit.store.label_files.import_plan import (
    SHOWN,
    ImportKind,
    ImportPlan,
    ImportProblem,
    ImportReport,
)
from judgekit.store.label_files.importing.foreign import label_events
from judgekit.store.label_files.log.event_file import scan_events
from judgekit.store.label_files.log.lines import (
    EVENTS_FOLDER,
    event_paths,
    place_of,
    unknown_paths,
)
from judgekit.store.label_files.log.order import as_saved
from judgekit.store.label_files.mirror import Seen, is_doubled, out_of_place
from judgekit.store.label_files.project_source import review_design
from judgekit.store.label_store import (
    EventImport,
    ItemImport,
    LabelStore,
    LogEvent,
    ReviewEvent,
)
from judgekit.store.label_store.setting_up.items import MAX_ID
from judgekit.store.mapping import Mapping
from judgekit.store.readers import scan_items

Source = Path | tuple[str, bytes]
EntryCheck = Callable[[dict[str, Any]], object]
Place = dict[str, tuple[str, int]]
"""Key of an event -> the file and the line that it came from."""
_LOST = (
    "where a database was lost and somebody worked before the files were imported: move the new "
    "database away, take the lines of that work out of the files, import them, and do it again"
)


class _Found(NamedTuple):
    """What was read of a log or a label file, before the store is asked about it."""

    events: tuple[LogEvent, ...]
    place: Place
    problems: list[ImportProblem]
    n_known: int = 0
    n_other: int = 0


def plan_import(
    store: LabelStore,
    project: str,
    source: Source,
    *,
    kind: ImportKind,
    actor: str,
    design: str | None = None,
    mapping: Mapping | None = None,
    check_entry: EntryCheck | None = None,
) -> ImportPlan:
    """Read a file and say what importing it would do. Nothing is written.

    Args:
        source: a file, a folder of event files (`events` or the dataset folder), or what was
            uploaded: its name and its bytes.
        kind: `items` (JSON lines, CSV or Parquet; also the gate's review file), `events` (our
            own logs: labels, error analysis, goldens), or `labels` (anyone's label file).
        actor: who imports.
        design: the sampling design of the items; None is the project's, and `targeted` for items
            of the gate's review file.
        mapping: what the words of a label file mean.
        check_entry: raises InputError for an expert's finished entry that cannot be read.

    Raises:
        InputError: there is no such project, or the file as a whole cannot be read.
    """
    store.projects.get(project)
    with _on_disk(source) as path:
        if kind == "items":
            return _plan_items(store, project, path, actor, design)
        if kind == "events":
            plan = _plan_events(store, project, _event_paths(path), actor, check_entry)
            return _with_unread(plan, path)
        return _plan_labels(store, project, path, actor, mapping)


def apply_import(store: LabelStore, plan: ImportPlan, *, actor: str) -> ImportReport:
    """Write what a plan says, in one transaction, and return the report of what was written.

    Raises:
        LabelConflict: the plan has problems, or the store changed since and now conflicts.
    """
    report = plan.report
    if report.blocked:
        raise import_refused(report)
    done: ItemImport | EventImport
    if report.kind == "items":
        done = store.projects.import_items(
            report.project, plan.items, actor=actor, source=plan.source, designs=plan.designs
        )
        conflicts = done.conflicting
    else:
        done = store.events.import_events(report.project, plan.events, actor=actor)
        conflicts = tuple(conflict.key for conflict in done.conflicts)
    if conflicts:
        raise LabelConflict(
            "the label store changed since this file was read, and now they conflict",
            where=", ".join(report.files),
            found=", ".join(conflicts[:5]),
            mend="read the file again",
        )
    since = report.n_new - done.n_new  # what came in by another way after the file was read
    return report.model_copy(
        update={"n_new": done.n_new, "n_known": report.n_known + since, "written": done.written}
    )


def import_refused(report: ImportReport) -> LabelConflict:
    """Return the error for a report with problems: every line up to twenty, nothing written."""
    shown = [problem.sentence() for problem in report.problems[:SHOWN]]
    if len(report.problems) > SHOWN:
        shown.append(f"and {len(report.problems) - SHOWN} more")
    first = report.problems[0]
    return LabelConflict(
        f"nothing was imported; {report.sentence()}",
        where=f"{first.file}:{first.line}" + (f" {first.field}" if first.field else ""),
        found="\n    ".join(shown),
        expected=first.expected,
        mend=_LOST if report.kind == "events" and report.n_conflicting else None,
    )


def _plan_items(
    store: LabelStore, project: str, path: Path, actor: str, design: str | None
) -> ImportPlan:
    items: list[Item] = []
    lines: dict[str, int] = {}
    problems: list[ImportProblem] = []
    for entry in scan_items(path):
        if isinstance(entry, Refusal):
            problems.append(ImportProblem.of(path.name, entry))
        elif len(entry[1].id) > MAX_ID or not entry[1].id.isprintable():
            expected = f"an id of at most {MAX_ID} characters that can be printed"
            odd = Refusal(
                line=entry[0], field="id", found=repr(entry[1].id)[:80], expected=expected
            )
            problems.append(ImportProblem.of(path.name, odd))
        else:
            lines[entry[1].id] = entry[0]
            items.append(entry[1])
    if not items and not problems:
        raise _empty(path, "item")
    designs = {i.id: d for i in items if (d := design or review_design(i))}
    dry = store.projects.import_items(
        project, items, actor=actor, source=path.name, designs=designs, dry_run=True
    )
    for item_id in dry.conflicting:
        problems.append(
            ImportProblem(
                kind="conflicting",
                file=path.name,
                line=lines[item_id],
                field="id",
                found=f"{item_id!r} with other content than in the project",
                expected="the same content, or a new id",
            )
        )
    report = _report("items", project, [path], dry.n_new, dry.n_known, problems)
    return ImportPlan(report=report, items=tuple(items), designs=designs, source=path.name)


def _plan_events(
    store: LabelStore,
    project: str,
    paths: Sequence[Path],
    actor: str,
    check_entry: EntryCheck | None,
) -> ImportPlan:
    problems: list[ImportProblem] = []
    files: list[list[LogEvent]] = []
    place: Place = {}
    n_other = n_doubled = 0
    dataset = store.projects.get(project).dataset
    for path in paths:
        own, others, doubled = _own_events(path, project, dataset, place, problems)
        files.append(own)
        n_other += others
        n_doubled += doubled
    if check_entry is not None:
        problems += _unreadable_entries(files, place, check_entry)
    if not place and not problems and not n_other:
        raise _empty(paths[0] if len(paths) == 1 else paths[0].parent, "event")
    found = _Found(as_saved(files), place, problems, n_doubled, n_other)
    return _checked(store, "events", project, paths, found, actor)


def _with_unread(plan: ImportPlan, path: Path) -> ImportPlan:
    if not path.is_dir():
        return plan
    folder = _events_folder(path)
    unread = tuple(str(one.relative_to(folder)) for one in unknown_paths(folder))
    return plan.model_copy(update={"report": plan.report.model_copy(update={"not_read": unread})})


def _own_events(
    path: Path,
    project: str,
    dataset: str,
    place: Place,
    problems: list[ImportProblem],
) -> tuple[list[LogEvent], int, int]:
    """Return the project's events, how many are of others, and how many are there once more."""
    own: list[LogEvent] = []
    seen: Seen = {}
    _, name = place_of(path)
    others = doubled = 0
    for entry in scan_events(path):
        if isinstance(entry, Refusal):
            problems.append(ImportProblem.of(name, entry))
            continue
        line, event = entry
        if is_doubled(event, seen):
            doubled += event.project == project
            continue
        problem = out_of_place(path, line, event, seen) or _in_two_files(event, line, place)
        if problem is not None:
            problems.append(ImportProblem.of(name, problem, "conflicting"))
        elif event.project != project:
            others += 1
        else:
            own.append(event.model_copy(update={"dataset": dataset}))
            place[event.key] = (name, line)
        seen.setdefault(event.key, (line, event))
    return own, others, doubled


def _unreadable_entries(
    files: Iterable[Iterable[LogEvent]], place: Place, check: EntryCheck
) -> Iterator[ImportProblem]:
    for event in chain.from_iterable(files):
        if not isinstance(event, ReviewEvent) or (event.log, event.kind) != ("goldens", "done"):
            continue
        try:
            check(event.body["entry"])
        except InputError as error:
            name, line = place[event.key]
            field = f"body.entry.{error.where}" if error.where else "body.entry"
            yield ImportProblem(
                kind="rejected",
                file=name,
                line=line,
                field=field,
                found=error.found or error.message,
                expected=error.expected or "an entry as the Goldens page keeps it",
            )


def _in_two_files(event: LogEvent, line: int, place: Place) -> Refusal | None:
    if event.key not in place:
        return None
    name, other = place[event.key]
    found = f"{event.op_id!r}, which {name}:{other} has too"
    return Refusal(line=line, field="op_id", found=found, expected="each event in one file")


def _plan_labels(
    store: LabelStore, project: str, path: Path, actor: str, mapping: Mapping | None
) -> ImportPlan:
    read = label_events(store, project, path, mapping=mapping)
    if not read.place and not read.problems and not read.n_known:
        raise _empty(path, "label")
    found = _Found(read.events, read.place, list(read.problems), n_known=read.n_known)
    return _checked(store, "labels", project, [path], found, actor)


def _checked(
    store: LabelStore,
    kind: ImportKind,
    project: str,
    paths: Sequence[Path],
    found: _Found,
    actor: str,
) -> ImportPlan:
    """Return the plan after the store has said which events it knows and which conflict."""
    dry = store.events.import_events(project, found.events, actor=actor, dry_run=True)
    problems = found.problems + [
        ImportProblem(
            kind="conflicting",
            file=found.place[conflict.key][0],
            line=found.place[conflict.key][1],
            found=f"{conflict.reason} ({conflict.found})",
            expected=conflict.expected,
        )
        for conflict in dry.conflicts
    ]
    n_known = dry.n_known + found.n_known
    report = _report(kind, project, paths, dry.n_new, n_known, problems, found.n_other)
    return ImportPlan(report=report, events=found.events, source=paths[0].name)


def _report(
    kind: ImportKind,
    project: str,
    paths: Sequence[Path],
    n_new: int,
    n_known: int,
    problems: Sequence[ImportProblem],
    n_other: int = 0,
) -> ImportReport:
    ordered = sorted(problems, key=lambda p: (p.file, p.line))
    return ImportReport(
        kind=kind,
        project=project,
        files=tuple(place_of(path)[1] for path in paths),
        n_new=n_new,
        n_known=n_known,
        n_conflicting=sum(p.kind == "conflicting" for p in problems),
        n_rejected=sum(p.kind == "rejected" for p in problems),
        n_other=n_other,
        problems=tuple(ordered),
    )


def _event_paths(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    folder = _events_folder(path)
    paths = event_paths(folder)
    if not paths:
        raise InputError(
            f"there are no event files in {folder.name!r}",
            where=str(folder),
            expected="files such as ana.jsonl",
        )
    return paths


def _events_folder(path: Path) -> Path:
    return path / EVENTS_FOLDER if (path / EVENTS_FOLDER).is_dir() else path


def _empty(path: Path, kind: str) -> InputError:
    return InputError(
        f"{path.name!r} holds no {kind}", where=str(path), found="no row", expected=f"one {kind}"
    )


@contextmanager
def _on_disk(source: Source) -> Iterator[Path]:
    """Give an upload a file of its name, for the readers; faults name the upload."""
    if isinstance(source, Path):
        yield source
        return
    name, data = source
    with tempfile.TemporaryDirectory(prefix="judgekit-import-") as folder:
        path = Path(folder) / (Path(name.replace("\\", "/")).name or "upload")
        path.write_bytes(data)
        try:
            yield path
        except InputError as error:
            error.where = error.where and error.where.replace(f"{folder}/", "")
            raise
