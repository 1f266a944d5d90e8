"""Goldens: who sees what when, what is proposed, and what the scorers get of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from golden_desk import fill_in, golden_workspace, opened, sent, texts
from streamlit.testing.v1 import AppTest

from judgekit.errors import StoreFailed
from judgekit.goldens.approve_golden import accept_golden
from judgekit.goldens.candidates import Candidate, candidate_body
from judgekit.goldens.entry_text import EntryTexts, read_entry
from judgekit.stats.agreement import cohen_kappa
from judgekit.stats.confusion import Confusion
from judgekit.stats.intervals import wilson
from judgekit.store.goldens_file import dataset_goldens
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_store import LabelStore, Proposed, open_label_store
from parts.note_box import Typed

BOXES = {
    "FIELDS": "fields",
    "TOOL CALLS": "tools",
    "FORBIDDEN CALLS": "forbidden",
    "FINAL STATE": "state",
}
ENTRY = {
    "fields": 'amount = 41.07 | as number absolute=0.01\nnote = ""\ncoupon = missing\nx = null',
    "tools": 'find_parcel\n  order = "R-1"\npay_back\n  amount = 41.07\npath exact',
    "forbidden": "delete_order | because nobody asked",
    "state": 'orders / R-1\n  status = "repaid"\nallow log',
    "scenario": "edge",
    "failure_modes": ("wrong_amount",),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return golden_workspace(tmp_path, monkeypatch)


@pytest.fixture
def store(root: Path) -> Iterator[LabelStore]:
    with open_label_store(None, root) as opened_store:
        yield opened_store


def component(app: AppTest, key: str) -> Any:
    """Return what one of our components was given, by its key."""
    for element in app.get("bidi_component"):
        if element.proto.id.endswith(f"-{key}"):
            return json.loads(element.proto.json)
    raise AssertionError(f"there is no component {key!r}")


def groups(app: AppTest) -> dict[str, str]:
    """Return what the list says of each case."""
    return {row["text"]: row["group"] for row in component(app, "golden-cases")["rows"]}


def both(store: LabelStore, case: str = "case-1", **second: Any) -> None:
    """Let two experts finish a case; `second` is what the second says otherwise."""
    fill_in(store, case, "eve", **ENTRY)
    fill_in(store, case, "bob", **{**ENTRY, **second})


def labels(app: AppTest) -> list[str]:
    """Return the words on the page's buttons."""
    return [button.label for button in app.button]


def test_an_annotator_is_told_not_allowed_and_gets_no_case(root: Path, store: LabelStore) -> None:
    """G19: nothing is read for somebody without the role."""
    both(store)
    app = opened("tim", case="case-1")
    assert "Not allowed" in texts(app)
    assert "case-1" not in sent(app)
    assert "repaid" not in sent(app)


def test_a_case_stands_where_it_waits_for_its_viewer(root: Path, store: LabelStore) -> None:
    """G13: the list says how many are done and nothing of what they said."""
    fill_in(store, "case-1", "eve", **ENTRY)
    fill_in(store, "case-2", "eve", done=False, **ENTRY)
    fill_in(store, "case-2", "bob", done=False, fields="bob = 1")
    both(store, "case-3")
    assert groups(opened("eve")) == {
        "case-1": "You are done; the other expert is not",
        "case-2": "To fill in",
        "case-3": "Both experts are done: settle and propose",
    }
    assert groups(opened("cat"))["case-1"] == "To fill in"
    assert groups(opened("cat"))["case-2"] == "With two other experts"
    assert "find_parcel" not in sent(opened("cat"))


@pytest.mark.parametrize("viewer", ["bob", "cat", "lea"])
def test_nobody_else_is_sent_an_entry_before_both_are_done(
    root: Path, store: LabelStore, viewer: str
) -> None:
    """G13: the other expert, a third one and a lead; nor the system's answer."""
    fill_in(store, "case-1", "eve", **ENTRY)
    app = opened(viewer, case="case-1")
    assert "Refund please" in sent(app)
    assert not [word for word in ("find_parcel", "41.07", "repaid") if word in sent(app)]
    assert "SECRET-ANSWER" not in sent(app)


