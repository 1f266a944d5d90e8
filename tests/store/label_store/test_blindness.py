from __future__ import annotations

from desk import label, new_op, next_item, open_desk, press

from judgekit.model.item import Item
from judgekit.store.label_store import (
    Answer,
    LabelSchema,
    LabelStore,
    Project,
    ProjectSettings,
    Undone,
)


def test_nothing_an_annotator_gets_holds_another_ones_work(store: LabelStore) -> None:
    """L16, H5: notes, labels, names and drafts of the first are nowhere in what the second gets."""
    open_desk(store)
    secret = Answer(label="fail", failure_mode="wrong_amount", note="XYZZY")
    for k in range(1, 6):
        label(store, "anaxx", f"c{k}", secret)
    store.drafts.save(store.queue.present("desk", "anaxx", "c1").id, "anaxx", {"note": "XYZZY"})
    store.adjudication.flag(
        "desk", "c1", reason="label_wrong", actor="enguy", note="XYZZY verdict pass"
    )
    shown = [next_item(store, "ben")]
    press(store, shown[0], "pass")
    shown.append(store.queue.present("desk", "ben", "c1"))
    undone = store.labels.undo("desk", annotator="ben", op_id=new_op())
    assert isinstance(undone, Undone)
    got = [
        *shown,
        undone,
        store.queue.progress("desk", "ben"),
        *store.queue.last_labels("desk", "ben"),
        *store.adjudication.outcomes("desk", "ben"),
    ]
    sent = " ".join(record.model_dump_json() for record in got)
    assert "question" in sent
    for word in ("XYZZY", "anaxx", '"fail"', "wrong_amount", "enguy", "verdict"):
        assert word not in sent, word


def test_metadata_scores_and_unshown_fields_are_not_sent(store: LabelStore) -> None:
    """L8: model name and source score; control: the item text is sent."""
    open_desk(store)
    sent = next_item(store, "ana").model_dump_json()
    assert "question" in sent
    assert "SECRET-MODEL" not in sent
    assert "0.123" not in sent


def test_only_named_parts_of_a_field_are_sent(store: LabelStore) -> None:
    schema = LabelSchema(shows=("input", "output.reply"))
    project = Project(
        name="desk", dataset="desk", label_schema=schema, settings=ProjectSettings(min_dwell_ms=0)
    )
    store.projects.create(project, actor="lea")
    item = Item(
        id="c1",
        group="g",
        split="holdout",
        input={"b": "two", "a": "one", "none": None},
        output={"reply": "hello", "judge_score": 5},
        reference="the truth",
        context="hidden",
    )
    store.projects.import_items("desk", [item], actor="lea")
    shown = next_item(store, "ana").item
    assert shown.model_dump(exclude_defaults=True) == {
        "id": "c1",
        "input": {"b": "two", "a": "one", "none": None},
        "output": {"reply": "hello"},
    }
    assert list(shown.input or {}) == ["b", "a", "none"]
    assert store.projects.item("desk", "c1").item == item


def test_an_adjudicator_sees_letters_and_no_names(store: LabelStore) -> None:
    """A2, A3: names, judges and who flagged are absent."""
    open_desk(store)
    label(store, "anaxx", "c1", Answer(label="pass", note="fine by me"))
    label(store, "benxx", "c1", Answer(label="fail", note="not by me"))
    store.adjudication.flag("desk", "c1", reason="label_wrong", actor="enguy", note="VERDICT")
    case = store.adjudication.next_case("desk", "adj")
    assert case is not None
    sent = case.model_dump_json()
    assert "fine by me" in sent
    for word in ("anaxx", "benxx", "enguy", "VERDICT", "SECRET-MODEL", "0.123"):
        assert word not in sent, word
