"""Goldens in a real browser: experts blind of each other, drafts, conflicts, keys, hostility."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from app_server import AppServer
from browser_driver import Visitor
from golden_desk import fill_in, golden_workspace

from judgekit.store.label_store import LabelStore, open_label_store

FIELDS, TOOLS, STATE = "Expected fields", "Expected tool calls", "Expected final state"
EVIL = "<img src=x onerror=alert(1)> ![](http://example.org/x.png) [a](javascript:alert(1)) :red[y]"
Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        yield golden_workspace(tmp_path_factory.mktemp("desk"), patch, cases=12)


@pytest.fixture(scope="module")
def server(root: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(root)


@pytest.fixture
def store(root: Path) -> Iterator[LabelStore]:
    with open_label_store(None, root) as opened:
        yield opened


def at(visit: Visit, user: str, case: str, **options: Any) -> Visitor:
    """Open a case as somebody."""
    visitor = visit(**options)
    visitor.open(f"/goldens?user={user}&case={case}")
    visitor.wait_probe(item=case)
    return visitor


def write(visitor: Visitor, box: str, text: str) -> None:
    """Type into a box, leave it by Escape and wait until it is stored."""
    before = visitor.probe()["rev"]
    visitor.page.get_by_label(box, exact=False).focus()
    visitor.type(text)
    visitor.page.keyboard.press("Escape")
    visitor.wait_probe(rev_not=before)
    visitor.expect_text("All saved")


def test_no_expert_is_sent_the_others_entry_before_both_are_done(visit: Visit) -> None:
    """G13 [W]: nor the system's answer; and once both are done, each is."""
    ann = at(visit, "eve", "case-1")
    write(ann, FIELDS, 'ann_field = "ANN-SECRET"')
    write(ann, TOOLS, "ann_tool")
    ann.click("radio", "edge")
    ann.click("button", "I am done")
    ann.expect_text("the other expert is not")
    bob, lea = at(visit, "bob", "case-1"), at(visit, "lea", "case-1")
    write(bob, FIELDS, 'bob_field = "BOB-SECRET"')
    lea.reload()
    lea.expect_text("With two other experts")
    secrets = {"ann": ("ANN-SECRET", "ann_tool", "ann_field"), "bob": ("BOB-SECRET", "bob_field")}
    ann.reload()
    ann.expect_never_sent(*secrets["bob"], "SECRET-ANSWER", control="ANN-SECRET")
    bob.expect_never_sent(*secrets["ann"], "SECRET-ANSWER", control="Refund please")
    lea.expect_never_sent(
        *secrets["ann"], *secrets["bob"], "SECRET-ANSWER", control="Refund please"
    )
    bob.click("button", "I am done")
    bob.expect_text("parts agree")
    assert all(bob.wire.carried(secret) for secret in secrets["ann"])
    ann.reload()
    ann.expect_text("parts agree")
    assert all(ann.wire.carried(secret) for secret in secrets["bob"])


def test_what_was_typed_is_there_after_a_reload_and_after_kill(
    visit: Visit, server: AppServer
) -> None:
    """G14: also lines that cannot be read yet, and the scenario class."""
    eve = at(visit, "eve", "case-2")
    write(eve, FIELDS, "amount = 37.85\nreason = not quoted yet")
    eve.click("radio", "hard")
    eve.wait_probe(rev_not="1")
    eve.reload()
    eve.wait_probe(item="case-2")
    boxes = eve.page.get_by_label(FIELDS, exact=False)
    assert boxes.input_value() == "amount = 37.85\nreason = not quoted yet"
    server.kill()
    server.start()
    again = at(visit, "eve", "case-2")
    assert again.page.get_by_label(FIELDS, exact=False).input_value().endswith("quoted yet")
    assert again.page.get_by_role("radio", name="hard").get_attribute("aria-checked") == "true"
    again.click("button", "I am done")
    again.expect_text("1 line cannot be read")
    again.expect_text('expected "not quoted yet" for text, or a number')


def test_typing_is_stored_while_it_is_typed(visit: Visit, store: LabelStore) -> None:
    """G14: 300 ms after the last key, without leaving the box."""
    eve = at(visit, "eve", "case-3")
    eve.page.get_by_label(FIELDS, exact=False).focus()
    eve.type("a = 1")
    eve.wait_probe(rev_not="0")
    mine = store.goldens.case("desk", "case-3", "eve").mine
    assert mine is not None
    assert mine.body["texts"]["fields"] == "a = 1"
    eve.type("\nb = 2")
    eve.wait_probe(rev_not="1")
    assert eve.page.get_by_label(FIELDS, exact=False).input_value() == "a = 1\nb = 2"


