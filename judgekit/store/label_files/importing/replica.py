"""Copy a project from one label database into another, to try an import on it."""

from __future__ import annotations

from judgekit.store.label_store import LabelStore, LogEvent, Project

ACTOR = "judgekit"


def replicate(store: LabelStore, copy: LabelStore, project: Project) -> None:
    """Make `project` in `copy`, with its versions, items and logs."""
    copy.projects.create(project, actor=ACTOR)
    stored = store.projects.items(project.name)
    copy.projects.import_items(
        project.name,
        [one.item for one in stored],
        actor=ACTOR,
        designs={one.item.id: one.design for one in stored if one.design},
    )
    for guideline in store.projects.guidelines(project.name):
        copy.projects.change_guideline(project.name, guideline, actor=ACTOR)
    labels = store.events.since(0, project=project.name)
    log: tuple[LogEvent, ...] = (*labels, *store.events.reviews(project=project.name))
    if log:
        copy.events.import_events(project.name, log, actor=ACTOR)
