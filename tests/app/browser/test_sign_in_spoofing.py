"""Made-up headers get nobody in: no data on the wire, one sentence, and a row in the audit log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from app_server import AppServer
from bare_session import BareSession
from seed_files import DATASET, plain_items, write_workspace
from websockets.exceptions import InvalidStatus

from judgekit.store.label_store import LabelStore, Person, open_label_store

SECRET = "0123456789abcdef-shared"
SENTENCE = "this page was not reached through the sign-in proxy"
CANARY = "zzpersoncanary"
SETTINGS = """  sign_in:
    mode: proxy
    proxy: {peers: [PEER], secret_env: JUDGEKIT_PROXY_SECRET}
"""
PEOPLE = """schema: 1
label:
  people:
    lea: {roles: [lead], subject: lea@example.org}
    ann: {roles: [annotator], subject: ann@example.org}
"""
GOOD = [("X-Judgekit-Proxy-Secret", SECRET), ("X-Forwarded-User", "lea@example.org")]
AT_PEOPLE = "section=People"
Serve = Callable[..., AppServer]


def start(serve: Serve, folder: Path, peer: str) -> AppServer:
    write_workspace(folder, plain_items(3))
    (folder / "judgekit.yaml").write_text(PEOPLE + SETTINGS.replace("PEER", peer))
    server = serve(
        folder, "--dataset", DATASET, "--rubric", "desk_reply", JUDGEKIT_PROXY_SECRET=SECRET
    )
    with open_label_store(None, folder) as store:
        store.people.add(Person(alias=CANARY, roles=("lead",)), actor="lea")
    return server


@pytest.fixture(scope="module")
def trusted(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> AppServer:
    """A server that believes a proxy on loopback, where the tests connect from."""
    return start(serve, tmp_path_factory.mktemp("trusted") / "w", "127.0.0.1")


@pytest.fixture(scope="module")
def elsewhere(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> AppServer:
    """A server that believes a proxy on another address only."""
    return start(serve, tmp_path_factory.mktemp("elsewhere") / "w", "10.0.0.5")


@pytest.fixture
def store(trusted: AppServer) -> Iterator[LabelStore]:
    with open_label_store(None, trusted.workspace) as opened:
        yield opened


def refusals(workspace: Path) -> list[str]:
    with open_label_store(None, workspace) as opened:
        rows = opened.audit.rows(action="sign_in.refused", limit=1000)
    return [str((row.after or {})["reason"]) for row in rows]


def test_the_proxy_with_address_and_secret_signs_the_lead_in(trusted: AppServer) -> None:
    """Positive control: the canary that the other tests look for is there."""
    with BareSession(trusted.port, GOOD) as session:
        came = session.run("admin", AT_PEOPLE)
    assert CANARY in came
    assert SENTENCE not in came
    assert SECRET not in came


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ([], "secret"),
        (GOOD[1:], "secret"),
        ([("X-Judgekit-Proxy-Secret", "wrong"), GOOD[1]], "secret"),
        ([("X-Judgekit-Proxy-Secret", ""), GOOD[1]], "secret"),
        ([GOOD[0], *GOOD], "secret"),
        (GOOD[:1], "user"),
        ([*GOOD, ("X-Forwarded-User", "ann@example.org")], "user"),
        ([GOOD[0], ("X-Forwarded-User", "lea@example.org, ann@example.org")], "user"),
    ],
)
def test_made_up_headers_get_one_sentence_no_data_and_a_row(
    trusted: AppServer, headers: list[tuple[str, str]], reason: str
) -> None:
    before = refusals(trusted.workspace)
    with BareSession(trusted.port, headers) as session:
        came = session.run("admin", AT_PEOPLE)
        again = session.run("home")
    for sent in (came, again):
        assert SENTENCE in sent
        assert not any(word in sent for word in (CANARY, "lea", DATASET, SECRET, "case-0000"))
    after = refusals(trusted.workspace)
    assert (len(after) - len(before), after[0]) == (1, reason)


@pytest.mark.parametrize(
    "forged",
    [
        [("X-Forwarded-For", "10.0.0.5")],
        [("X-Forwarded-For", "10.0.0.5, 127.0.0.1")],
        [("X-Real-IP", "10.0.0.5"), ("Forwarded", "for=10.0.0.5")],
    ],
)
def test_a_forged_address_with_the_right_secret_gets_nobody_in(
    elsewhere: AppServer, forged: list[tuple[str, str]]
) -> None:
    with BareSession(elsewhere.port, [*GOOD, *forged]) as session:
        came = session.run("admin", AT_PEOPLE)
    assert SENTENCE in came
    assert CANARY not in came
    assert refusals(elsewhere.workspace)[0] == "peer"


def test_a_browser_cannot_forward_its_way_out_of_the_proxys_address(trusted: AppServer) -> None:
    """A real proxy on loopback adds X-Forwarded-For; the peer is still the proxy."""
    with BareSession(trusted.port, [*GOOD, ("X-Forwarded-For", "203.0.113.9")]) as session:
        assert CANARY in session.run("admin", AT_PEOPLE)


def test_an_annotator_at_admins_address_is_sent_no_data(trusted: AppServer) -> None:
    """M5 on the wire, with the lead's session as positive control."""
    headers = [GOOD[0], ("X-Forwarded-User", "ann@example.org")]
    for section in ("People", "Import", "Audit", "Projects"):
        with BareSession(trusted.port, headers) as session:
            came = session.run("admin", f"section={section}")
        assert "Not allowed" in came
        assert not any(word in came for word in (CANARY, "sign_in.refused", "case-0000"))


