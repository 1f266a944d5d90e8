"""What `judgekit labels status` shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit.store.label_store import LabelEvent, LabelStore, Project
    from judgekit.store.workspace import Workspace


def status_of(dataset: str | None, *, workspace: Path | None, url: str | None) -> dict[str, Any]:
    """Return the state of every project, or of those of one dataset.

    Raises:
        InputError: there is no label database, or no project of that dataset.
        StoreFailed: the database cannot be read.
    """
    from judgekit.cli.labels_store import opened_to_read
    from judgekit.errors import InputError
    from judgekit.store.workspace import find_workspace

    space = find_workspace(workspace)
    with opened_to_read(space, url) as store:
        projects = store.projects.list()
        wanted = [p for p in projects if dataset in (None, p.dataset)]
        if dataset is not None and not wanted:
            raise InputError(
                f"no project labels the dataset {dataset!r}",
                found=repr(dataset),
                expected=", ".join(sorted({p.dataset for p in projects})) or "a project",
                mend=f"judgekit labels import --dataset {dataset} --rubric NAME",
            )
        return {"projects": [_project(store, space, project) for project in wanted]}


def _project(store: LabelStore, workspace: Workspace, project: Project) -> dict[str, Any]:
    from judgekit.calibration.label_agreement import label_agreement
    from judgekit.store.label_files.fold import fold

    folded = fold(store.events.since(0, project=project.name))
    items = [stored.item for stored in store.projects.items(project.name)]
    counts = store.adjudication.counts(project.name)
    found = label_agreement(folded.labels, items=items, answers=project.label_schema.labels)
    return {
        "project": project.name,
        "dataset": project.dataset,
        "items": project.n_items,
        "labels": len(folded.labels),
        "annotators": _people(store, project.name),
        "adjudication": counts.model_dump(mode="json"),
        "agreement": {
            name: {
                "agreement": one.agreement.model_dump(mode="json"),
                "kappa": one.kappa.model_dump(mode="json"),
            }
            for name, one in found.items()
        },
        "self_agreement": _self_agreement(store, project.name),
        "exclusions": [gone.model_dump() for gone in folded.exclusions],
        **_released(workspace.annotations_dir / project.dataset, store, project.name),
    }


def _people(store: LabelStore, project: str) -> list[dict[str, Any]]:
    from judgekit.store.label_store import ADJUDICATION

    log = tuple(store.events.since(0, project=project))
    active = {event.annotator for event in log}
    again = _again(log)
    invited = {p.alias for p in store.people.list() if "annotator" in p.roles}
    return [
        {
            "annotator": alias,
            "again": again[alias],
            **store.queue.progress(project, alias).model_dump(mode="json", exclude={"project"}),
        }
        for alias in sorted((active | invited) - {ADJUDICATION})
    ]


def _again(log: Iterable[LabelEvent]) -> Counter[str]:
    """Return how many items each annotator labelled a second time, as hidden repeats."""
    from judgekit.model.label import OVERALL

    stands = {
        (event.annotator, event.item_id): event.value is not None
        for event in log
        if event.repeat == 1 and event.field == OVERALL
    }
    return Counter(annotator for (annotator, _), given in stands.items() if given)


def _self_agreement(store: LabelStore, project: str) -> dict[str, Any]:
    from judgekit.calibration.self_agreement import Relabel, self_agreement

    twice = [
        Relabel(annotator=pair.annotator, first=pair.first, repeat=pair.repeat)
        for pair in store.ratings.repeat_pairs(project)
    ]
    return {name: one.model_dump(mode="json") for name, one in self_agreement(twice).items()}


def _released(folder: Path, store: LabelStore, project: str) -> dict[str, Any]:
    from judgekit.store.dataset import read_manifest
    from judgekit.store.label_files.released.labels_file import labels_file_state

    releases = read_manifest(folder).releases
    last = releases[-1].last_seq if releases else 0
    return {
        "releases": [
            {
                "version": one.version,
                "at": one.at.isoformat(),
                "by": one.by,
                "labels": one.counts.get("labels", 0),
                "sha256": one.labels_hash,
            }
            for one in releases
        ],
        "labels_file": labels_file_state(folder),
        "events_since_release": sum(1 for _ in store.events.since(last, project=project)),
    }


def status_text(found: dict[str, Any]) -> str:
    """Return the state for people."""
    parts = [_project_text(one) for one in found["projects"]]
    return "\n\n".join(parts) or "no project is there yet"


def _project_text(one: dict[str, Any]) -> str:
    counts = one["adjudication"]
    lines = [
        f"{one['project']} (dataset {one['dataset']}): {one['items']} items, {one['labels']} labels"
    ]
    lines += [
        f"  {p['annotator']}: {_labelled(p)}, {p['skipped']} skipped, {p['left']} left"
        for p in one["annotators"]
    ]
    lines.append(
        f"  to adjudicate: {counts['open']} open, {counts['decided']} decided, "
        f"{counts['agreeing']} agree, {counts['incomplete']} incomplete, "
        f"{len(one['exclusions'])} excluded"
    )
    for name, agreement in one["agreement"].items():
        lines.append(f"  {name}: people agree {_figure(agreement['agreement'])}")
        lines.append(f"  {name}: kappa {_figure(agreement['kappa'])}")
    for name, agreement in one["self_agreement"].items():
        lines.append(f"  {name} with themselves: {_figure(agreement)}")
    if one["agreement"]:
        lines.append("  (n: pairs of answers of two people to one item, without unsure)")
    if one["self_agreement"]:
        lines.append("  (n with themselves: answers that somebody gave twice)")
    lines += [
        f"  release {r['version']}: {r['labels']} labels by {r['by']} at {r['at']}"
        for r in one["releases"]
    ]
    lines.append(f"  labels.jsonl: {one['labels_file']}")
    since = "since the last release" if one["releases"] else "(no release yet)"
    lines.append(f"  events {since}: {one['events_since_release']}")
    return "\n".join(lines)


def _labelled(person: dict[str, Any]) -> str:
    """Return how much somebody labelled: hidden repeats count too, so they are named."""
    again = f"{person['again']} of them again, " if person["again"] else ""
    return f"{person['labelled']} labelled ({again}{person['unsure']} unsure)"


def _figure(statistic: dict[str, Any]) -> str:
    if "undefined" in statistic:
        return f"not measurable: {statistic['undefined']}"
    low, high = statistic["low"], statistic["high"]
    interval = "no interval" if low is None else f"95 % {low:.3f} to {high:.3f}"
    return f"{statistic['value']:.3f} ({interval}, n = {statistic['n']})"
