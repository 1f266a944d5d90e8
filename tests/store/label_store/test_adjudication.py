from __future__ import annotations

from typing import Any

import pytest
from desk import label, new_op, open_desk

from judgekit.errors import InputError
from judgekit.store.label_store import (
    Adjudicated,
    AdjudicateResult,
    AdjudicationConflict,
    AlreadyAdjudicated,
    Answer,
    Decision,
    LabelStore,
    NeedsReason,
    OwnItem,
    Release,
)


def decide(
    store: LabelStore, item_id: str = "c1", *, rev: int = 0, who: str = "adj", **values: Any
) -> AdjudicateResult:
    op = values.pop("op_id", None) or new_op()
    decision = Decision(item_id=item_id, **values)
    return store.adjudication.adjudicate("desk", decision, adjudicator=who, op_id=op, rev_seen=rev)


def disagreeing(store: LabelStore, n: int = 5) -> LabelStore:
    """c1 disagrees, c2 agrees, c3 has one label, c4 is unsure, c5 has none."""
    open_desk(store, n)
    for who, answers in (("ana", "pp?u"), ("ben", "fp-p")):
        for k, key in enumerate(answers, start=1):
            word = {"p": "pass", "f": "fail", "u": "unsure", "?": "pass"}.get(key)
            if word:
                label(store, who, f"c{k}", word)
    return store


def test_only_disagreements_unsure_and_flagged_items_are_listed(store: LabelStore) -> None:
    """A1, A8: agreeing items never; an incomplete one is incomplete, not a disagreement."""
    disagreeing(store)
    tasks = store.adjudication.tasks("desk")
    assert [(t.item_id, t.reasons, t.agreement) for t in tasks] == [
        ("c1", ("disagreement",), 0.0),
        ("c4", ("disagreement", "unsure"), 0.0),
    ]
    assert [t.item_id for t in store.adjudication.tasks("desk", state="incomplete")] == ["c3"]
    counts = store.adjudication.counts("desk")
    assert (counts.open, counts.agreeing, counts.incomplete, counts.decided) == (2, 1, 1, 0)
    store.adjudication.flag("desk", "c2", reason="label_wrong", actor="eng")
    store.adjudication.flag("desk", "c5", reason="gate_review", actor="eng")
    store.adjudication.flag("desk", "c3", reason="judge_wrong", actor="eng")
    assert [t.item_id for t in store.adjudication.tasks("desk")] == ["c1", "c4", "c2", "c5"]


def test_a_flag_makes_a_task_and_changes_no_label(store: LabelStore) -> None:
    """D3: and the same open flag is kept once; deciding closes it; flagging again reopens."""
    disagreeing(store)
    before = store.events.current("desk")
    one = store.adjudication.flag("desk", "c2", reason="label_wrong", actor="eng")
    assert store.adjudication.flag("desk", "c2", reason="label_wrong", actor="eng") == one
    assert store.events.current("desk") == before
    assert isinstance(decide(store, "c2", choice="A"), Adjudicated)
    assert "c2" not in [t.item_id for t in store.adjudication.tasks("desk")]
    store.adjudication.flag("desk", "c2", reason="label_wrong", actor="eng")
    assert "c2" in [t.item_id for t in store.adjudication.tasks("desk")]
    assert len(store.adjudication.flags("desk", item_id="c2")) == 2


def test_a_decision_takes_over_the_option_it_names(store: LabelStore) -> None:
    open_desk(store)
    label(store, "ana", "c1", "pass")
    label(store, "ben", "c1", Answer(label="fail", failure_mode="wrong_amount"))
    case = store.adjudication.next_case("desk", "adj")
    assert case is not None
    (task,) = case.fields
    fail = next(option for option in task.options if option.label == "fail")
    done = decide(store, choice=fail.letter, confidence="high", guideline_should_change=True)
    assert isinstance(done, Adjudicated)
    assert (done.decision.label, done.decision.failure_mode) == ("fail", "wrong_amount")
    event = next(store.events.since(done.seq - 1))
    assert (event.annotator, event.actor, event.kind) == ("_adjudication", "adj", "adjudicate")
    assert event.value is not None
    assert event.value["guideline_change"] is True
    assert store.adjudication.next_case("desk", "adj") is None
    assert store.adjudication.counts("desk").decided == 1


