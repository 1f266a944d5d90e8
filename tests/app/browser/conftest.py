"""What the browser checks share: a browser, and the app's server on a workspace of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Browser, Visitor, find_chromium, running_browser
from postgres_server import fresh_database, missing_postgres, running_postgres

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a browser where there is none; the reason is in the summary."""
    if find_chromium() is not None:
        return
    skip = pytest.mark.skip(reason="there is no Chromium here (.ci/install.sh brings one)")
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if HERE in item.path.parents and {"browser", "visit", "serve"} & set(fixtures):
            item.add_marker(skip)


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., AppServer]]:
    """Start the app's server on a workspace; it ends with the module."""
    with ExitStack() as stack:

        def start(workspace: Path, *options: str, **environment: str) -> AppServer:
            log = tmp_path_factory.mktemp("log") / "server.log"
            server = AppServer(workspace, log, *options, **environment).start()
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture(scope="module")
def browser(server: AppServer) -> Iterator[Browser]:
    """A Chromium on the module's `server`."""
    with running_browser(server.url) as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Open visitors; each is checked for script errors and foreign requests when it ends."""
    with ExitStack() as stack:
        visitors: list[Visitor] = []

        def start(**options: object) -> Visitor:
            visitor = stack.enter_context(browser.visitor(**options))
            visitors.append(visitor)
            return visitor

        yield start
        assert [visitor.external for visitor in visitors if visitor.external] == []
        assert [visitor.dialogs for visitor in visitors if visitor.dialogs] == []


@pytest.fixture(scope="module")
def postgresql_server() -> Iterator[str]:
    """A PostgreSQL server on loopback, where its programs are installed."""
    if reason := missing_postgres():
        pytest.skip(reason)
    with running_postgres() as url:
        yield url


@pytest.fixture
def postgresql_url(postgresql_server: str) -> str:
    """The URL of an empty database."""
    return fresh_database(postgresql_server)