def test_a_third_expert_is_told_that_two_others_have_the_case(
    root: Path, store: LabelStore
) -> None:
    fill_in(store, "case-1", "eve", done=False, fields="a = 1")
    fill_in(store, "case-1", "bob", done=False, fields="a = 1")
    app = opened("cat", case="case-1")
    assert "Two other experts have this case" in texts(app)
    assert "golden-done" not in [button.key for button in app.button]


def test_a_draft_is_in_its_boxes_and_its_faults_are_told(root: Path, store: LabelStore) -> None:
    """G14, G12: what was stored is what is shown, with every line that cannot be read."""
    fill_in(store, "case-1", "eve", done=False, fields="a = 1\nb = oops", scenario="hard")
    app = opened("eve", case="case-1")
    assert component(app, "golden-fields")["text"] == "a = 1\nb = oops"
    assert "fields, line 2: found 'oops'" in texts(app)
    assert component(app, "golden-read")["rows"] == [
        ["field a", "1"],
        ["scenario class", "hard"],
    ]
    app.button("golden-done").click().run()
    assert "1 line cannot be read" in component(app, "golden-status")["text"]
    mine = store.goldens.case("desk", "case-1", "eve").mine
    assert mine is not None
    assert mine.state == "draft"


def test_an_entry_is_done_and_can_be_opened_again_until_the_other_is_done(
    root: Path, store: LabelStore
) -> None:
    fill_in(store, "case-1", "eve", done=False, fields="a = 1")
    app = opened("eve", case="case-1")
    app.button("golden-done").click().run()
    assert "Change my entry" in labels(app)
    app.button("golden-reopen").click().run()
    assert component(app, "golden-fields")["text"] == "a = 1"
    app.button("golden-done").click().run()
    fill_in(store, "case-1", "bob", fields="a = 1")
    app.button("golden-reopen").click().run()
    assert "Change my entry" not in labels(app)
    assert store.goldens.case("desk", "case-1", "eve").both_done


def test_an_entry_whose_copy_cannot_be_written_is_said_to_be_saved(
    root: Path, store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: EventMirror, written: object) -> None:
        raise StoreFailed("the disk is full")

    fill_in(store, "case-1", "eve", done=False, fields="a = 1")
    app = opened("eve", case="case-1")
    monkeypatch.setattr(EventMirror, "append", full)
    for button, state in (("golden-done", "done"), ("golden-reopen", "draft")):
        app.button(button).click().run()
        assert "Warning: saved in the label database, but not copied" in sent(app)
        mine = store.goldens.case("desk", "case-1", "eve").mine
        assert (mine.state if mine else "") == state


def test_what_differs_is_listed_as_ambiguous_without_names(root: Path, store: LabelStore) -> None:
    """G7: the two experts are "mine" and "the other's", for others expert 1 and 2."""
    both(store, fields="amount = 41.07\nnote = null\ncoupon = missing\nx = null")
    rows = component(opened("eve", case="case-1"), "golden-differences")["rows"]
    assert {row["text"]: row["group"] for row in rows} == {
        "field amount": "Ambiguous",
        "field note": "Ambiguous",
    }
    assert 'Mine: "" (empty text)' in rows[1]["meta"]
    assert rows[0]["meta"][-1] == "Differs in: compare"
    other = component(opened("lea", case="case-1"), "golden-differences")["rows"]
    assert "bob" not in json.dumps(other)
    assert "eve" not in json.dumps(other)


