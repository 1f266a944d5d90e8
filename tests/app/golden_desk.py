"""A workspace with golden cases, opened in the app as one expert or another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judgekit.goldens.entry_text import EntryTexts
from judgekit.goldens.two_experts import entry_body
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import LabelStore, open_label_store
from judgekit.store.workspace import find_workspace

APP = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
SETTINGS = """
schema: 1
dataset: desk
label:
  people:
    lea: {roles: [lead]}
    eve: {roles: [engineer]}
    bob: {roles: [engineer]}
    cat: {roles: [adjudicator]}
    tim: {roles: [annotator]}
"""
HOSTILE = "<img src=x onerror=alert(1)> ![](http://example.org/x.png) $x$ :red[y] \u202egnp.exe"
ITEM = {"group": "g", "input": {"customer": f"Refund please {HOSTILE}"}, "output": "SECRET-ANSWER"}


RUBRIC = """
schema: 1
name: desk
task: Is the refund right?
criteria: [{id: right, description: The amount is right}]
failure_modes: [{id: wrong_amount, description: Another amount}]
"""


def golden_workspace(root: Path, monkeypatch: pytest.MonkeyPatch, *, cases: int = 3) -> Path:
    """Make a workspace with a project of some items, all but one asked for as golden cases."""
    folder = root / "annotations" / "desk"
    folder.mkdir(parents=True)
    (root / "rubrics").mkdir()
    (root / "judgekit.yaml").write_text(SETTINGS, encoding="utf-8")
    (root / "rubrics" / "desk.yaml").write_text(RUBRIC, encoding="utf-8")
    ids = [f"case-{n}" for n in range(1, cases + 2)]
    lines = [json.dumps({"id": name, **ITEM}) + "\n" for name in ids]
    (folder / "items.jsonl").write_text("".join(lines), encoding="utf-8")
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(root))
    monkeypatch.delenv("JUDGEKIT_LABEL_STORE", raising=False)
    st.cache_resource.clear()
    with open_label_store(None, root) as store:
        workspace = find_workspace(root)
        open_project(store, workspace, dataset="desk", rubric="desk", actor="lea")
        store.goldens.ask("desk", ids[:cases], actor="lea")
    return root


def fill_in(store: LabelStore, case: str, expert: str, *, done: bool = True, **texts: Any) -> None:
    """Store an entry as the page does."""
    mine = store.goldens.case("desk", case, expert).mine
    store.goldens.save(
        "desk",
        case,
        entry_body(EntryTexts(**texts)),
        expert=expert,
        rev_seen=mine.rev if mine else 0,
        done=done,
    )


def opened(user: str, **query: str) -> AppTest:
    """Open the Goldens page as somebody."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["user"] = user
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    app.switch_page("app_pages/goldens.py").run()
    assert not app.exception, app.exception
    return app


def texts(app: AppTest) -> str:
    """Return all plain texts of the page."""
    return "\n".join(str(element.value) for element in app.text)


def sent(app: AppTest) -> str:
    """Return everything that the server sent to the browser for this page."""
    return "\n".join(str(node.proto) for node in walk(app._tree) if hasattr(node, "proto"))


def walk(node: Any) -> Any:
    """Yield every element of the page."""
    yield node
    for child in getattr(node, "children", {}).values():
        yield from walk(child)
