"""guidelines/<version>.md: every guideline that released labels were given under, in its words."""

from __future__ import annotations

from collections.abc import Iterable

from judgekit.model.canonical import bytes_hash
from judgekit.model.label import Label
from judgekit.store.label_files.aliases import MAX_FILE_NAME, safe_name
from judgekit.store.label_store import LabelStore

GUIDELINES_FOLDER = "guidelines"


def guideline_files(store: LabelStore, project: str, labels: Iterable[Label]) -> dict[str, bytes]:
    """Return the guidelines that the labels name and the store knows, by path in the dataset."""
    used = {label.guideline for label in labels}
    return {
        f"{GUIDELINES_FOLDER}/{_file_name(known.version)}": known.text.encode("utf-8")
        for known in store.projects.guidelines(project)
        if known.version in used
    }


def _file_name(version: str) -> str:
    name = safe_name(version)
    if len(name) > MAX_FILE_NAME:
        mark = bytes_hash(version.encode("utf-8")).removeprefix("sha256:")[:16]
        name = f"{name[:100]}-{mark}"
    return f"{name}.md"
