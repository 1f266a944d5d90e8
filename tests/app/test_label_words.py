"""Label says what it asks, what it saved, and where one is."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from label_desk import (
    RUBRIC,
    component,
    events,
    label_workspace,
    open_app,
    opened_store,
    press,
    shown,
    status,
    words,
)
from streamlit.testing.v1 import AppTest

from judgekit.model.item import Item
from judgekit.model.rubric import Criterion
from judgekit.store.label_files.project_source import open_project
from judgekit.store.label_store import LabelSchema, ProjectSettings
from judgekit.store.label_store.records.keeping import Release
from judgekit.store.workspace import find_workspace


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return label_workspace(tmp_path, monkeypatch)


def drawn(app: AppTest) -> str:
    """Return what was drawn as HTML."""
    return "".join(str(block.proto.body) for block in app.get("html"))


def jump(app: AppTest, typed: str) -> AppTest:
    """Type into the box for an item and press Enter."""
    app.text_input(key="jump").set_value(typed).run()
    assert not app.exception
    return app


def test_the_item_s_id_is_shown_and_it_or_the_number_leads_back(root: Path) -> None:
    app = open_app()
    first = shown(app)["item"]
    assert f"Item id: {first}</div>" in drawn(app)
    press(app, "decide-pass")
    second = shown(app)["item"]
    assert "Item 2 of 4" in words(app)
    for typed in ("1", first):
        assert shown(jump(app, typed))["item"] == first
        assert "Item 1 of 4" in words(app)
        assert shown(jump(app, " 2 "))["item"] == second


def test_a_number_that_is_an_id_means_the_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": str(n), "input": "q", "output": f"answer {n}"} for n in (1, 2, 3)]
    label_workspace(tmp_path, monkeypatch, rows=rows)
    app = press(open_app(), "decide-pass")
    for typed in ("1", "2", "3"):
        assert shown(jump(app, typed))["item"] == typed


@pytest.mark.parametrize("typed", ["2", "0", "99999999999999999999", "²"])
def test_a_number_that_was_not_shown_yet_opens_nothing(root: Path, typed: str) -> None:
    app = open_app()
    before = shown(app)
    assert status(jump(app, typed)) == f"Not opened: the project 'desk' has no item {typed!r}"
    assert shown(app) == before


def test_the_item_in_hand_is_not_opened_anew(root: Path) -> None:
    """A hidden repeat would be turned into the label that it repeats."""
    app = open_app()
    before = shown(app)
    assert status(jump(app, before["item"])) == "This item is shown already."
    assert shown(app) == before


def test_a_released_label_is_said_to_be_released(root: Path) -> None:
    app = open_app()
    item = shown(app)["item"]
    press(app, "decide-pass")
    with opened_store(root) as store:
        store.releases.add(
            Release(
                project="desk", dataset="desk", version="1", hashes={}, actor="lea",
                last_seq=store.events.last_seq(), at=datetime.now(UTC),
            )
        )  # fmt: skip
    jump(app, item)
    assert status(app) == f"Not opened: your label on {item!r} is released and cannot be changed"


def test_what_was_saved_is_said_with_the_failure_mode_in_full(root: Path) -> None:
    app = press(press(open_app(), "decide-fail"), "mode-1")
    assert status(app).startswith("Saved: fail, rude (It is rude.) ")
    assert status(press(app, "decide-unsure")).startswith("Saved: unsure ")


def test_after_fail_each_failure_mode_is_described(root: Path) -> None:
    app = open_app()
    assert "It is rude." not in words(app)
    assert "2 rude: It is rude." in words(press(app, "decide-fail"))
    assert "It is rude." not in words(press(app, "decide-undo"))


def test_escape_takes_a_half_given_fail_back_and_only_then(root: Path) -> None:
    app = open_app()
    assert component(app, "status_line")["cancel"] == ""
    press(app, "decide-fail")
    assert component(app, "status_line")["cancel"] == ".st-key-decide-undo button"


def test_skip_on_a_reopened_label_leaves_it_as_it_was(root: Path) -> None:
    app = open_app()
    item = shown(app)["item"]
    press(app, "decide-pass")
    following = shown(app)["item"]
    jump(app, item)
    press(app, "decide-skip")
    assert status(app).startswith("Left as it was: pass. All saved ")
    assert shown(app)["item"] == following
    assert [event.kind for event in events(root)] == ["label"]


def test_the_key_to_the_next_unlabelled_item_is_named_where_it_works(root: Path) -> None:
    app = open_app()
    assert "<kbd>j</kbd>" not in drawn(app)
    item = shown(app)["item"]
    press(app, "decide-pass")
    jump(app, item)
    assert "<kbd>j</kbd> Next unlabelled" in drawn(app)
    assert app.button(key="leave").proto.shortcut == "j"
    assert "j" in component(app, "status_line")["keys"]
    press(app, "pause")
    assert "<kbd>j</kbd> Next unlabelled" in drawn(app)


def test_the_task_of_the_rubric_stands_above_the_item(root: Path) -> None:
    assert 'jk-question">Decide whether the reply may be sent.</div>' in drawn(open_app())


def test_a_long_task_is_folded_and_stays_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = "Decide <b>now</b> " + "and read it all " * 20
    monkeypatch.setattr("label_desk.RUBRIC", RUBRIC.replace("Decide whether the reply", task))
    label_workspace(tmp_path, monkeypatch)
    page = drawn(open_app())
    assert "<details><summary>Decide &lt;b&gt;now&lt;/b&gt; and read" in page
    assert page.count("&lt;b&gt;") == 2


def test_a_field_that_the_rubric_shows_and_the_item_has_not_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shows = RUBRIC.replace("criteria:", "shows: [input, output, reference]\ncriteria:", 1)
    monkeypatch.setattr("label_desk.RUBRIC", shows)
    row = {"input": "q", "output": "a"}
    label_workspace(
        tmp_path, monkeypatch, rows=[{"id": "i0", **row}, {"id": "i1", **row, "reference": "r"}]
    )
    app = open_app()
    for _ in range(2):
        none = "Reference: none given" in words(app)
        assert none is (shown(app)["item"] == "i0")
        press(app, "decide-pass")


def test_missing_parts_are_named_and_what_stands_in_for_an_output_is_not() -> None:
    from parts.label_question import missing_fields

    asked = (Criterion(id="right", description="d"),)
    schema = LabelSchema(criteria=asked, shows=("input.question", "context", "output", "trial"))
    assert missing_fields(Item(id="a", output="o", input={"other": 1}, context=[]), schema) == [
        "Input: question: none given",
        "Context: none given",
    ]
    assert missing_fields(Item(id="a", input="q"), LabelSchema()) == []


def test_another_project_s_message_is_left_behind(root: Path) -> None:
    with opened_store(root) as store:
        open_project(
            store, find_workspace(root), dataset="desk", rubric="desk", actor="lea", name="other",
            settings=ProjectSettings(overlap_share=1, repeat_share=0, min_dwell_ms=0),
        )  # fmt: skip
    app = press(open_app(), "decide-pass")
    assert status(app).startswith("Saved: pass")
    box = app.sidebar.selectbox(key="_project_box")
    box.set_value("other").run()
    assert (status(app), component(app, "status_line")["kind"]) == ("All saved", "")
