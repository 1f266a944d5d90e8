"""Admin, Projects: open a project from a dataset and a rubric, and change how it is labelled."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from pydantic import ValidationError

from judgekit.errors import InputError, JudgekitError
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import Project, ProjectSettings
from parts.admin_done import done, show_done
from parts.admin_table import show_rows
from parts.counts import counted
from parts.messages import show_error
from parts.page import OpenPage
from parts.settings import label_settings, workspace


def projects_section(page: OpenPage) -> None:
    """List the projects, change the chosen one's settings, open another."""
    st.header("Projects", anchor=False)
    projects = page.store.projects.list(archived=True)
    _table(projects)
    show_done("projects-done")
    if projects:
        _change(page, projects)
    _open(page)


def _table(projects: tuple[Project, ...]) -> None:
    if not projects:
        st.text("There is no project yet. Open one below.")
        return
    rows = [_row(project) for project in projects]
    show_rows("Projects and how they are labelled", rows, key="projects-table")


def _row(project: Project) -> dict[str, str]:
    settings = project.settings
    return {
        "Project": project.name,
        "Dataset": project.dataset,
        "Items": f"{project.n_items:,}",
        "Overlap": f"{settings.overlap_share:.0%}, at least {settings.overlap_min}",
        "Repeats": f"{settings.repeat_share:.0%}",
        "Seed": settings.seed,
        "Design": settings.design,
        "State": "put away" if project.archived else "open",
    }


def _change(page: OpenPage, projects: tuple[Project, ...]) -> None:
    st.subheader("Change how a project is labelled", anchor=False)
    names = [project.name for project in projects]
    first = names.index(page.project.name) if page.project else 0
    name = st.selectbox("Project to change", names, index=first, key="change-project", width=480)
    project = next(p for p in projects if p.name == name)
    with st.form(f"settings-{name}", border=False):
        values = _settings_fields(project.settings, name)
        pressed = st.form_submit_button("Save settings", key=f"save-settings-{name}")
    if pressed:
        _save_settings(page, project, values)
    word = "Open again" if project.archived else "Put away"
    if st.button(word, key=f"archive-{name}", help="Nothing is deleted."):
        _archive(page, project)


def _settings_fields(now: ProjectSettings, name: str) -> dict[str, object]:
    """Draw one field a setting and return what stands in them."""
    left, right = st.columns(2)
    with left:
        overlap = st.number_input(
            "Overlap: share that a second annotator labels, %",
            0.0, 100.0, now.overlap_share * 100, 1.0, key=f"overlap-{name}",
        )  # fmt: skip
        least = st.number_input(
            "Overlap: at least so many items", 0, None, now.overlap_min, key=f"least-{name}"
        )
        seed = st.text_input("Seed", now.seed, max_chars=64, key=f"seed-{name}")
    with right:
        repeats = st.number_input(
            "Hidden repeats: share of one's items, %",
            0.0, 100.0, now.repeat_share * 100, 1.0, key=f"repeats-{name}",
        )  # fmt: skip
        gap = st.number_input(
            "Hidden repeats: at least so many items later",
            1, None, now.repeat_gap, key=f"gap-{name}",
        )  # fmt: skip
        per_item = st.number_input(
            "Annotators for every item", 1, 100, now.labels_per_item, key=f"per-item-{name}"
        )
    return {
        "overlap_share": round(overlap / 100, 6),
        "overlap_min": least,
        "seed": seed.strip(),
        "repeat_share": round(repeats / 100, 6),
        "repeat_gap": gap,
        "labels_per_item": per_item,
        **_permissions(now, name),
    }


def _permissions(now: ProjectSettings, name: str) -> dict[str, object]:
    own = st.checkbox(
        "An adjudicator may decide items they labelled (it is recorded)",
        now.adjudicator_may_have_labelled,
        key=f"own-{name}",
    )
    reveal = st.checkbox(
        "Annotators may see the judges' verdicts on their own saved labels "
        "(a label changed afterwards stays out of calibration)",
        now.reveal_after_save,
        key=f"reveal-{name}",
    )
    return {"adjudicator_may_have_labelled": own, "reveal_after_save": reveal}


