"""A small workspace for the pages of annotators, opened in the app as one person or another."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import LabelEvent, LabelStore, ProjectSettings, open_label_store
from judgekit.store.workspace import find_workspace

APP = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
SETTINGS = """schema: 1
dataset: desk
label:
  people:
    ann: {roles: [annotator]}
    bob: {roles: [annotator]}
    lea: {roles: [lead]}
"""
RUBRIC = """schema: 1
name: desk
task: Decide whether the reply may be sent.
criteria:
  - {id: right, description: It is right.}
  - {id: polite, description: It is polite.}
failure_modes:
  - {id: wrong_fact, description: A fact is wrong.}
  - {id: rude, description: It is rude.}
"""
ROWS: list[dict[str, Any]] = [
    {"id": f"i{n}", "input": f"question {n}", "output": f"answer {n}"} for n in range(4)
]


def label_workspace(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    rows: Sequence[dict[str, Any]] = ROWS,
    ask_criteria: bool = False,
    mode_required: bool = False,
) -> Path:
    """Write the workspace, open its project and point the app at it."""
    (root / "judgekit.yaml").write_text(SETTINGS, encoding="utf-8")
    (root / "rubrics").mkdir()
    (root / "rubrics" / "desk.yaml").write_text(RUBRIC, encoding="utf-8")
    folder = root / "annotations" / "desk"
    folder.mkdir(parents=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "items.jsonl").write_text(text, encoding="utf-8")
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(root))
    monkeypatch.delenv("JUDGEKIT_LABEL_STORE", raising=False)
    st.cache_resource.clear()
    # No dwell guard: a test presses faster than a person reads; the guard has tests of its own.
    settings = ProjectSettings(overlap_share=1, repeat_share=0, min_dwell_ms=0)
    with opened_store(root) as store:
        open_project(
            store, find_workspace(root), dataset="desk", rubric="desk", actor="lea",
            settings=settings, ask_criteria=ask_criteria, mode_required=mode_required,
        )  # fmt: skip
    return root


@contextmanager
def opened_store(root: Path) -> Iterator[LabelStore]:
    """Open the workspace's store beside the app, as another process would."""
    with open_label_store(None, root) as store:
        yield store


def events(root: Path, annotator: str = "ann") -> list[LabelEvent]:
    """Return what the log holds of one person."""
    with opened_store(root) as store:
        return [event for event in store.events.since() if event.annotator == annotator]


def open_app(page: str = "label", user: str | None = "ann") -> AppTest:
    """Open a page as a person."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    if user is not None:
        app.query_params["user"] = user
    app.run()
    if page != "home":
        app.switch_page(f"app_pages/{page}.py")
        app.run()
    assert not app.exception
    return app


def press(app: AppTest, key: str) -> AppTest:
    """Press a button."""
    app.button(key=key).click().run()
    assert not app.exception
    return app


def component(app: AppTest, name: str) -> dict[str, Any]:
    """Return what a component of ours was sent last."""
    for element in app.get("bidi_component"):
        if element.proto.component_name == f"judgekit_{name}":
            data: dict[str, Any] = json.loads(element.proto.json)
            return data
    raise AssertionError(f"no component {name}")


def shown(app: AppTest) -> dict[str, str]:
    """Return the attributes of the probe."""
    words = next(e.proto.body for e in app.get("html") if 'id="probe"' in e.proto.body)
    pairs = (part.split("=", 1) for part in words.split(" data-")[1:])
    return {name: value.split('"')[1] for name, value in pairs}


def status(app: AppTest) -> str:
    """Return the sentence of the status line."""
    return str(component(app, "status_line")["text"])


def words(app: AppTest) -> str:
    """Return every plain text on the page."""
    return "\n".join(str(text.value) for text in app.text)
