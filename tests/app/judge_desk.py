"""The example workspace with two graders run, opened in the app as one person or another."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judgekit.cli.main import run_cli
from judgekit.store.label_store import open_label_store

REPOSITORY = Path(__file__).resolve().parents[2]
APP = REPOSITORY / "app" / "streamlit_app.py"
PEOPLE = """
label:
  people:
    lea: {roles: [lead]}
    leo: {roles: [lead]}
    eve: {roles: [engineer]}
    ann: {roles: [annotator]}
"""


def example_workspace(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the example workspace, run two of its graders and point the app at it."""
    settings = (REPOSITORY / "judgekit.yaml").read_text(encoding="utf-8")
    (root / "judgekit.yaml").write_text(settings + PEOPLE, encoding="utf-8")
    for folder in ("rubrics", "annotations", "graders"):
        shutil.copytree(REPOSITORY / folder, root / folder)
    (root / "annotations" / "refund_desk" / "looks.jsonl").unlink(missing_ok=True)
    graders = ("--grader", "policy-rules", "--grader", "always-pass")
    assert run_cli(["run", *graders, "--workspace", str(root), "--json"]) == 0
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(root))
    st.cache_resource.clear()
    return root


def open_project(root: Path) -> None:
    """Open the dataset as a project of the app."""
    from judgekit.store.label_files.project_source import open_project as open_source
    from judgekit.store.workspace import find_workspace

    with open_label_store(None, root) as store:
        open_source(
            store,
            find_workspace(root),
            dataset="refund_desk",
            rubric="refund_reply",
            actor="lea",
        )


def opened(page: str, *, user: str, **query: str | list[str]) -> AppTest:
    """Open a page as somebody, its address holding `query`."""
    app = AppTest.from_file(str(APP), default_timeout=120)
    app.query_params["user"] = user
    app.run()
    app.switch_page(f"app_pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert [error.value for error in app.exception] == []
    return app


def texts(app: AppTest) -> str:
    """Return every plain text of the page."""
    return "\n".join(element.value for element in app.text)


def component(app: AppTest, key: str) -> Any:
    """Return what one of our components was given, by its key."""
    for element in app.get("bidi_component"):
        if element.proto.id.endswith(f"-{key}"):
            return json.loads(element.proto.json)
    raise AssertionError(f"there is no component {key!r}")


def shown_components(app: AppTest) -> list[str]:
    """Return the names of our components that show something; a watch shows nothing."""
    names = [element.proto.component_name for element in app.get("bidi_component")]
    return [name for name in names if name != "judgekit_reconnect"]


def sent(app: AppTest) -> str:
    """Return everything that the page sends to the browser, as text."""
    return "\n".join(str(element.proto) for element in _elements(app.main))


def _elements(block: Any) -> list[Any]:
    found = []
    for child in block.children.values():
        if hasattr(child, "children"):
            found += _elements(child)
        if getattr(child, "proto", None) is not None:
            found.append(child)
    return found


def command(capsys: pytest.CaptureFixture[str], root: Path, *words: str) -> Any:
    """Return what a command prints as JSON."""
    capsys.readouterr()
    run_cli([*words, "--workspace", str(root), "--json"])
    return json.loads(capsys.readouterr().out)