def _save_settings(page: OpenPage, project: Project, values: dict[str, object]) -> None:
    try:
        settings = _settings(project.settings, values)
        page.store.projects.change_settings(project.name, settings, actor=page.user.alias)
    except JudgekitError as error:
        show_error(error, key="projects-error")
        return
    done("projects-done", f"Saved. Project {project.name} is labelled by the new settings.")


def _settings(now: ProjectSettings, values: dict[str, object]) -> ProjectSettings:
    try:
        return ProjectSettings.model_validate({**now.model_dump(), **values})
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            "a setting cannot be used",
            where=".".join(map(str, first["loc"])),
            found=repr(first["input"]),
            expected=str(first["msg"]),
        ) from error


def _archive(page: OpenPage, project: Project) -> None:
    archived = not project.archived
    try:
        page.store.projects.archive(project.name, archived=archived, actor=page.user.alias)
    except JudgekitError as error:
        show_error(error, key="projects-error")
        return
    done("projects-done", f"Project {project.name} is {'put away' if archived else 'open again'}.")


def _open(page: OpenPage) -> None:
    st.subheader("Open a project", anchor=False)
    datasets = workspace().dataset_names()
    if not datasets:
        st.text("There is no dataset: put a folder with items.jsonl into annotations/.")
        return
    defaults = label_settings()
    st.text(
        f"It starts with the settings of judgekit.yaml: overlap {defaults.overlap_share:.0%}, at "
        f"least {defaults.overlap_min}; repeats {defaults.repeat_share:.0%}; seed {defaults.seed}."
    )
    with st.form("open-project", border=False):
        dataset = st.selectbox("Dataset", datasets, key="open-dataset")
        rubric = st.selectbox("Rubric", workspace().rubric_names(), key="open-rubric")
        name = st.text_input("Name (empty: the dataset's)", key="open-name", max_chars=64)
        criteria = st.checkbox("Ask each criterion too", key="open-criteria")
        every = st.checkbox("Every criterion needs an answer", key="open-every-criterion")
        mode = st.checkbox("A fail needs a failure mode", key="open-mode")
        pressed = st.form_submit_button("Open project", key="open-project-button")
    if pressed:
        asks = Asks(criteria=criteria or every, every_criterion=every, mode=mode)
        _open_now(page, dataset, rubric, name.strip() or None, asks)


@dataclass(frozen=True)
class Asks:
    """What is asked besides the answer itself."""

    criteria: bool
    every_criterion: bool
    mode: bool


def _open_now(page: OpenPage, dataset: str, rubric: str, name: str | None, asks: Asks) -> None:
    bar = st.progress(0.0, text="Reading the dataset")

    def show_progress(n: int, total: int) -> None:
        bar.progress(n / max(total, 1), text=f"{n:,} of {total:,}")

    try:
        project = open_project(
            page.store,
            workspace(),
            dataset=dataset,
            rubric=rubric,
            actor=page.user.alias,
            name=name,
            ask_criteria=asks.criteria,
            criteria_required=asks.every_criterion,
            mode_required=asks.mode,
            progress=show_progress,
        )
    except (JudgekitError, ValidationError) as error:
        bar.empty()
        show_error(_plain(error), key="projects-error")
        return
    done(
        "projects-done", f"Project {project.name} is open with {counted(project.n_items, 'item')}."
    )


def _plain(error: JudgekitError | ValidationError) -> JudgekitError:
    if isinstance(error, JudgekitError):
        return error
    return InputError(
        "this name cannot be used for a project",
        expected="letters, digits, '.', '_' and '-', at most 64, beginning with a letter or digit",
    )
