"""Two people, two tabs: own orders, own counts, and no label overwritten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import decide, open_label, read_item
from seed_files import plain_items
from seed_store import events_of, seed

Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("two"), plain_items(60))


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def test_the_first_five_items_differ_by_person_and_not_by_day(
    visit: Visit, workspace: Path
) -> None:
    """L10."""
    orders = []
    for user in ("ann", "bob"):
        one = visit()
        order = [open_label(one, user)["item"]]
        order += [decide(one, "p")["item"] for _ in range(4)]
        orders.append(order)
    assert orders[0] != orders[1]
    again = visit()
    shown = open_label(again, "ann")["item"]

    assert shown == orders[0][4]
    assert [e.item_id for e in events_of(workspace, "ann")] == orders[0][:4]


def test_the_second_tab_on_one_item_is_refused_and_told(visit: Visit, workspace: Path) -> None:
    """L11."""
    cyd = visit()
    item = open_label(cyd, "cyd")["item"]
    first_tab, second_tab = cyd.page, cyd.tab()
    cyd.page = second_tab
    assert open_label(cyd, "cyd")["item"] == item
    cyd.page = first_tab
    decide(cyd, "p")
    cyd.page = second_tab
    read_item(cyd)
    cyd.press("f", "1")
    cyd.wait_for(
        "() => /already|newer|another tab|conflict/i.test(document.body.innerText)",
        None,
        "the second tab to say why it was refused",
    )

    stored = [e for e in events_of(workspace, "cyd") if e.item_id == item]
    assert [(e.rev, (e.value or {})["label"]) for e in stored] == [(1, "pass")]
