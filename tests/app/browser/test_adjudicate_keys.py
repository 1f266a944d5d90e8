"""Adjudicate in a real browser: the whole flow by keyboard, blind, and two people at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from hostile_items import ELSEWHERE, MARK
from seed_files import SECRETS
from seed_store import PROJECT, label_as, open_store, seed

from judgekit.store.label_store import Answer, Decision, Span
from judgekit.store.label_store.records.adjudication import AdjudicationCase

Visit = Callable[..., Visitor]
EVIL = f'<img src=x onerror="window.{MARK}=1"> ![p]({ELSEWHERE}.png) **bold** :red[r]'
NOTES = ("zznoteone says fine " + EVIL, "zznotetwo says wrong")
ONE, TWO = "zzannotatorone", "zzannotatortwo"
STATUS = ".st-key-save-state"
READ_MS, N_DIFFER = 350, 23


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 25 items that two people labelled: they differ on all but the last two."""
    folder = tmp_path_factory.mktemp("desk")
    text = "an \U0001f600 answer {}"
    items = [
        {"id": f"case-{k:02d}", "input": f"question {k}", "output": text.format(k)}
        for k in range(N_DIFFER + 2)
    ]
    seed(folder, items)
    with open_store(folder) as store:
        answers: dict[str, dict[str, Answer]] = {ONE: {}, TWO: {}}
        for item in items[:N_DIFFER]:
            shown = store.queue.present(PROJECT, ONE, item["id"])
            first, second = (
                Span(
                    field="output",
                    start=start,
                    end=end,
                    quote=item["output"][start:end],
                    item_hash=shown.item_hash,
                )
                for start, end in ((0, 4), (5, 11))
            )
            answers[ONE][item["id"]] = Answer(label="pass", note=NOTES[0], spans=(first,))
            answers[TWO][item["id"]] = Answer(
                label="fail", failure_mode="rude", note=NOTES[1], spans=(second,)
            )
        answers[ONE] |= {item["id"]: Answer(label="pass") for item in items[N_DIFFER:]}
        answers[TWO][items[N_DIFFER]["id"]] = Answer(label="pass")
        for who, own in answers.items():
            label_as(store, who, own)
    return folder


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def begin(visitor: Visitor, user: str, query: str = "") -> dict[str, str]:
    visitor.open(f"/adjudicate?user={user}{query}")
    return visitor.wait_probe(page="adjudicate", user=user, item_not="")


def decide(visitor: Visitor, *keys: str) -> dict[str, str]:
    """Read the case, press the keys one after the other, and return the next case's probe."""
    before = visitor.probe()["presentation"]
    visitor.page.wait_for_timeout(READ_MS)
    for key in keys:
        visitor.page.keyboard.press(key)
    return visitor.wait_probe(presentation_not=before)


def case(workspace: Path, item: str) -> AdjudicationCase:
    with open_store(workspace) as store:
        return store.adjudication.case(PROJECT, item, "nobody")


def history(workspace: Path, item: str) -> tuple[Decision, ...]:
    with open_store(workspace) as store:
        return store.adjudication.history(PROJECT, item)


def test_the_whole_flow_needs_no_mouse(visit: Visit, workspace: Path) -> None:
    """X8, A1, A4, A8."""
    ada = visit()
    first = begin(ada, "ada")["item"]
    ada.expect_text(f"{N_DIFFER} open")
    ada.expect_text("1 agrees and is accepted without being shown")
    ada.expect_text("1 incomplete")
    second = decide(ada, "1", "g")["item"]
    ada.press("h")
    ada.expect_text("Confidence: high", STATUS)
    ada.press("w")
    ada.expect_text("Guideline should change: yes", STATUS)
    third = decide(ada, "2", "s")["item"]
    ada.page.wait_for_timeout(READ_MS)
    ada.press("3")
    ada.expect_text("which answer?", STATUS)
    ada.press("f")
    ada.expect_text("which failure mode?", STATUS)
    ada.press("3")
    ada.expect_text("Why did they differ?", STATUS)
    ada.expect_text("Other: Fail, empty.")
    fourth = decide(ada, "e")["item"]
    ada.page.wait_for_timeout(READ_MS)
    ada.press("x")
    ada.expect_text("Reason (needed)")
    ada.type("1 x p: the reply is cut off")
    ada.expect_text("Draft kept", STATUS)
    before = ada.probe()["presentation"]
    ada.page.keyboard.press("Control+Enter")
    ada.wait_probe(presentation_not=before)

    made = [history(workspace, item)[-1] for item in (first, second, third, fourth)]
    assert [(d.choice, d.cause) for d in made[:3]] == [
        ("A", "guideline_gap"),
        ("B", "slip"),
        ("other", "edge_case"),
    ]
    assert (made[1].confidence, made[1].guideline_should_change) == ("high", True)
    assert (made[2].label, made[2].failure_mode) == ("fail", "empty")
    assert (made[3].choice, made[3].reason) == ("exclude", "1 x p: the reply is cut off")
    agreeing = {f"case-{N_DIFFER}", f"case-{N_DIFFER + 1}"}
    assert not {first, second, third, fourth} & agreeing
    assert not any(item in ada.held_text() for item in agreeing)
    assert ada.problems() == []


def test_neither_names_nor_verdicts_are_sent_to_the_adjudicator(visit: Visit) -> None:
    """A2, A3 [W]: through a decision, the lists and a reopening."""
    ada = visit()
    begin(ada, "ada")
    decide(ada, "1", "g")
    for tab in ("Decided", "Incomplete", "Open"):
        ada.click("tab", tab)
    ada.press("u")
    ada.expect_text("Reopened")
    ada.expect_never_sent(ONE, TWO, *SECRETS, control="zznotetwo")


