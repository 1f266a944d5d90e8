from __future__ import annotations

import pytest
from desk import label, new_op, next_item, open_desk, press

from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.store.label_store import (
    AlreadySaved,
    Answer,
    Conflict,
    Incomplete,
    LabelSchema,
    LabelStore,
    Project,
    ProjectSettings,
    Saved,
    Span,
    Stale,
    TooFast,
)


def events(store: LabelStore) -> list[tuple[str, str, str, int]]:
    return [(e.item_id, e.field, e.kind, e.rev) for e in store.events.since()]


def test_one_key_stores_exactly_one_event(store: LabelStore) -> None:
    """L1: `p` stores one event and the next item is another."""
    open_desk(store)
    shown = next_item(store, "ana")
    saved = press(store, shown, "pass")
    assert isinstance(saved, Saved)
    assert events(store) == [(shown.item.id, "_overall", "label", 1)]
    assert next_item(store, "ana").item.id != shown.item.id


def test_a_label_with_mode_and_criteria_is_one_revision(store: LabelStore) -> None:
    """L2: `f` `2` stores label and mode as one revision."""
    open_desk(store)
    answer = Answer(label="fail", failure_mode="wrong_amount", criteria={"amount": "fail"})
    saved = label(store, "ana", "c1", answer)
    assert saved.rev == 1
    assert [(e.field, e.rev, e.op_id) for e in store.events.since()] == [
        ("_overall", 1, next(store.events.since()).op_id),
        ("amount", 1, next(store.events.since()).op_id),
    ]
    assert store.queue.present("desk", "ana", "c1").answer == answer


def test_the_same_operation_sent_twice_is_stored_once(store: LabelStore) -> None:
    open_desk(store)
    shown, op = next_item(store, "ana"), new_op()
    first = press(store, shown, "pass", op_id=op)
    again = press(store, shown, "pass", op_id=op)
    assert isinstance(first, Saved)
    assert again == AlreadySaved(item_id=shown.item.id, rev=1, at=first.at)
    assert store.events.count() == 1


def test_a_second_key_on_the_same_presentation_is_refused_and_told(store: LabelStore) -> None:
    """L11: two tabs, one item."""
    open_desk(store)
    shown = next_item(store, "ana")
    press(store, shown, "pass")
    second = press(store, shown, "fail")
    assert isinstance(second, Stale)
    assert second.stored == Answer(label="pass")
    assert store.events.count() == 1


def test_two_tabs_with_presentations_of_their_own_conflict(store: LabelStore) -> None:
    """L11: the other tab was opened before the first one saved."""
    open_desk(store)
    one = store.queue.present("desk", "ana", "c1")
    two = store.queue.present("desk", "ana", "c1")
    press(store, one, "pass")
    second = press(store, two, "fail")
    assert second == Conflict(
        item_id="c1", rev_seen=0, rev=1, yours=Answer(label="fail"), stored=Answer(label="pass")
    )


def test_a_label_too_soon_is_refused_counted_and_stays_refused(store: LabelStore) -> None:
    """L4: a held key labels nothing it did not see for 250 ms."""
    open_desk(store, min_dwell_ms=60_000)
    shown, op = next_item(store, "ana"), new_op()
    for dwell in (90_000, 10):
        refused = press(store, shown, "pass", op_id=op, dwell_ms=dwell)
        assert isinstance(refused, TooFast)
    assert store.events.count() == 0
    assert [(p.annotator, p.n_too_fast) for p in store.ratings.pace("desk")] == [("ana", 1)]


def test_the_page_cannot_claim_more_dwell_than_passed(store: LabelStore) -> None:
    open_desk(store)
    press(store, next_item(store, "ana"), "pass", dwell_ms=3_600_000)
    stored = next(store.events.since()).dwell_ms
    assert stored is not None
    assert stored < 3_600_000


def test_a_required_mode_or_criterion_is_asked_for(store: LabelStore) -> None:
    schema = LabelSchema.model_validate(
        {
            "criteria": [{"id": "amount", "description": "a"}],
            "failure_modes": [{"id": "wrong", "description": "w"}],
            "ask_criteria": True,
            "required": ["_overall", "amount"],
            "mode_required": True,
        }
    )
    open_desk(store, schema=schema)
    shown = next_item(store, "ana")
    assert press(store, shown, "fail") == Incomplete(
        item_id=shown.item.id, missing=("amount", "failure_mode")
    )
    assert isinstance(press(store, shown, "unsure"), Saved)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(label="great"),
        Answer(label="fail", failure_mode="nothing"),
        Answer(label="pass", criteria={"nothing": "pass"}),
        Answer(label="pass", criteria={"amount": "great"}),
        Answer(label="pass", note="n" * 20_001),
    ],
)
def test_what_the_schema_does_not_have_is_refused(store: LabelStore, answer: Answer) -> None:
    open_desk(store)
    with pytest.raises(InputError):
        press(store, next_item(store, "ana"), answer)
    assert store.events.count() == 0


def test_a_span_over_an_emoji_is_kept_in_code_points(store: LabelStore) -> None:
    """L13: the stored quote equals text[start:end]."""
    text = "so 👩‍👩‍👧 happy"
    store.projects.create(_project(), actor="lea")
    store.projects.import_items("desk", [Item(id="c1", output={"reply": text})], actor="lea")
    shown = store.queue.present("desk", "ana", "c1")
    start, end = text.index("👩"), text.index(" happy")
    span = _span(start, end, text[start:end], shown.item_hash)
    saved = press(store, shown, Answer(label="fail", spans=(span,)))
    assert isinstance(saved, Saved)
    value = next(store.events.since()).value
    assert value is not None
    assert value["spans"] == [span.model_dump()]