def test_a_role_taken_away_is_gone_in_the_open_session(
    trusted: AppServer, store: LabelStore
) -> None:
    stranger = [GOOD[0], ("X-Forwarded-User", "max@example.org")]
    with BareSession(trusted.port, stranger) as session:
        assert "nobody here has given you an alias" in session.run("home")
        row = store.audit.rows(action="sign_in.refused")[0]
        code = str((row.after or {})["code"])
        person = Person(alias="max", roles=("lead",), mode="proxy", verified=True, subject=code)
        store.people.add(person, actor="lea")
        assert CANARY in session.run("admin", AT_PEOPLE)
        store.people.set_roles("max", (), actor="lea")
        came = session.run("admin", AT_PEOPLE)
        assert "Not allowed" in came
        assert CANARY not in came
        store.people.set_active("max", active=False, actor="lea")
        assert "You may not use this app any more" in session.run("home")


def test_no_secret_and_no_address_is_kept_or_logged(trusted: AppServer) -> None:
    with BareSession(trusted.port, GOOD) as session:
        session.run("home")
    kept = b"".join(p.read_bytes() for p in (trusted.workspace / ".judgekit").rglob("*.db*"))
    for word in (SECRET, "max@example.org", "lea@example.org"):
        assert word.encode() not in kept
        assert word not in trusted.read_log()


@pytest.fixture(scope="module")
def local(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> AppServer:
    """A server in the mode in which people pick a name."""
    folder = write_workspace(tmp_path_factory.mktemp("local") / "w", plain_items(3))
    return serve(folder, "--dataset", DATASET, "--rubric", "desk_reply")


def test_a_page_whose_name_points_at_this_machine_is_refused(local: AppServer) -> None:
    """DNS rebinding; the same session under the machine's own name is the positive control."""
    rebound = [("Origin", f"http://evil.example:{local.port}")]
    with (
        pytest.raises(InvalidStatus, match="403"),
        BareSession(local.port, rebound, name="evil.example"),
    ):
        pass
    with BareSession(local.port) as session:
        assert "Sign-in mode: local" in session.run("admin", f"user=lea&{AT_PEOPLE}")


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "Via"])
def test_picking_a_name_through_a_proxy_is_refused(local: AppServer, name: str) -> None:
    with BareSession(local.port, [(name, "for=203.0.113.9")]) as session:
        came = session.run("admin", f"user=lea&{AT_PEOPLE}")
    assert "for one machine only" in came
    assert "Sign-in mode" not in came


def test_a_foreign_page_is_refused_and_the_server_asks_nobody_about_it(local: AppServer) -> None:
    """Streamlit would ask a public address for its own; the log shows that this came to nothing."""
    begun = time.monotonic()
    with (
        pytest.raises(InvalidStatus, match="403"),
        BareSession(local.port, [("Origin", "http://evil.example")]),
    ):
        pass
    assert time.monotonic() - begun < 10
    assert "Did not auto detect external IP" in local.read_log()
