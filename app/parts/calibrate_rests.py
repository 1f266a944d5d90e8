"""What the figures rest on: release, labels, verdicts, judges; on the page and in the download."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from judgekit.calibration.report import CalibrationReport
from judgekit.model.release import LABELS_FILE, Release
from judgekit.render.html import html_report
from parts.calibrate_figures import named
from parts.calibrate_load import Asked, Offer, Version, versions
from parts.download import Offer as FileOffer
from parts.download import offer_download
from parts.plain_words import PlainTable, heading, show_table


def show_rests(found: Offer, asked: Asked) -> None:
    """Draw the hashes and the downloads that carry them."""
    reports = asked.foresight.reports
    judges = tuple(dict.fromkeys(report.judge for report in reports))
    release = release_of(found, asked)
    parts = versions(asked.options, judges)
    with st.container(key="hashes"):
        heading("What this rests on")
        show_table(_dataset_table(found, release), key="rests-dataset")
        show_table(_judges_table(reports, parts), key="rests-judges")
        with st.expander("What each fingerprint covers: prompt, rubric, settings"):
            show_table(_parts_table(parts), key="rests-parts")
        first, second = st.columns(2)
        with first:
            offer_download(_json_offer(found, release, asked, parts))
        with second:
            offer_download(_html_offer(found, asked))


def _json_offer(
    found: Offer, release: Release | None, asked: Asked, parts: tuple[Version, ...]
) -> FileOffer:
    return FileOffer(
        key="json",
        label="the figures (JSON)",
        file_name=f"calibration-{found.dataset}.json",
        mime="application/json",
        make=lambda: download(found, release, asked, parts),
    )


def _html_offer(found: Offer, asked: Asked) -> FileOffer:
    reports, items = asked.foresight.reports, asked.requests[0].items
    return FileOffer(
        key="html",
        label="the report (HTML)",
        file_name=f"calibration-{found.dataset}.html",
        mime="text/html",
        make=lambda: html_report(reports, items=items).encode("utf-8"),
    )


def release_of(found: Offer, asked: Asked) -> Release | None:
    """Return the release whose labels were read, None where the file is no release's."""
    named = asked.options.release
    for release in reversed(found.releases):
        if named in (None, release.version) and (
            named is not None or release.labels_hash == found.labels_hash
        ):
            return release
    return None


def labels_hash(found: Offer, release: Release | None) -> str | None:
    """Return the hash of the label file that was read."""
    return release.labels_hash if release is not None else found.labels_hash


def download(
    found: Offer, release: Release | None, asked: Asked, parts: tuple[Version, ...]
) -> bytes:
    """Return the reports as `judgekit calibrate --json` prints them, with release and versions."""
    content: dict[str, Any] = {
        "schema": 1,
        "dataset": {
            "name": found.dataset,
            "version": found.version,
            "release": release.version if release else None,
            "labels_file": labels_hash(found, release),
        },
        "versions": [
            {"judge": one.judge, "fingerprint": one.fingerprint, "components": dict(one.parts)}
            for one in parts
        ],
        "judges": [report.to_json() for report in asked.foresight.reports],
    }
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _dataset_table(found: Offer, release: Release | None) -> PlainTable:
    return PlainTable(
        "Labels",
        ("what", "version"),
        (
            ("dataset", f"{found.dataset}, version {found.version}"),
            ("release", _release_words(release)),
            (LABELS_FILE, labels_hash(found, release) or "there are no labels"),
        ),
    )


def _release_words(release: Release | None) -> str:
    if release is None:
        return "none of this app's: the file as it lies in the dataset's folder"
    return f"{release.version}, {release.at:%Y-%m-%d %H:%M} UTC, by {release.by}"


def _judges_table(reports: tuple[CalibrationReport, ...], parts: tuple[Version, ...]) -> PlainTable:
    rows: list[tuple[str, ...]] = []
    for version in parts:
        rows.append((version.judge, "model or function", version.model))
        rows.append((version.judge, "fingerprint", version.fingerprint))
    for one in named(reports):
        rows.append((one.title, "labels compared", one.report.labels_hash))
        rows.append((one.title, "verdicts compared", one.report.verdicts_hash))
    return PlainTable("Judges", ("judge", "what", "version"), tuple(rows))


def _parts_table(parts: tuple[Version, ...]) -> PlainTable:
    rows = tuple((one.judge, name, value) for one in parts for name, value in one.parts)
    return PlainTable("Parts of each fingerprint", ("judge", "part", "content"), rows)
