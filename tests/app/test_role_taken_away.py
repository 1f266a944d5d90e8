"""A role that was taken away is gone at the next press: nothing is written, no data is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import LabelStore, Person, open_label_store
from judgekit.store.workspace import find_workspace

APP = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
RUBRIC = """schema: 1
name: desk
task: Decide.
criteria: [{id: right, description: It is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""
Open = Callable[[str], AppTest]
ROLES = {
    "label": "annotator",
    "adjudicate": "adjudicator",
    "error_analysis": "engineer",
    "goldens": "adjudicator",
    "calibrate": "engineer",
    "disagreements": "engineer",
    "approvals": "lead",
    "admin": "lead",
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LabelStore]:
    (tmp_path / "judgekit.yaml").write_text("schema: 1\ndataset: desk\n")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "desk.yaml").write_text(RUBRIC)
    folder = tmp_path / "annotations" / "desk"
    folder.mkdir(parents=True)
    rows = [{"id": f"i{n}", "input": f"zzquestion {n}", "output": "zzanswer"} for n in range(5)]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("JUDGEKIT_LABEL_STORE", "")
    st.cache_resource.clear()
    with open_label_store(None, tmp_path) as opened:
        workspace = find_workspace(tmp_path)
        open_project(opened, workspace, dataset="desk", rubric="desk", actor="lea")
        opened.people.add(Person(alias="lea", roles=("lead",)), actor="lea")
        yield opened
    st.cache_resource.clear()


@pytest.fixture
def opened(store: LabelStore) -> Open:
    def start(name: str) -> AppTest:
        store.people.add(Person(alias="max", roles=(ROLES[name],)), actor="lea")
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.query_params["user"] = "max"
        app.switch_page(f"app_pages/{name}.py").run()
        assert [error.value for error in app.exception] == []
        return app

    return start


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


@pytest.mark.parametrize("name", list(ROLES))
def test_every_page_says_not_allowed_at_the_next_run(
    opened: Open, store: LabelStore, name: str
) -> None:
    app = opened(name)
    assert "Not allowed" not in texts(app)
    store.people.set_roles("max", (), actor="lea")
    app.run()
    assert "Not allowed" in texts(app)
    drawn = (app.dataframe, app.selectbox, app.tabs, app.get("bidi_component"))
    assert [len(elements) for elements in drawn] == [0, 0, 0, 0]


def test_a_label_is_not_saved_for_somebody_who_may_no_longer_label(
    opened: Open, store: LabelStore
) -> None:
    """The callback of a button runs before the page: it has to ask itself."""
    app = opened("label")
    store.people.set_roles("max", ("engineer",), actor="lea")
    app.button("decide-pass").click().run()
    assert store.events.count("desk") == 0
    assert "Not allowed" in texts(app)
    assert "zzquestion" not in texts(app)