def test_a_second_window_of_one_expert_is_told_and_chooses(visit: Visit, store: LabelStore) -> None:
    """G15: nothing is overwritten; both versions are shown."""
    first, second = at(visit, "eve", "case-4"), at(visit, "eve", "case-4")
    write(first, FIELDS, "from_the_first = 1")
    second.page.get_by_label(FIELDS, exact=False).fill("from_the_second = 2")
    second.expect_text("changed in another window")
    second.expect_text("from_the_first = 1", ".st-key-golden-conflict")
    kept = store.goldens.case("desk", "case-4", "eve").mine
    assert kept is not None
    assert kept.body["texts"]["fields"] == "from_the_first = 1"
    second.click("button", "Keep this window's")
    second.expect_text("All saved")
    first.page.get_by_label(FIELDS, exact=False).fill("late = 3")
    first.expect_text("changed in another window")
    first.click("button", "Take the stored one")
    first.wait_probe(rev="2")
    assert first.page.get_by_label(FIELDS, exact=False).input_value() == "from_the_second = 2"


def test_a_half_typed_outcome_is_there_after_a_reload(visit: Visit, store: LabelStore) -> None:
    """G14: the part, the choice, the value and the reason."""
    fill_in(store, "case-10", "eve", fields="a = 1")
    fill_in(store, "case-10", "bob", fields="a = 2")
    eve = at(visit, "eve", "case-10")
    eve.page.get_by_role("listbox").first.focus()
    eve.press("Enter")
    eve.click("radio", "Another value")
    eve.page.get_by_label("The value", exact=False).fill("3")
    eve.page.get_by_label("Reason", exact=False).fill("half a reas")
    eve.page.keyboard.press("Escape")
    eve.idle()
    eve.reload()
    eve.expect_text("What becomes of field a?")
    assert eve.page.get_by_label("The value", exact=False).input_value() == "3"
    assert eve.page.get_by_label("Reason", exact=False).input_value() == "half a reas"


def test_two_who_settle_one_part_at_once_are_told(visit: Visit, store: LabelStore) -> None:
    """G15: the second sees the first's outcome instead of overwriting it."""
    fill_in(store, "case-5", "eve", fields="a = 1")
    fill_in(store, "case-5", "bob", fields="a = 2")
    lea, cat = at(visit, "lea", "case-5"), at(visit, "cat", "case-5")
    for visitor, reason in ((lea, "policy 4"), (cat, "policy 5")):
        visitor.page.get_by_role("listbox").first.focus()
        visitor.press("Enter")
        visitor.click("radio", "Take: Expert 1")
        visitor.page.get_by_label("Reason", exact=False).fill(reason)
        visitor.page.keyboard.press("Escape")
        visitor.idle()
    lea.click("button", "Save this outcome")
    lea.expect_text("Saved: field a is redefined")
    cat.click("button", "Save this outcome")
    cat.expect_text("someone settled this part meanwhile")
    cat.expect_text("redefined as 1 (by lea: policy 4)")
    (settled,) = store.goldens.case("desk", "case-5", "eve").resolutions
    assert (settled.actor, settled.reason, settled.rev) == ("lea", "policy 4", 1)


def test_hostile_words_of_an_expert_are_inert_everywhere(visit: Visit, store: LabelStore) -> None:
    """G16: names, values and reasons are shown as they were typed, and nothing comes of them."""
    quoted = EVIL.replace('"', "'")
    lines = f'"{quoted}" = "{quoted}"\nsame = 1'
    fill_in(store, "case-6", "eve", fields=lines, tools=f'"{quoted}"', state=f'"{quoted}" / k')
    other = f'"{quoted}" = "x"\nsame = 1'
    fill_in(store, "case-6", "bob", done=False, fields=other, state=f'"{quoted}" / k | absent')
    bob = at(visit, "bob", "case-6")
    bob.expect_text(quoted, ".st-key-golden-read")
    inert(bob, ".jk-item", ".jk-table")
    bob.click("button", "I am done")
    bob.expect_text("parts agree")
    bob.page.get_by_role("listbox").first.focus()
    bob.press("Enter")
    bob.expect_text(quoted, ".st-key-golden-form")
    inert(bob, ".st-key-golden-form [data-testid=stText]")
    bob.click("radio", "Exclude from scoring")
    bob.page.get_by_label("Reason", exact=False).fill(quoted)
    bob.page.keyboard.press("Escape")
    bob.idle()
    bob.click("button", "Save this outcome")
    bob.expect_text("excluded: 1")
    inert(bob, ".jk-item", ".jk-list")
    bob.open("/goldens?user=bob&goldens-tab=Agreement")
    bob.expect_text(quoted, ".st-key-golden-agreement")
    inert(bob, ".jk-table")


