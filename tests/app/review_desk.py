"""A small workspace with labels that agree, differ and are unsure, opened in the app."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judgekit.model.item import Item
from judgekit.model.rubric import Criterion, FailureMode
from judgekit.store.label_store import (
    Answer,
    LabelSchema,
    LabelStore,
    Project,
    ProjectSettings,
    Saved,
)

APP = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
SETTINGS = """schema: 1
dataset: desk
label:
  people:
    ada: {roles: [adjudicator]}
    abe: {roles: [adjudicator]}
    eng: {roles: [engineer]}
    zoraq: {roles: [annotator, adjudicator]}
    bexqu: {roles: [annotator]}
"""
RUBRIC = """schema: 1
name: desk
task: Decide.
criteria: [{id: right, description: It is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
examples: [{item: {input: q3, output: a3}, verdict: {}}]
"""
SCHEMA = LabelSchema(
    rubric="desk",
    criteria=(Criterion(id="right", description="r"), Criterion(id="polite", description="p")),
    failure_modes=(
        FailureMode(id="wrong", description="w"),
        FailureMode(id="rude", description="r"),
    ),
    ask_criteria=True,
)
HOSTILE = "<img src=x onerror=alert(1)> ![x](http://x.example/p.png) **b** $x$ :red[r]"


def make_workspace(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the workspace's files and point the app at it."""
    (root / "judgekit.yaml").write_text(SETTINGS)
    (root / "rubrics").mkdir()
    (root / "rubrics" / "desk.yaml").write_text(RUBRIC)
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(root))
    st.cache_resource.clear()
    return root


def make_project(store: LabelStore, n: int = 8, **settings: Any) -> LabelStore:
    """Open the project `desk` with items i0 ...; every item wants two annotators."""
    given = {
        "labels_per_item": 2,
        "overlap_share": 0.0,
        "overlap_min": 0,
        "repeat_share": 0.0,
        "min_dwell_ms": 0,
    } | settings
    project = Project(
        name="desk", dataset="desk", label_schema=SCHEMA, settings=ProjectSettings(**given)
    )
    store.projects.create(project, actor="lea")
    items = [
        Item(
            id=f"i{k}",
            input=f"q{k}",
            output=f"a{k}",
            split="development" if k == 1 else None,
            metadata={"model": "SECRET-MODEL"},
        )
        for k in range(n)
    ]
    store.projects.import_items("desk", items, actor="lea")
    return store


def label(store: LabelStore, who: str, item_id: str, answer: Answer | str) -> None:
    """Save someone's answer about an item."""
    whole = Answer(label=answer) if isinstance(answer, str) else answer
    shown = store.queue.present("desk", who, item_id)
    saved = store.labels.save(
        shown.id, whole, annotator=who, op_id=uuid.uuid4().hex, rev_seen=shown.rev
    )
    assert isinstance(saved, Saved), saved


def differ(store: LabelStore, item_id: str) -> None:
    """Let two people differ about an item."""
    label(store, "zoraq", item_id, Answer(label="pass", note="fine " + HOSTILE))
    label(store, "bexqu", item_id, Answer(label="fail", failure_mode="wrong"))


def opened(page: str, *, user: str, **query: str) -> AppTest:
    """Open a page as somebody."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["user"] = user
    app.run()
    app.switch_page(f"app_pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert [error.value for error in app.exception] == []
    return app


def words(app: AppTest) -> str:
    """Return all plain texts of the page."""
    return "\n".join(element.value for element in app.text)


def press(app: AppTest, *keys: str) -> AppTest:
    """Click buttons one after the other, by their widget keys."""
    for key in keys:
        app.button(key=key).click().run()
        assert [error.value for error in app.exception] == []
    return app


Wait = Callable[[], None]