def test_overriding_every_answer_needs_a_cause_and_excluding_a_reason(store: LabelStore) -> None:
    """A4."""
    open_desk(store)
    label(store, "ana", "c1", "pass")
    label(store, "ben", "c1", "unsure")
    assert decide(store, choice="other", label="fail") == NeedsReason(missing=("cause",))
    assert decide(store, choice="exclude") == NeedsReason(missing=("reason",))
    done = decide(store, choice="other", label="fail", cause="slip")
    assert isinstance(done, Adjudicated)


def test_two_adjudicators_on_one_item_conflict_and_nothing_is_overwritten(
    store: LabelStore,
) -> None:
    """A5: the second gets both values."""
    disagreeing(store)
    first = decide(store, choice="other", label="pass", who="adj")
    second = decide(store, choice="other", label="fail", who="bob")
    assert isinstance(first, Adjudicated)
    assert isinstance(second, AdjudicationConflict)
    assert second.stored is not None
    assert (second.yours.label, second.stored.label, second.rev) == ("fail", "pass", 1)
    assert len(store.adjudication.history("desk", "c1")) == 1
    again = decide(store, choice="other", label="fail", who="bob", rev=1)
    assert isinstance(again, Adjudicated)
    assert again.decision.rev == 2


def test_the_same_decision_sent_twice_is_stored_once(store: LabelStore) -> None:
    disagreeing(store)
    op = new_op()
    decide(store, choice="other", label="pass", op_id=op)
    assert isinstance(decide(store, choice="other", label="pass", op_id=op), AlreadyAdjudicated)
    assert len(store.adjudication.history("desk", "c1")) == 1


def test_an_excluded_field_leaves_the_others_alone(store: LabelStore) -> None:
    """A6."""
    open_desk(store)
    for who in ("ana", "ben"):
        label(store, who, "c1", Answer(label="pass", criteria={"amount": "pass", "tone": "fail"}))
    done = decide(store, field="tone", choice="exclude", reason="the item is ambiguous")
    assert isinstance(done, Adjudicated)
    case = store.adjudication.case("desk", "c1", "adj")
    assert [(f.field, f.decision is not None) for f in case.fields] == [
        ("_overall", False),
        ("amount", False),
        ("tone", True),
    ]
    assert store.adjudication.counts("desk").excluded == 1


def test_a_reopened_decision_is_a_new_revision(store: LabelStore) -> None:
    """A7."""
    disagreeing(store)
    decide(store, choice="other", label="pass")
    back = store.adjudication.restore("desk", "c1", adjudicator="adj", op_id=new_op(), rev_seen=1)
    assert isinstance(back, Adjudicated)
    assert back.decision.rev == 2
    assert [e.kind for e in store.events.since() if e.annotator == "_adjudication"] == [
        "adjudicate",
        "restore",
    ]
    assert "c1" in [t.item_id for t in store.adjudication.tasks("desk")]
    assert isinstance(decide(store, choice="other", label="fail", rev=2), Adjudicated)
    with pytest.raises(InputError, match="no decision"):
        store.adjudication.restore("desk", "c2", adjudicator="adj", op_id=new_op(), rev_seen=0)


def test_own_items_are_refused_unless_the_project_allows_them(store: LabelStore) -> None:
    disagreeing(store)
    assert store.adjudication.next_case("desk", "ana") is None
    assert decide(store, choice="other", label="pass", who="ana") == OwnItem(item_id="c1")
    settings = store.projects.get("desk").settings
    allowed = settings.model_copy(update={"adjudicator_may_have_labelled": True})
    store.projects.change_settings("desk", allowed, actor="lea")
    done = decide(store, choice="other", label="pass", who="ana")
    assert isinstance(done, Adjudicated)
    event = next(store.events.since(done.seq - 1))
    assert event.value is not None
    assert event.value["own_item"] is True


