"""Admin in a real browser: a file is checked, then imported; nobody without the role sees any."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor, load_note
from seed_files import DATASET, plain_items, write_workspace

from judgekit.store.label_store import LabelStore, open_label_store

Visit = Callable[..., Visitor]
MANY = 10_000
HERE = 3


@pytest.fixture(scope="module")
def server(serve: Callable[..., AppServer], tmp_path_factory: pytest.TempPathFactory) -> AppServer:
    folder = write_workspace(tmp_path_factory.mktemp("admin") / "w", plain_items(HERE))
    return serve(folder, "--dataset", DATASET, "--rubric", "desk_reply")


@pytest.fixture
def store(server: AppServer) -> Iterator[LabelStore]:
    with open_label_store(None, server.workspace) as opened:
        yield opened


def written(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def check(lead: Visitor, path: Path) -> None:
    lead.open("/admin?user=lea&section=Import")
    lead.page.set_input_files("input[type=file]", str(path))
    button = lead.page.get_by_role("button", name="Check the file (writes nothing)")
    button.wait_for()
    lead.idle()
    button.click()
    lead.page.locator(".st-key-import-report").wait_for()


def test_a_bad_line_is_shown_with_its_number_and_nothing_can_be_imported(
    visit: Visit, store: LabelStore, tmp_path: Path
) -> None:
    """M1, M2."""
    lead = visit()
    rows: list[object] = [*plain_items(5), {"id": 7, "oops": "<img src=x onerror=alert(1)>"}]
    check(lead, written(tmp_path / "bad.jsonl", rows))
    lead.expect_text("2 new, 3 known, 0 conflicting, 1 rejected", ".st-key-import-report")
    lead.expect_text("bad.jsonl:6 rejected", ".st-key-import-report")
    lead.expect_inert(".st-key-import-report")
    assert lead.page.get_by_role("button", name="Import").count() == 0
    assert store.projects.get(DATASET).n_items == HERE


def test_ten_thousand_items_come_in_within_thirty_seconds(
    visit: Visit, store: LabelStore, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """M6, M3: upload, check and import of 10,000 items; a second time there is nothing new."""
    path = written(tmp_path / "many.jsonl", [*plain_items(MANY)])
    lead = visit()
    begun = time.monotonic()
    check(lead, path)
    lead.page.get_by_role("button", name=f"Import {MANY - HERE:,} new").click()
    lead.expect_text(f"Imported: {MANY - HERE:,} new, {HERE} known.")
    taken = time.monotonic() - begun
    note = f"{taken:.1f} s; {load_note()}"
    record_property("import of 10,000 items", note)
    print(f"import of 10,000 items: {note}")
    assert store.projects.get(DATASET).n_items == MANY
    assert taken < 30, note
    check(lead, path)
    lead.expect_text("There is nothing new in this file.")
    assert lead.external == []


def test_an_annotator_at_the_address_gets_nothing(visit: Visit) -> None:
    """M5 [W]; what the page does say is the control."""
    ann = visit()
    ann.open("/admin?user=ann&section=People")
    ann.expect_text("Not allowed")
    ann.expect_never_sent("adjudicator", "judgekit.yaml", "case-00000", control="Not allowed")


def test_roles_are_changed_by_keyboard_alone(visit: Visit, store: LabelStore) -> None:
    """M8, X8: the change is a row of the log, told on the page."""
    lead = visit()
    lead.open("/admin?user=lea&section=People")
    alias = lead.page.get_by_role("textbox", name="Alias")
    alias.focus()
    lead.type("zoe")
    for _ in range(4):
        lead.page.keyboard.press("Tab")
        if lead.page.evaluate("document.activeElement.innerText") == "annotator":
            break
    lead.press("Space")
    alias.focus()
    lead.press("Enter")
    lead.expect_text("zoe was added.")
    person = store.people.get("zoe")
    assert person is not None
    assert person.roles == ("annotator",)
    row = store.audit.rows(action="person.add")[0]
    assert (row.actor, row.subject) == ("lea", "zoe")
