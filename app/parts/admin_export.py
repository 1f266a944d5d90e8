"""Admin, Export: what people said, as files to take away."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.store.label_files.fold import fold, labels_text
from judgekit.store.label_files.tables import labels_csv
from judgekit.store.label_store import LabelStore
from parts.download import Offer, offer_download
from parts.messages import show_error
from parts.page import OpenPage


def export_section(page: OpenPage) -> None:
    """Offer the chosen project's labels as JSON lines and as CSV."""
    st.header("Export", anchor=False)
    if page.project is None:
        st.text("There is no project yet.")
        return
    name = page.project.name
    st.text(
        f"Project {name}: the labels as they stand now. A release, which calibration may use, is "
        "proposed in Approvals or by `judgekit labels export`."
    )
    for offer in _offers(page.store, name):
        try:
            made = offer_download(offer)
        except JudgekitError as error:
            show_error(error, key="export-error")
            continue
        if made:
            page.store.audit.add(
                "export", actor=page.user.alias, project=name, after={"file": offer.file_name}
            )


def _offers(store: LabelStore, name: str) -> tuple[Offer, ...]:
    return (
        Offer(
            key="labels-jsonl",
            label="labels as JSON lines",
            file_name=f"{name}-labels.jsonl",
            mime="application/jsonl",
            make=lambda: labels_text(fold(store.events.since(project=name)).labels).encode(),
        ),
        Offer(
            key="labels-csv",
            label="labels as CSV",
            file_name=f"{name}-labels.csv",
            mime="text/csv",
            make=lambda: labels_csv(fold(store.events.since(project=name)).labels).encode(),
        ),
    )