def test_notes_and_items_stay_text(visit: Visit) -> None:
    """A note with markup, pictures and scripts is shown as it is."""
    ada = visit()
    begin(ada, "ada")
    assert EVIL in ada.held_text()
    ada.expect_inert(".st-key-answer-a")
    ada.expect_inert(".st-key-answer-b")


def test_spans_of_a_and_b_differ_by_line_and_by_letter(visit: Visit) -> None:
    """Look: two mark styles and text labels, never colour alone."""
    ada = visit()
    begin(ada, "ada")
    ada.page.wait_for_selector(".st-key-item mark")
    lines = ada.page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.st-key-item mark')].map(
             m => [m.previousElementSibling?.textContent, getComputedStyle(m)]).map(
             ([tag, s]) => [tag, s.borderBottomStyle !== 'none' ? s.borderBottomStyle
                                 : s.textDecorationStyle]))"""
    )
    assert lines == {"A": "solid", "B": "dashed"}


def test_the_second_adjudicator_sees_both_values_and_overwrites_nothing(
    visit: Visit, workspace: Path
) -> None:
    """A5."""
    ada, abe = visit(), visit()
    item = begin(ada, "ada")["item"]
    assert begin(abe, "abe")["item"] != item
    abe.open(f"/adjudicate?user=abe&case={item}")
    abe.wait_probe(page="adjudicate", user="abe")
    ada.page.wait_for_timeout(READ_MS)
    seen = case(workspace, item).fields[0].rev
    before = history(workspace, item)
    with open_store(workspace) as store:
        first = store.adjudication.adjudicate(
            PROJECT,
            Decision(item_id=item, choice="other", label="fail", cause="taste"),
            adjudicator="abe",
            op_id="abe-was-first",
            rev_seen=seen,
        )
    assert first.kind == "adjudicated"
    ada.press("3")
    ada.expect_text("which answer?", STATUS)
    ada.press("p")
    ada.expect_text("Why did they differ?", STATUS)
    ada.press("s")
    ada.expect_text("Stored: Fail, cause: taste", ".st-key-conflict")
    ada.expect_text("Yours: Pass, cause: slip", ".st-key-conflict")
    assert [d.label for d in history(workspace, item)[len(before) :]] == ["fail"]
    ada.press("y")
    ada.expect_text("Saved", STATUS)
    assert [d.label for d in history(workspace, item)[len(before) :]] == ["fail", "pass"]


def test_undo_reopens_and_decides_again_as_newer_revisions(visit: Visit, workspace: Path) -> None:
    """A7."""
    ada = visit()
    item = begin(ada, "ada")["item"]
    rev = case(workspace, item).fields[0].rev
    decide(ada, "1", "g")
    ada.press("u")
    ada.wait_probe(item=item)
    decide(ada, "2", "g")
    made = history(workspace, item)[-2:]
    assert [(d.choice, d.rev) for d in made] == [("A", rev + 1), ("B", rev + 3)]


def test_a_decided_item_is_reopened_from_the_list_by_keyboard(
    visit: Visit, workspace: Path
) -> None:
    """A7."""
    ada = visit()
    begin(ada, "ada")
    decide(ada, "1", "g")
    ada.click("tab", "Decided")
    listed = ada.page.get_by_role("listbox", name="Decided items")
    item = listed.get_by_role("option").first.get_attribute("data-row")
    assert item is not None
    listed.focus()
    ada.page.keyboard.press("o")
    ada.wait_probe(item=item)
    assert case(workspace, item).fields[0].decision is None
    assert ada.page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_a_reload_finds_the_case_the_choice_and_the_note(visit: Visit) -> None:
    """As L6: what was entered survives."""
    ada = visit()
    first = begin(ada, "ada")["item"]
    ada.press("z")
    item = ada.wait_probe(item_not=first)["item"]
    ada.page.wait_for_timeout(READ_MS)
    ada.press("n")
    ada.type("half a thought 1 2 3")
    ada.expect_text("Draft kept", STATUS)
    ada.press("Escape", "2")
    ada.expect_text("B is right. Why did they differ?")
    ada.reload()
    ada.wait_probe(item=item)
    ada.expect_text("B is right. Why did they differ?")
    ada.expect_text("Not stored yet", STATUS)
    assert ada.page.get_by_label("Note (optional)").input_value() == "half a thought 1 2 3"


def test_a_held_key_decides_nothing(visit: Visit, workspace: Path) -> None:
    """Key repeat neither chooses twice nor reaches the next case."""
    ada = visit()
    item = begin(ada, "ada")["item"]
    before = history(workspace, item)
    ada.page.wait_for_timeout(READ_MS)
    for _ in range(20):
        ada.page.keyboard.down("1")
    ada.page.keyboard.up("1")
    ada.expect_text("A is right. Why did they differ?")
    ada.idle()
    assert history(workspace, item) == before


def test_a_key_typed_before_the_answer_is_told_and_not_dropped_in_silence(visit: Visit) -> None:
    """As L15: the key of the next step, typed too early, is not taken and said so."""
    ada = visit()
    begin(ada, "ada")
    ada.page.wait_for_timeout(READ_MS)
    ada.page.evaluate(
        """() => ['3', 'f'].forEach(key => document.body.dispatchEvent(
             new KeyboardEvent('keydown', {key, code: key, bubbles: true, cancelable: true})))"""
    )
    ada.expect_text("1 key typed ahead: not taken", STATUS)