def test_a_proposed_case_that_is_approved_loads_in_the_scorers(
    root: Path, store: LabelStore
) -> None:
    """G10: from two entries by way of the page and Approvals to goldens.jsonl."""
    both(store, scenario="hard")
    app = opened("lea", case="case-1")
    app.button("golden-propose-now").click().run()
    (proposal,) = store.proposals.list(kind="golden", project="desk")
    assert (proposal.subject, proposal.proposer) == ("case-1", "lea")
    assert groups(opened("eve"))["case-1"] == "Proposed: waits in Approvals"
    folder = root / "annotations" / "desk"
    at = datetime(2026, 11, 30, tzinfo=UTC)
    made = accept_golden(folder, proposal.payload, approver="cat", at=at)
    assert dataset_goldens(folder) == (made,)
    assert (made.reviewers, made.proposer, made.approver) == (("bob", "eve"), "lea", "cat")
    assert {name: one.expect for name, one in made.fields.items()} == {
        "amount": "value",
        "note": "value",
        "coupon": "missing",
        "x": "null",
    }
    assert [call.tool for call in made.paths["p1"].calls] == ["find_parcel", "pay_back"]
    assert made.paths["p2"].calls == ()
    assert made.state is not None
    assert made.state.tables["orders"]["R-1"].fields["status"].value == "repaid"
    assert [(one.part, one.status) for one in made.unscored] == [("/scenario", "ambiguous")]
    assert made.failure_modes == ("wrong_amount",)
    assert made.group == "g"


def test_a_case_is_proposed_once_and_its_proposer_may_withdraw_it(
    root: Path, store: LabelStore
) -> None:
    """G9: nobody approves here; the proposer can only withdraw."""
    both(store)
    app = opened("eve", case="case-1")
    late = opened("bob", case="case-1")
    app.button("golden-propose-now").click().run()
    late.button("golden-propose-now").click().run()
    assert "is pending" in component(late, "golden-status")["text"]
    assert len(store.proposals.list(kind="golden")) == 1
    assert "Withdraw it" not in labels(late)
    assert not [word for word in labels(app) if "pprove" in word]
    app.button("golden-withdraw").click().run()
    assert "Propose as golden" in labels(app)
    assert store.proposals.list(kind="golden") == ()


def test_the_reason_for_sending_back_is_shown(root: Path, store: LabelStore) -> None:
    """P4 for goldens: the experts see why, and may propose again."""
    both(store)
    opened("eve", case="case-1").button("golden-propose-now").click().run()
    (proposal,) = store.proposals.list(kind="golden")
    store.proposals.send_back(proposal.id, approver="lea", reason="the amount lacks shipping")
    assert "the amount lacks shipping" in texts(opened("eve", case="case-1"))
    flags = [row["flag"] for row in component(opened("bob"), "golden-cases")["rows"]]
    assert "Sent back by lea: the amount lacks shipping" in flags


def candidate(store: LabelStore, item_id: str) -> int:
    """Promote an item as Error analysis does."""
    body = candidate_body(
        Candidate(
            item_id=item_id,
            item_hash="sha256:x",
            dataset="desk",
            use="regression",
            mode="m1",
            mode_name="promises too much",
            note="says a voucher is free",
            note_id="n1",
        )
    )
    made = store.proposals.propose(
        "golden_candidate", item_id, body, proposer="eve", project="desk"
    )
    assert isinstance(made, Proposed)
    return made.proposal.id


def test_a_candidate_waits_until_it_is_approved_and_keeps_its_source(
    root: Path, store: LabelStore
) -> None:
    """G18: from Error analysis by Approvals into the editor, with mode and note."""
    number = candidate(store, "case-4")
    waiting = "Candidates: wait in Approvals, nobody can begin yet"
    assert groups(opened("bob"))["case-4"] == waiting
    proposal = store.proposals.get(number)
    store.proposals.approve(number, approver="lea", payload_hash=proposal.payload_hash)
    store.goldens.ask("desk", ["case-4"], actor="lea")
    assert groups(opened("bob"))["case-4"] == "To fill in"
    assert "voucher" not in sent(opened("bob", case="case-4"))
    both(store, "case-4")
    app = opened("bob", case="case-4")
    assert "mode promises too much. Note: says a voucher is free" in texts(app)
    app.button("golden-propose-now").click().run()
    (proposed,) = store.proposals.list(kind="golden")
    assert proposed.payload["golden"]["source"] == {
        "item_id": "case-4",
        "failure_mode": "promises too much",
        "note": "says a voucher is free",
    }


def test_an_item_is_asked_for_by_its_id_and_an_unknown_one_is_named(
    root: Path, store: LabelStore
) -> None:
    app = opened("lea")
    app.text_input("golden-ask-id").set_value("case-9")
    app.button[0].click().run()
    assert "has no item 'case-9'" in component(app, "golden-status")["text"]
    app.text_input("golden-ask-id").set_value("case-4")
    app.button[0].click().run()
    assert groups(app)["case-4"] == "To fill in"