def test_a_case_is_filled_in_settled_and_proposed_by_keyboard_alone(
    visit: Visit, store: LabelStore
) -> None:
    """G17: from the list to the proposal without a mouse."""
    fill_in(store, "case-7", "bob", fields='a = 1\nb = "x"')
    eve = visit()
    eve.open("/goldens?user=eve")
    tab_to(eve, "golden-cases", role="listbox")
    for _ in range(20):
        if "case-7" in eve.page.locator(".jk-list .row.active").inner_text():
            break
        eve.page.keyboard.press("ArrowDown")
    eve.press("Enter")
    eve.wait_probe(item="case-7")
    tab_to(eve, "golden-fields")
    eve.type('a = 2\nb = "x"')
    eve.wait_probe(rev_not="0")
    tab_to(eve, "golden-done")
    eve.press("Enter")
    eve.expect_text("1 of 2 parts agree")
    tab_to(eve, "golden-differences", role="listbox")
    eve.press("Enter")
    eve.expect_text("What becomes of field a?")
    tab_to(eve, "golden-outcome-1")
    eve.press("ArrowRight", "ArrowRight", "Space")
    eve.expect_text("The value, typed as in the entry")
    tab_to(eve, "golden-form-value")
    eve.press("Control+a")
    eve.type("3 | as number absolute=0.5")
    tab_to(eve, "golden-form-reason")
    eve.type("the policy was changed")
    tab_to(eve, "golden-settle")
    eve.press("Enter")
    eve.expect_text("settled: 1")
    tab_to(eve, "golden-propose-now")
    eve.press("Enter")
    eve.expect_text("waits in Approvals")
    (proposal,) = [p for p in store.proposals.list(kind="golden") if p.subject == "case-7"]
    fields = proposal.payload["golden"]["fields"]
    assert fields["a"] == {"value": 3, "compare": {"kind": "number", "absolute": 0.5}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_names_headings_and_width(visit: Visit, store: LabelStore, scheme: str) -> None:
    """G20: every state of the page, in both themes, and at 320 px."""
    case = {"light": "case-8", "dark": "case-9"}[scheme]
    eve = at(visit, "eve", case, color_scheme=scheme)
    write(eve, FIELDS, "a = 1")
    sound(eve)
    eve.click("button", "I am done")
    eve.expect_text("the other expert is not")
    sound(eve)
    fill_in(store, case, "bob", fields="a = 2")
    eve.reload()
    eve.expect_text("parts agree")
    eve.page.get_by_role("listbox").first.focus()
    eve.press("Enter")
    eve.expect_text("What becomes of")
    sound(eve)
    eve.open("/goldens?user=eve&goldens-tab=Agreement")
    eve.expect_text("Agreement of the experts")
    sound(eve)
    eve.open("/goldens?user=eve")
    eve.expect_text(case)
    sound(eve)


def inert(visitor: Visitor, *selectors: str) -> None:
    """Check that nothing in these regions became an element that lives."""
    for selector in selectors:
        visitor.expect_inert(selector)


def sound(visitor: Visitor) -> None:
    """Check contrast, names, headings and that 320 px need no sideways scroll."""
    drawn = '() => !document.querySelector(\'[data-testid="stSkeleton"], [data-stale="true"]\')'
    visitor.wait_for(drawn, None, "the page to be drawn")  # what is faded has less contrast
    found = visitor.accessibility()
    assert (found["contrast"], found["unnamed"], found["images"]) == ([], [], [])
    levels = found["headings"]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    visitor.page.set_viewport_size({"width": 320, "height": 800})
    visitor.idle()
    wide = "() => document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth"
    visitor.wait_for(wide, None, "no sideways scroll at 320 px")
    visitor.page.set_viewport_size({"width": 1280, "height": 800})
    visitor.idle()


def tab_to(visitor: Visitor, key: str, *, role: str | None = None, limit: int = 60) -> None:
    """Press Tab until the focus is inside the container of this key, on a control of the role."""
    inside = (
        "([k, r]) => !!document.activeElement?.closest('.st-key-' + k)"
        " && (!r || document.activeElement.getAttribute('role') === r)"
    )
    visitor.idle()
    for _ in range(limit):
        if visitor.page.evaluate(inside, [key, role]):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"{key} is not reached by Tab")
