"""Admin, Export: what people said, as files to take away."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_files.released.copy import files_to_show
from judgekit.store.label_files.tables import labels_csv
from judgekit.store.label_store import Project
from parts.download import Offer, offer_download
from parts.messages import show_error
from parts.page import OpenPage
from parts.settings import workspace

_SAME_TIME = (1980, 1, 1, 0, 0, 0)


def export_section(page: OpenPage) -> None:
    """Offer the chosen project's files and its labels as a table."""
    st.header("Export", anchor=False)
    if page.project is None:
        st.text("There is no project yet.")
        return
    st.text(
        f"Project {page.project.name}, as it stands now. A release, which calibration may use, is "
        "proposed in Approvals or made by judgekit labels export."
    )
    for offer in _offers(page, page.project):
        try:
            made = offer_download(offer)
        except JudgekitError as error:
            show_error(error, key="export-error")
            continue
        if made:
            _note(page, page.project, offer)


def _note(page: OpenPage, project: Project, offer: Offer) -> None:
    page.store.audit.add(
        "export", actor=page.user.alias, project=project.name, after={"file": offer.file_name}
    )


def _offers(page: OpenPage, project: Project) -> tuple[Offer, ...]:
    """Return what can be had; labels.jsonl and the log are what another database can import."""
    folder = workspace().annotations_dir / project.dataset
    return (
        Offer(
            key="labels-csv",
            label="labels as CSV",
            file_name=f"{project.name}-labels.csv",
            mime="text/csv",
            make=lambda: labels_csv(
                files_to_show(page.store, folder, project.name).labels
            ).encode(),
        ),
        Offer(
            key="copy",
            label="items, labels and the whole log (zip)",
            file_name=f"{project.name}.zip",
            mime="application/zip",
            make=lambda: zipped(files_to_show(page.store, folder, project.name).files),
        ),
    )


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return the files in one zip: the same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _SAME_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    return data.getvalue()