def test_agreement_is_what_the_library_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G6: the same share, interval and kappa, with n; fields without kappa say why."""
    root = golden_workspace(tmp_path, monkeypatch, cases=40)
    lines = (root / "annotations" / "desk" / "items.jsonl").read_text(encoding="utf-8")
    assert lines.count('"group": "g"') == 41
    answers = [("yes", "yes")] * 18 + [("no", "no")] * 12 + [("yes", "no")] * 10
    with open_label_store(None, root) as store:
        for number, (one, other) in enumerate(answers, start=1):
            for expert, word in (("eve", one), ("bob", other)):
                text = f'refund = "{word}"\namount = {number}'
                fill_in(store, f"case-{number}", expert, fields=text)
    table = component(opened("lea", **{"goldens-tab": "Agreement"}), "golden-agreement")
    rows = {row[0]: row[1:] for row in table["rows"]}
    kappa = cohen_kappa(Confusion.of(answers, ("yes", "no"))).value
    assert kappa is not None
    assert rows["field refund"][0] == "40"
    assert rows["field refund"][1].startswith("0.750 (")
    assert "n=40)" in rows["field refund"][1]
    assert rows["field refund"][2].startswith(f"{kappa:.3f} (")
    assert "not categories" in rows["field amount"][2]
    loose = wilson(30, 40, 0.025)
    assert loose is not None
    # All items are one group here, so the interval is wider than that of independent cases.
    assert f"({loose.low:.3f} to" not in rows["field refund"][1]


def test_what_the_help_shows_can_be_typed_as_it_stands() -> None:
    """G12: every example of the page is read without a fault."""
    from parts.golden_entry import HELP

    examples: dict[str, list[str]] = {}
    box = ""
    for line in HELP.split("\n"):
        heading = next((word for word in BOXES if line.startswith(word)), None)
        box = BOXES[heading] if heading else box
        if line.startswith("  "):
            examples.setdefault(box, []).append(line.split("     ")[0].rstrip())
    for box, lines in examples.items():
        faults = read_entry(EntryTexts.model_validate({box: "\n".join(lines)})).faults
        assert [fault for fault in faults if "twice" not in fault.found] == [], box


def arriving(monkeypatch: pytest.MonkeyPatch, module: str, key: str, token: str, text: str) -> None:
    """Let a box's last words arrive in the same run as the press of a button."""

    def typed_note(asked: str) -> Typed | None:
        return Typed(token=token, text=text, done=False) if asked == key else None

    monkeypatch.setattr(f"parts.{module}.typed_note", typed_note)


def test_the_last_words_typed_count_when_the_button_is_heard_first(
    root: Path, store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G14: Streamlit may hear a button before the box that was left for it."""
    app = opened("eve", case="case-1")
    token = component(app, "golden-fields")["token"]
    arriving(monkeypatch, "golden_entry", "golden-fields", token, "a = 1")
    app.button("golden-done").click().run()
    mine = store.goldens.case("desk", "case-1", "eve").mine
    assert mine is not None
    assert (mine.state, mine.body["texts"]["fields"]) == ("done", "a = 1")


def test_the_reason_counts_when_the_button_is_heard_first(
    root: Path, store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G14: the same for the reason of an outcome; the draft comes back in the form."""
    both(store, scenario="hard")
    body = {"part": "/scenario", "rev": 0, "choice": "exclude", "value": "", "reason": "half"}
    store.goldens.save_draft("desk", "case-1", "eve", body)
    app = opened("eve", case="case-1")
    box = component(app, "golden-form-reason")
    assert box["text"] == "half"
    arriving(monkeypatch, "golden_settle", "golden-form-reason", box["token"], "half a class")
    app.button("golden-settle").click().run()
    (settled,) = store.goldens.case("desk", "case-1", "eve").resolutions
    assert (settled.decision, settled.reason) == ("exclude", "half a class")
    assert store.goldens.load_draft("desk", "case-1", "eve") is None
