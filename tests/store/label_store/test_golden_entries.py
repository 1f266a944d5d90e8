from __future__ import annotations

import threading

import pytest

from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.store.label_store import (
    GoldenClosed,
    GoldenConflict,
    GoldenSaved,
    LabelSchema,
    LabelStore,
    Project,
)


@pytest.fixture
def store(store: LabelStore) -> LabelStore:
    project = Project(name="desk", dataset="desk", label_schema=LabelSchema())
    store.projects.create(project, actor="lea")
    items = [Item(id=f"case-{n}", output="x") for n in range(1, 4)]
    store.projects.import_items("desk", items, actor="lea")
    return store


def save(store: LabelStore, expert: str, rev: int, value: object, *, done: bool = False) -> object:
    return store.goldens.save(
        "desk", "case-1", {"value": value}, expert=expert, rev_seen=rev, done=done
    )


def settle(store: LabelStore, rev: int, value: object, reason: str = "policy") -> object:
    return store.goldens.resolve(
        "desk", "case-1", "/fields/a", decision="redefine", reason=reason, actor="eve",
        rev_seen=rev, value=value,
    )  # fmt: skip


def test_an_expert_never_gets_the_others_entry_before_both_are_done(store: LabelStore) -> None:
    """G13: not in the case, not in the list, not for a third person, not while one is reopened."""
    save(store, "ann", 0, "secret of ann", done=True)
    save(store, "bob", 0, "secret of bob")
    for viewer, own in (("ann", "secret of ann"), ("bob", "secret of bob"), ("eve", None)):
        case = store.goldens.case("desk", "case-1", viewer)
        assert case == store.goldens.cases("desk", viewer)[0]
        assert (case.mine.body["value"] if case.mine else None) == own
        assert (case.other, case.both_done, case.n_experts, case.n_done) == (None, False, 2, 1)
    assert store.goldens.both("desk", "case-1") == ()
    save(store, "bob", 1, "secret of bob", done=True)
    case = store.goldens.case("desk", "case-1", "ann")
    assert case.other is not None
    assert case.other.body == {"value": "secret of bob"}
    assert {entry.expert for entry in store.goldens.both("desk", "case-1")} == {"ann", "bob"}
    assert store.goldens.case("desk", "case-1", "eve").other is None


def test_a_draft_comes_back_and_the_newest_revision_stands(store: LabelStore) -> None:
    """G14: what was saved last is there for the next server, under its revision."""
    save(store, "ann", 0, 1)
    saved = save(store, "ann", 1, 2)
    assert isinstance(saved, GoldenSaved)
    case = store.goldens.case("desk", "case-1", "ann")
    assert case.mine == saved.entry
    assert (saved.entry.rev, saved.entry.state, saved.entry.body) == (2, "draft", {"value": 2})


def test_a_second_tab_is_told_and_overwrites_nothing(store: LabelStore) -> None:
    """G15: the conflict shows both; sending the same again is no conflict."""
    save(store, "ann", 0, "first tab")
    conflict = save(store, "ann", 0, "second tab")
    assert isinstance(conflict, GoldenConflict)
    assert (conflict.yours, conflict.stored.body) == (
        {"value": "second tab"},
        {"value": "first tab"},
    )
    assert isinstance(save(store, "ann", 0, "first tab"), GoldenSaved)
    assert isinstance(save(store, "ann", 1, "second tab"), GoldenSaved)


def test_a_case_takes_two_experts_and_done_entries_are_closed(store: LabelStore) -> None:
    """G13: a third is refused; one's own is reopened only while the other is not done."""
    save(store, "ann", 0, 1, done=True)
    assert isinstance(save(store, "ann", 1, 2), GoldenClosed)
    reopened = store.goldens.reopen("desk", "case-1", expert="ann")
    assert isinstance(reopened, GoldenSaved)
    assert (reopened.entry.state, reopened.entry.rev) == ("draft", 2)
    save(store, "ann", 2, 3, done=True)
    save(store, "bob", 0, 1)
    assert isinstance(save(store, "cat", 0, 1), GoldenClosed)
    save(store, "bob", 1, 1, done=True)
    assert isinstance(store.goldens.reopen("desk", "case-1", expert="ann"), GoldenClosed)
    assert isinstance(save(store, "bob", 2, 5), GoldenClosed)
    assert isinstance(store.goldens.reopen("desk", "case-1", expert="dan"), GoldenClosed)


def test_a_difference_is_settled_by_revisions_and_the_second_to_settle_is_told(
    store: LabelStore,
) -> None:
    """G15: nobody settles over somebody else's decision unseen."""
    with pytest.raises(InputError, match="cannot be settled yet"):
        settle(store, 0, {"value": 3})
    save(store, "ann", 0, 1, done=True)
    save(store, "bob", 0, 2, done=True)
    with pytest.raises(InputError, match="no reason"):
        settle(store, 0, {"value": 3}, reason=" ")
    first = settle(store, 0, {"value": 3})
    assert settle(store, 0, {"value": 3}) == first
    assert settle(store, 0, {"value": 4}) is None
    second = settle(store, 1, None)
    assert store.goldens.case("desk", "case-1", "ann").resolutions == (second,)
    assert store.goldens.case("desk", "case-1", "eve").resolutions == (second,)


def test_cases_are_asked_for_once_and_must_be_items(store: LabelStore) -> None:
    """G18: a candidate that was approved comes into the queue; unknown items do not."""
    assert store.goldens.ask("desk", ["case-2", "case-3", "case-2"], actor="lea") == 2
    assert store.goldens.ask("desk", ["case-3"], actor="lea") == 0
    with pytest.raises(InputError, match="has no item 'case-9'"):
        store.goldens.ask("desk", ["case-1", "case-9"], actor="lea")
    assert [case.case_id for case in store.goldens.cases("desk", "ann")] == ["case-2", "case-3"]


def test_two_experts_who_begin_at_once_are_both_in_and_a_third_is_not(store: LabelStore) -> None:
    """G13: never three, whoever is fastest."""
    results: list[object] = []
    threads = [
        threading.Thread(target=lambda name=name: results.append(save(store, name, 0, name)))
        for name in ("ann", "bob", "cat", "dan")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = sorted(type(result).__name__ for result in results)
    assert kinds == ["GoldenClosed", "GoldenClosed", "GoldenSaved", "GoldenSaved"]
    assert store.goldens.case("desk", "case-1", "eve").n_experts == 2


def test_a_half_typed_outcome_is_kept_for_its_writer_only(store: LabelStore) -> None:
    """G14: and stays apart from an adjudicator's draft and a half-typed note about the item."""
    store.goldens.save_draft("desk", "case-1", "eve", {"reason": "half"})
    store.adjudication.save_draft("desk", "case-1", "eve", {"note": "other"})
    store.codes.save_draft("desk", "case-1", "eve", "half a note")
    kept = store.goldens.load_draft("desk", "case-1", "eve")
    assert kept is not None
    assert kept.body == {"reason": "half"}
    assert store.goldens.load_draft("desk", "case-1", "bob") is None
    store.goldens.clear_draft("desk", "case-1", "eve")
    assert store.goldens.load_draft("desk", "case-1", "eve") is None
    assert store.adjudication.load_draft("desk", "case-1", "eve") is not None
    assert store.codes.load_draft("desk", "case-1", "eve") == "half a note"