def _project() -> Project:
    settings = ProjectSettings(min_dwell_ms=0)
    return Project(name="desk", dataset="desk", label_schema=LabelSchema(), settings=settings)


def _span(start: int, end: int, quote: str, item_hash: str, field: str = "output.reply") -> Span:
    return Span(start=start, end=end, quote=quote, field=field, item_hash=item_hash)


@pytest.mark.parametrize("fault", ["place", "field", "hash"])
def test_a_span_that_is_not_in_the_item_is_refused(store: LabelStore, fault: str) -> None:
    open_desk(store)
    shown = store.queue.present("desk", "ana", "c1")
    span = _span(0, 6, "answer", shown.item_hash, "output")
    wrong = {
        "place": {"start": 1, "end": 7},
        "field": {"field": "output.reply"},
        "hash": {"item_hash": "sha256:0"},
    }[fault]
    with pytest.raises(InputError):
        press(store, shown, Answer(label="fail", spans=(span.model_copy(update=wrong),)))
    assert isinstance(press(store, shown, Answer(label="fail", spans=(span,))), Saved)


def test_a_changed_label_is_a_new_revision_and_cleared_criteria_are_gone(store: LabelStore) -> None:
    open_desk(store)
    label(store, "ana", "c1", Answer(label="pass", criteria={"amount": "pass"}))
    second = label(store, "ana", "c1", Answer(label="fail"))
    assert second.rev == 2
    assert store.queue.present("desk", "ana", "c1").answer == Answer(label="fail")
    assert [(e.field, e.rev, e.prev_rev, e.value) for e in store.events.since(2)] == [
        ("_overall", 2, 1, {"label": "fail"}),
        ("amount", 2, 1, None),
    ]


def test_a_skip_is_no_label_and_comes_back_last(store: LabelStore) -> None:
    open_desk(store, 3)
    first = next_item(store, "ana")
    store.labels.skip(first.id, annotator="ana", op_id=new_op(), rev_seen=0)
    seen = []
    for _ in range(3):
        shown = next_item(store, "ana")
        seen.append(shown.item.id)
        press(store, shown, "pass")
    assert seen[2] == first.item.id
    assert store.queue.next_presentation("desk", "ana") is None


def test_another_annotators_presentation_is_unknown(store: LabelStore) -> None:
    open_desk(store)
    shown = next_item(store, "ana")
    with pytest.raises(InputError, match="no longer known"):
        press(store, shown, "pass", annotator="ben")


def test_someone_elses_operation_id_is_refused(store: LabelStore) -> None:
    open_desk(store)
    op = new_op()
    press(store, next_item(store, "ana"), "pass", op_id=op)
    with pytest.raises(InputError, match="used twice"):
        press(store, next_item(store, "ben"), "pass", op_id=op)


def test_a_draft_survives_and_goes_with_the_label(store: LabelStore) -> None:
    """L6: reload gives the same item and draft."""
    open_desk(store)
    shown = next_item(store, "ana")
    store.drafts.save(shown.id, "ana", {"note": "half a \x00 thou"})
    again = next_item(store, "ana")
    assert again.id == shown.id
    assert again.draft is not None
    assert again.draft.body == {"note": "half a \x00 thou"}
    with pytest.raises(InputError):
        store.drafts.load(shown.id, "ben")
    press(store, shown, "pass")
    assert store.drafts.load(shown.id, "ana") is None


def test_sides_of_a_pair_are_swapped_by_hash_and_stored_unswapped(store: LabelStore) -> None:
    schema = LabelSchema(labels=("output_1", "output_2", "tie"))
    settings = ProjectSettings(min_dwell_ms=0, labels_per_item=30)
    store.projects.create(
        Project(name="desk", dataset="desk", label_schema=schema, settings=settings), actor="lea"
    )
    pair = Item(id="c1", input="q", output_1="left", output_2="right")
    store.projects.import_items("desk", [pair], actor="lea")
    seen = set()
    for k in range(20):
        shown = next_item(store, f"w{k}")
        seen.add(shown.swapped)
        better = "output_1" if shown.item.output_1 == "left" else "output_2"
        press(store, shown, better)
        assert store.queue.present("desk", f"w{k}", "c1").answer == Answer(label=better)
    assert seen == {True, False}
    assert {row.value["label"] for row in store.events.current("desk")} == {"output_1"}


def test_a_change_after_the_reveal_is_flagged(store: LabelStore) -> None:
    """Honest 2: reveal is off by default; later changes are `after_reveal`."""
    open_desk(store, reveal_after_save=True)
    shown = next_item(store, "ana")
    assert store.labels.reveal(shown.id, annotator="ana") is False
    press(store, shown, "pass")
    assert store.labels.reveal(shown.id, annotator="ana") is True
    changed = label(store, "ana", shown.item.id, "fail")
    assert changed.after_reveal
    assert [e.after_reveal for e in store.events.since()] == [False, True]


def test_nothing_is_revealed_where_the_project_forbids_it(store: LabelStore) -> None:
    open_desk(store)
    shown = next_item(store, "ana")
    press(store, shown, "pass")
    assert store.labels.reveal(shown.id, annotator="ana") is False
