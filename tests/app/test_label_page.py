"""Label: what a press stores, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from label_desk import (
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

from judgekit.errors import StoreFailed
from judgekit.model.item import Item
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_store import Answer, LabelSchema, ProjectSettings


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return label_workspace(tmp_path, monkeypatch)


def test_one_press_stores_one_event_and_shows_the_next_item(root: Path) -> None:
    """L1."""
    app = open_app()
    before = shown(app)
    press(app, "decide-pass")
    assert [(e.kind, e.item_id, e.value) for e in events(root)] == [
        ("label", before["item"], {"label": "pass"})
    ]
    assert shown(app)["item"] not in ("", before["item"])
    assert status(app).startswith("Saved: pass ")


def test_a_label_whose_copy_cannot_be_written_is_said_to_be_saved(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: EventMirror, written: object) -> None:
        raise StoreFailed("the disk is full")

    monkeypatch.setattr(EventMirror, "append", full)
    app = press(open_app(), "decide-pass")
    assert status(app).startswith("Warning: saved in the label database, but not copied")
    monkeypatch.undo()
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(root))
    assert [event.value for event in events(root)] == [{"label": "pass"}]


def test_fail_asks_for_a_mode_and_both_are_one_revision(root: Path) -> None:
    """L2."""
    app = open_app()
    item = shown(app)["item"]
    press(app, "decide-fail")
    assert status(app) == "Fail: which failure mode? Not saved yet."
    assert (shown(app)["item"], events(root)) == (item, [])
    press(app, "mode-1")
    (event,) = events(root)
    assert (event.value, event.rev) == ({"label": "fail", "failure_mode": "rude"}, 1)


def test_fail_twice_is_fail_without_a_mode(root: Path) -> None:
    app = open_app()
    press(press(app, "decide-fail"), "decide-fail")
    assert [event.value for event in events(root)] == [{"label": "fail"}]


def test_a_mode_without_fail_is_refused_and_told(root: Path) -> None:
    app = press(open_app(), "mode-0")
    assert status(app) == "Not saved: press f first, then the failure mode."
    assert events(root) == []


def test_a_required_mode_cannot_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = label_workspace(tmp_path, monkeypatch, mode_required=True)
    app = press(press(open_app(), "decide-fail"), "decide-fail")
    assert "asks for a failure mode" in status(app)
    assert events(root) == []


def test_undo_leaves_a_half_given_fail_first(root: Path) -> None:
    app = press(press(open_app(), "decide-fail"), "decide-undo")
    assert status(app) == "Fail taken back; nothing was saved."
    assert "Fail, because" not in words(app)
    assert events(root) == []


def test_undo_returns_to_the_item_and_the_log_has_both(root: Path) -> None:
    """L12."""
    app = open_app()
    first = shown(app)["item"]
    press(press(app, "decide-pass"), "decide-undo")
    assert shown(app)["item"] == first
    assert status(app).startswith("Taken back: pass.")
    assert [event.kind for event in events(root)] == ["label", "undo"]


def test_unsure_is_a_label_and_skip_brings_the_item_back_last(root: Path) -> None:
    app = open_app()
    first = shown(app)["item"]
    press(app, "decide-skip")
    second = shown(app)["item"]
    press(app, "decide-unsure")
    press(press(app, "decide-pass"), "decide-pass")
    assert shown(app)["item"] == first
    kinds = {event.item_id: event.kind for event in events(root)}
    assert (kinds[first], kinds[second]) == ("skip", "unsure")


def test_when_nothing_is_left_the_page_says_so_and_undo_still_works(root: Path) -> None:
    app = open_app()
    for _ in range(4):
        press(app, "decide-pass")
    assert "Nothing is left for you" in words(app)
    assert shown(app)["item"] == ""
    press(app, "decide-undo")
    assert shown(app)["item"] != ""


def test_a_key_too_soon_is_refused_told_and_counted(root: Path) -> None:
    with opened_store(root) as store:
        slow = ProjectSettings(overlap_share=1, repeat_share=0, min_dwell_ms=600_000)
        store.projects.change_settings("desk", slow, actor="lea")
    app = open_app()
    item = shown(app)["item"]
    press(app, "decide-pass")
    assert status(app).startswith("Too fast, not saved")
    assert (shown(app)["item"], events(root)) == (item, [])
    with opened_store(root) as store:
        assert [(pace.annotator, pace.n_too_fast) for pace in store.ratings.pace("desk")] == [
            ("ann", 1)
        ]


def test_a_second_window_is_told_and_overwrites_nothing(root: Path) -> None:
    """L11."""
    one, two = open_app(), open_app()
    assert shown(one)["item"] == shown(two)["item"]
    press(one, "decide-pass")
    press(two, "decide-unsure")
    assert status(two).startswith("Not saved: ")
    assert [event.value for event in events(root)] == [{"label": "pass"}]


def test_reload_brings_back_item_criteria_and_a_half_given_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L6, without the browser: another session of the same person."""
    label_workspace(tmp_path, monkeypatch, ask_criteria=True)
    app = open_app()
    app.get("button_group")[0].set_value("fail").run()
    press(app, "decide-fail")
    again = open_app()
    assert shown(again)["item"] == shown(app)["item"]
    assert again.get("button_group")[0].value == "fail"
    assert status(again) == "Fail: which failure mode? Not saved yet."


