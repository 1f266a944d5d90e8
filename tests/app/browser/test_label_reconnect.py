"""A server that was started anew: the first key is taken or told, never dropped in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor
from label_page import open_label, read_item
from seed_files import plain_items
from seed_store import events_of, seed

CONNECTED_AGAIN = """() => document.querySelector('[data-testid="stApp"]')
  .getAttribute("data-test-connection-state") === "CONNECTED"
  && !/Not connected/.test(document.body.innerText)"""
TAKEN_OR_TOLD = """before => /not taken|Reload the page/.test(document.body.innerText)
  || document.querySelector("#probe").dataset.presentation !== before"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("reconnect"), plain_items(20))


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


@pytest.mark.parametrize("pause_ms", [0, 2000])
def test_the_first_key_after_the_server_came_back_is_taken_or_told(
    visit: Callable[..., Visitor], server: AppServer, workspace: Path, pause_ms: int
) -> None:
    """X7."""
    user = {0: "ann", 2000: "cyd"}[pause_ms]
    cyd = visit()
    before = open_label(cyd, user)["presentation"]
    read_item(cyd)
    server.kill()
    cyd.expect_text("Not connected")
    server.start()
    cyd.wait_for(CONNECTED_AGAIN, None, "the connection")
    cyd.page.wait_for_timeout(pause_ms)
    cyd.page.keyboard.press("p")
    cyd.wait_for(TAKEN_OR_TOLD, before, "the key to be taken or told")

    taken = cyd.probe()["presentation"] != before
    assert len(events_of(workspace, user)) == (1 if taken else 0)