def test_adjudicators_do_not_get_an_item_that_another_one_holds(store: LabelStore) -> None:
    disagreeing(store)
    one = store.adjudication.next_case("desk", "adj")
    two = store.adjudication.next_case("desk", "bob")
    assert one is not None
    assert two is not None
    assert (one.task.item_id, two.task.item_id) == ("c1", "c4")
    assert store.adjudication.next_case("desk", "cat") is None
    again = store.adjudication.next_case("desk", "adj")
    assert again is not None
    assert again.task.item_id == "c1"


def test_letters_differ_between_items_and_are_the_same_for_everyone(store: LabelStore) -> None:
    """Honest 6: a seeded random order."""
    open_desk(store, 20)
    firsts = []
    for k in range(1, 21):
        label(store, "ana", f"c{k}", "pass")
        label(store, "ben", f"c{k}", "fail")
        one = store.adjudication.case("desk", f"c{k}", "adj").fields[0].options
        assert one == store.adjudication.case("desk", f"c{k}", "bob").fields[0].options
        firsts.append(one[0].label)
    assert set(firsts) == {"pass", "fail"}


def test_annotators_see_outcomes_on_their_items_only_after_a_release(store: LabelStore) -> None:
    """A9."""
    disagreeing(store)
    done = decide(store, choice="other", label="pass")
    assert isinstance(done, Adjudicated)
    assert store.adjudication.outcomes("desk", "ana") == ()
    assert done.decision.at is not None
    release = Release(
        project="desk",
        dataset="desk",
        version="1",
        last_seq=done.seq,
        hashes={},
        actor="lea",
        at=done.decision.at,
    )
    store.releases.add(release)
    (mine,) = store.adjudication.outcomes("desk", "ana")
    assert (mine.item_id, mine.label, mine.actor) == ("c1", "pass", None)
    assert store.adjudication.outcomes("desk", "zoe") == ()


def test_an_adjudicators_draft_is_their_own_and_goes_with_the_decision(store: LabelStore) -> None:
    disagreeing(store)
    store.adjudication.save_draft("desk", "c1", "adj", {"note": "hm"})
    mine = store.adjudication.load_draft("desk", "c1", "adj")
    assert mine is not None
    assert mine.body == {"note": "hm"}
    assert store.adjudication.load_draft("desk", "c1", "bob") is None
    decide(store, choice="other", label="pass")
    assert store.adjudication.load_draft("desk", "c1", "adj") is None


@pytest.mark.parametrize(
    "values",
    [
        {"choice": "C"},
        {"choice": "other", "label": "great"},
        {"choice": "other", "label": "fail", "failure_mode": "nothing"},
        {"choice": "other", "label": "pass", "field": "nothing"},
    ],
)
def test_impossible_decisions_are_refused(store: LabelStore, values: dict[str, Any]) -> None:
    disagreeing(store)
    with pytest.raises(InputError):
        decide(store, **values)


def test_what_is_named_last_is_given_after_all_others(store: LabelStore) -> None:
    disagreeing(store)
    for last, first in (((), "c1"), (("c1",), "c4"), (("c4", "c1"), "c4"), (("c9",), "c1")):
        case = store.adjudication.next_case("desk", "adj", last=last)
        assert case is not None
        assert case.task.item_id == first


def test_the_decisions_that_stand_are_nameless_and_only_of_the_items_asked_for(
    store: LabelStore,
) -> None:
    disagreeing(store)
    for item_id in ("c1", "c4"):
        decide(store, item_id, choice="other", label="pass", cause="slip")
    found = store.adjudication.standing("desk", ["c1", "c2"])
    assert {k: [(d.label, d.actor) for d in v] for k, v in found.items()} == {
        "c1": [("pass", None)]
    }
    assert store.adjudication.items("desk", ["c1", "zz"]).keys() == {"c1"}