def test_criteria_are_saved_with_the_label_and_none_is_chosen_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = label_workspace(tmp_path, monkeypatch, ask_criteria=True)
    app = open_app()
    assert [group.value for group in app.get("button_group")] == [None, None]
    app.get("button_group")[1].set_value("fail").run()
    press(app, "decide-pass")
    saved = {event.field: (event.value or {})["label"] for event in events(root)}
    assert saved == {"_overall": "pass", "polite": "fail"}
    assert [group.value for group in app.get("button_group")] == [None, None]


def test_a_criterion_of_a_pair_names_a_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": f"i{n}", "output_1": f"one {n}", "output_2": f"two {n}"} for n in range(8)]
    root = label_workspace(tmp_path, monkeypatch, rows=rows, ask_criteria=True)
    app = open_app()
    for _ in rows:
        item = shown(app)["item"]
        first = component(app, "item_view")["blocks"][0]["text"]
        group = app.get("button_group")[0]
        assert group.options == ["first", "second", "tie", "? unsure"]
        group.set_value("output_1").run()
        press(app, "decide-output_1")
        stored = {e.field: (e.value or {})["label"] for e in events(root) if e.item_id == item}
        side = "output_1" if first.startswith("one") else "output_2"
        assert stored == {"_overall": side, "right": side}


def test_an_own_label_is_opened_again_with_its_values_and_replaced(root: Path) -> None:
    app = open_app()
    item = shown(app)["item"]
    press(app, "decide-pass")
    app.text_input(key="jump").set_value(item).run()
    assert (shown(app)["item"], shown(app)["rev"]) == (item, "1")
    assert status(app) == "Your label here: pass. A new one replaces it."
    press(app, "decide-unsure")
    assert [(event.rev, event.kind) for event in events(root)] == [(1, "label"), (2, "unsure")]


def test_an_own_label_can_be_looked_at_and_left_unchanged(root: Path) -> None:
    app = open_app()
    item = shown(app)["item"]
    press(app, "decide-pass")
    following = shown(app)["item"]
    app.text_input(key="jump").set_value(item).run()
    press(app, "leave")
    assert shown(app)["item"] == following
    assert [event.kind for event in events(root)] == ["label"]


def test_an_item_that_is_not_there_is_told(root: Path) -> None:
    app = open_app()
    before = shown(app)["item"]
    app.text_input(key="jump").set_value("nowhere").run()
    assert status(app) == "Not opened: the project 'desk' has no item 'nowhere'"
    assert shown(app)["item"] == before


def test_an_id_with_outer_blanks_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": f" i {n} ", "input": "q", "output": f"answer {n}"} for n in range(3)]
    label_workspace(tmp_path, monkeypatch, rows=rows)
    app = open_app()
    for typed in (" i 1 ", "i 2", "i 0 "):
        app.text_input(key="jump").set_value(typed).run()
        assert shown(app)["item"] == f" {typed.strip()} "


def test_a_pause_hides_the_item_and_is_not_active_time(root: Path) -> None:
    app = press(open_app(), "pause")
    assert "Paused" in [heading.value for heading in app.header]
    with pytest.raises(AssertionError, match="no component item_view"):
        component(app, "item_view")
    press(press(app, "resume"), "decide-pass")
    (event,) = events(root)
    assert event.active_ms is not None
    assert event.dwell_ms is not None


def test_the_legend_names_only_the_keys_that_do_something_now(root: Path) -> None:
    app = open_app()
    assert "<kbd>p</kbd> Pass" in legend_of(app)
    assert re.findall("<kbd>(.*?)</kbd>", legend_of(press(app, "pause"))) == ["b", "g", "i"]
    assert "<kbd>p</kbd> Pass" in legend_of(press(app, "resume"))


def legend_of(app: AppTest) -> str:
    """Return the legend as drawn for a wide window."""
    bodies = [block.proto.body for block in app.get("html")]
    (wide,) = [body for body in bodies if body.startswith('<div class="jk-wide"')]
    (narrow,) = [body for body in bodies if body.startswith("<details")]
    assert narrow.count("<kbd>") == wide.count("<kbd>")
    return str(wide)


def test_guidelines_open_beside_the_item_with_their_version(root: Path) -> None:
    app = press(open_app(), "toggle-guidelines")
    assert "Guideline desk-1 · rubric desk 1" in words(app)
    drawn = "".join(block.proto.body for block in app.get("html"))
    assert "<li>wrong_fact: A fact is wrong.</li>" in drawn
    press(app, "decide-pass")
    assert "Guideline desk-1" in words(app)
    assert "Guideline desk-1" not in words(press(app, "toggle-guidelines"))


