"""A browser behind a reverse proxy is signed in by it, and can label."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from app_server import AppServer
from browser_driver import find_chromium, running_browser
from seed_files import DATASET, plain_items, write_workspace
from small_proxy import SmallProxy

from judgekit.store.label_store import open_label_store

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium here")
SECRET = "0123456789abcdef-shared"
SETTINGS = """schema: 1
label:
  sign_in:
    mode: proxy
    proxy: {peers: [127.0.0.1], secret_env: JUDGEKIT_PROXY_SECRET}
  people:
    ann: {roles: [annotator], subject: ann@example.org}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = write_workspace(tmp_path_factory.mktemp("proxied") / "w", plain_items(5))
    (folder / "judgekit.yaml").write_text(SETTINGS)
    options = ("--dataset", DATASET, "--rubric", "desk_reply")
    server = AppServer(folder, folder / "server.log", *options, JUDGEKIT_PROXY_SECRET=SECRET)
    server.start()
    yield server
    server.stop()


def headers(name: str) -> dict[str, str]:
    return {"X-Judgekit-Proxy-Secret": SECRET, "X-Forwarded-User": name}


def test_a_person_behind_the_proxy_labels_under_their_alias(server: AppServer) -> None:
    with (
        SmallProxy(server.url, headers("ann@example.org")) as proxy,
        running_browser(proxy.url) as browser,
        browser.visitor(extra_http_headers={"X-Forwarded-User": "lea@example.org"}) as visitor,
    ):
        visitor.open("/label")
        visitor.page.get_by_text("Signed in as ann").wait_for()
        first = visitor.probe()["item"]
        visitor.page.wait_for_timeout(400)  # the dwell guard refuses a label within 250 ms
        visitor.press("p")
        visitor.page.wait_for_function(
            "first => document.querySelector('#probe').dataset.item !== first", arg=first
        )
        assert visitor.errors == [] or all("404" in error for error in visitor.errors)
    with open_label_store(None, server.workspace) as store:
        (event,) = store.events.since(project=DATASET)
    assert (event.annotator, event.item_id, event.kind) == ("ann", first, "label")


def test_the_same_address_without_the_proxy_shows_nothing(server: AppServer) -> None:
    with running_browser(server.url) as browser, browser.visitor() as visitor:
        visitor.open("/label")
        visitor.page.get_by_text("not reached through the sign-in proxy").wait_for()
        assert "case-0" not in visitor.page.content()
