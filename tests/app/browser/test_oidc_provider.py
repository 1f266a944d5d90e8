"""Signing in at a real (if small) identity provider, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from app_server import AppServer
from browser_driver import Visitor, find_chromium, running_browser
from seed_files import plain_items, write_workspace

from judgekit.store.label_store import open_label_store

pytest.importorskip("authlib", reason="Authlib is not installed (streamlit[auth])")
pytestmark = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium here")

from fake_provider import CLIENT, FakeProvider  # noqa: E402 - needs Authlib's own packages

SETTINGS = """schema: 1
label:
  sign_in: {mode: oidc}
  people:
    lea: {roles: [lead], subject: "subject-17"}
"""
ADDRESS = "lea@example.org"


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(sub="subject-17", email=ADDRESS, name="Lea Secret-Name") as running:
        yield running


@pytest.fixture(scope="module")
def server(provider: FakeProvider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = write_workspace(tmp_path_factory.mktemp("oidc") / "w", plain_items(3))
    (folder / "judgekit.yaml").write_text(SETTINGS)
    server = AppServer(folder, folder / "server.log")
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "secrets.toml").write_text(
        f"""[auth]
redirect_uri = "{server.url}/oauth2callback"
cookie_secret = "0123456789abcdef0123456789abcdef"
client_id = "{CLIENT}"
client_secret = "zzclientsecret"
server_metadata_url = "{provider.url}/.well-known/openid-configuration"
"""
    )
    server.start()
    yield server
    server.stop()


@pytest.fixture
def visitor(server: AppServer) -> Iterator[Visitor]:
    with running_browser(server.url) as browser, browser.visitor() as visitor:
        yield visitor


def sign_in(visitor: Visitor) -> None:
    visitor.open("/admin?section=People")
    visitor.page.get_by_role("button", name="Sign in", exact=True).click()
    visitor.page.wait_for_url("**/", wait_until="domcontentloaded")
    visitor.idle()


def test_the_lead_signs_in_at_the_provider_and_out_again(
    visitor: Visitor, server: AppServer, provider: FakeProvider
) -> None:
    sign_in(visitor)
    visitor.page.get_by_text("Signed in as lea").wait_for()
    visitor.open("/admin?section=People")
    visitor.page.get_by_text("Sign-in mode: oidc").wait_for()
    visitor.page.get_by_role("button", name="Sign out").click()
    visitor.page.get_by_role("button", name="Sign in", exact=True).wait_for()
    kept = b"".join(path.read_bytes() for path in (server.workspace / ".judgekit").iterdir())
    for word in (ADDRESS, "Secret-Name", "subject-17", "zzclientsecret"):
        assert word.encode() not in kept
        assert word not in server.read_log()


def test_somebody_unknown_at_the_provider_is_shown_a_code_and_no_data(
    visitor: Visitor, server: AppServer, provider: FakeProvider
) -> None:
    known, provider.claims = provider.claims, {"sub": "subject-99"}
    try:
        sign_in(visitor)
        visitor.page.get_by_text("Send this code to a lead").wait_for()
    finally:
        provider.claims = known
    with open_label_store(None, server.workspace) as store:
        row = store.audit.rows(action="sign_in.refused")[0]
    assert (row.after or {})["reason"] == "unknown person"