def test_the_browser_gets_what_the_rubric_shows_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L8, without the browser: metadata, reference and other people's labels stay here."""
    row = {"id": "i0", "input": "in", "output": "out", "reference": "zzref"}
    rows = [{**row, "metadata": {"model": "zzmodel", "judgekit_review": ["zzverdict"]}}]
    root = label_workspace(tmp_path, monkeypatch, rows=rows)
    with opened_store(root) as store:
        other = store.queue.present("desk", "bob", "i0")
        store.labels.save(
            other.id, Answer(label="fail", note="zznote"), annotator="bob", op_id="b", rev_seen=0
        )
    app = open_app()
    assert [block["text"] for block in component(app, "item_view")["blocks"]] == ["in", "out"]
    sent = "".join(
        str(element.proto) for kind in ("bidi_component", "html") for element in app.get(kind)
    )
    assert "zz" not in sent + words(app)


def test_pairs_are_asked_which_is_better_with_sides_by_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"id": f"p{n}", "input": "q", "output_1": f"one {n}", "output_2": f"two {n}"}
        for n in range(12)
    ]
    root = label_workspace(tmp_path, monkeypatch, rows=rows)
    app = open_app()
    first_shown = []
    for _ in range(12):
        blocks = {b["field"]: b["text"] for b in component(app, "item_view")["blocks"]}
        first_shown.append(blocks["output_1"].split()[0])
        press(app, "decide-output_1")
    assert set(first_shown) == {"one", "two"}
    stored = [str((event.value or {})["label"]) for event in events(root)]
    assert stored == [f"output_{1 if side == 'one' else 2}" for side in first_shown]


def test_somebody_without_the_role_is_told_and_sent_nothing(root: Path) -> None:
    app = open_app(user="lea")
    assert "Not allowed" in words(app)
    assert [e.proto.component_name for e in app.get("bidi_component")] == []


def test_a_text_over_200_kb_shows_a_first_part_until_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": "long", "input": "q", "output": "x" * 250_000}]
    label_workspace(tmp_path, monkeypatch, rows=rows)
    app = open_app()
    view = component(app, "item_view")
    assert (sum(len(b["text"]) for b in view["blocks"]), view["read_only"]) == (100_000, True)
    view = component(press(app, "show-all"), "item_view")
    assert (sum(len(b["text"]) for b in view["blocks"]), view["read_only"]) == (250_001, False)


def test_of_a_long_trial_the_question_stays_and_the_beginning_of_the_trial() -> None:
    from parts.item_view import FIRST_PART, item_blocks, shorten

    messages = [{"role": "assistant", "content": f"step {n} " + "w" * 500} for n in range(1000)]
    item = Item.model_validate(
        {
            "id": "a",
            "input": "q",
            "output": "o" * 1000,
            "context": {"to check": "a tool is missing"},
            "trial": {"messages": messages},
        }
    )
    short, cut = shorten(item_blocks(item))
    texts = [block.text for block in short]
    assert cut
    assert {"q", "o" * 1000, "a tool is missing"} <= set(texts)
    assert sum(map(len, texts)) == FIRST_PART
    steps = [int(text.split()[1]) for text in texts if text.startswith("step ")]
    assert steps == list(range(len(steps)))
    assert 0 < len(steps) < 1000


def test_the_legend_names_every_key_that_is_bound() -> None:
    from judgekit.model.rubric import FailureMode
    from parts.bindings import label_bindings, legend, mode_bindings

    modes = tuple(FailureMode(id=f"m{n}", description="d") for n in range(11))
    schema = LabelSchema(failure_modes=modes)
    assert [b.key for b in label_bindings(schema)] == ["p", "f"]
    assert [b.key for b in mode_bindings(schema)] == [*"123456789", "", ""]
    assert [key for key, _ in legend(schema)] == [
        *("p", "f", "1–9", "n", "s", "u", "m", "Esc", "e", "g", "b", "i")
    ]
    pair = LabelSchema(labels=("output_1", "output_2", "tie"), failure_modes=modes)
    assert [b.key for b in label_bindings(pair)] == ["1", "2", "t"]
    assert mode_bindings(pair) == []


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"field": "output", "start": 1, "end": 2, "quote": "📦"}, True),
        ({"field": "output", "start": 1, "end": 3, "quote": "📦"}, False),
        ({"field": "input", "start": 0, "end": 1, "quote": "a"}, False),
        ({"field": "output", "start": -1, "end": 2, "quote": "a"}, False),
        ("nonsense", False),
    ],
)
def test_a_span_is_kept_only_where_its_quote_stands(
    monkeypatch: pytest.MonkeyPatch, sent: object, kept: bool
) -> None:
    """L13: offsets are code points, so the emoji counts once."""
    from types import SimpleNamespace

    from parts import item_view

    blocks = item_view.item_blocks(Item(id="a", output="a📦b"))
    state = {"view": SimpleNamespace(marked={"token": "t", "serial": 1, "spans": [sent]})}
    monkeypatch.setattr(item_view.st, "session_state", state)
    marked = item_view.marked_spans("view", blocks, "h")
    assert marked is not None
    assert bool(marked.spans) is kept
