"""Mode oidc never crashes without a provider, and a signed-in person is known by an alias."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from judgekit.store.label_store import Person, open_label_store

APP = Path(__file__).resolve().parents[2] / "app" / "streamlit_app.py"
SETTINGS = """schema: 1
label:
  sign_in: {mode: oidc}
  people:
    lea: {roles: [lead], subject: "17"}
  groups: {labellers: [annotator], leads: [lead]}
"""
AUTH = {"auth": {"cookie_secret": "0123456789abcdef0123456789abcdef"}}
Open = Callable[..., AppTest]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    (tmp_path / "judgekit.yaml").write_text(SETTINGS)
    monkeypatch.setenv("JUDGEKIT_LABEL_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("JUDGEKIT_LABEL_STORE", "")
    st.cache_resource.clear()

    def start(user: dict[str, object], secrets: dict[str, object] | None = None) -> AppTest:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.user = user
        app.secrets = secrets or {}
        app.switch_page("app_pages/admin.py")
        app.query_params["section"] = "People"
        app.run()
        assert [error.value for error in app.exception] == []
        return app

    return start


def texts(app: AppTest) -> str:
    return "\n".join(element.value for element in app.text)


def claims(**changed: object) -> dict[str, object]:
    return {
        "is_logged_in": True,
        "sub": "17",
        "iss": "https://id.example.org",
        "email": "lea@example.org",
        "iat": time.time() - 60,
        **changed,
    }


def test_without_a_provider_the_app_says_what_to_configure(opened: Open) -> None:
    app = opened({})
    assert "not configured on this server" in texts(app)
    assert "redirect_uri, cookie_secret, client_id" in texts(app)
    assert list(app.button) == []


def test_signing_in_with_half_a_configuration_says_what_is_missing(opened: Open) -> None:
    app = opened({"is_logged_in": False}, AUTH)
    assert "Sign in with your organisation's account." in texts(app)
    app.button("sign-in").click().run()
    assert [error.value for error in app.exception] == []
    assert "not configured on this server" in texts(app)


def test_the_lead_of_the_file_gets_in_by_subject(opened: Open) -> None:
    app = opened(claims())
    assert "Sign-in mode: oidc" in texts(app)
    assert "Signed in as lea" in texts(app)


def test_somebody_of_a_known_group_gets_an_alias_that_tells_nothing(
    opened: Open, tmp_path: Path
) -> None:
    app = opened(claims(sub="ben@example.org", groups=["leads"]))
    assert "Signed in as person-" in texts(app)
    with open_label_store(None, tmp_path) as store:
        (person,) = store.people.list()
    assert (person.verified, person.mode, person.roles) == (True, "oidc", ())
    assert person.subject is not None
    kept = b"".join(path.read_bytes() for path in (tmp_path / ".judgekit").iterdir())
    assert b"example.org" not in kept


def test_somebody_unknown_is_given_a_code_that_a_lead_turns_into_a_person(
    opened: Open, tmp_path: Path
) -> None:
    stranger = claims(sub="99")
    app = opened(stranger)
    assert "Send this code to a lead" in texts(app)
    code = texts(app).rsplit(": ", 1)[1].strip()
    lead = opened(claims())
    lead.text_input("add-alias").set_value("ben")
    lead.text_input("add-code").set_value(code)
    lead.button_group("add-roles").set_value(["annotator"])
    lead.button("add-person-button").click().run()
    assert "ben was added." in texts(lead)
    assert "Signed in as ben" in texts(opened(stranger))


def test_somebody_known_here_can_be_linked_to_a_sign_in(opened: Open, tmp_path: Path) -> None:
    with open_label_store(None, tmp_path) as store:
        store.people.add(Person(alias="ben", roles=("annotator",)), actor="lea")
    stranger = claims(sub="99")
    code = texts(opened(stranger)).rsplit(": ", 1)[1].strip()
    lead = opened(claims())
    lead.selectbox("change-alias").select("ben").run()
    lead.text_input("link-code-ben").set_value(code)
    lead.button("link-ben-button").click().run()
    assert "This sign-in is now ben." in texts(lead)
    assert "Signed in as ben" in texts(opened(stranger))


@pytest.mark.parametrize("code", ["", "short", "0" * 16, "zz" * 8])
def test_a_code_that_nobody_was_shown_is_refused(opened: Open, tmp_path: Path, code: str) -> None:
    lead = opened(claims())
    lead.text_input("add-alias").set_value("ben")
    lead.text_input("add-code").set_value(code)
    lead.button("add-person-button").click().run()
    assert "Error:" in texts(lead)
    with open_label_store(None, tmp_path) as store:
        assert store.people.get("ben") is None


def test_an_old_sign_in_has_to_be_repeated(opened: Open) -> None:
    app = opened(claims(iat=time.time() - 13 * 3600))
    assert "older than 12 hours" in texts(app)
    assert [button.key for button in app.button] == ["sign-in"]


def test_headers_that_any_browser_can_send_are_never_a_sign_in(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = {"X-User": "sub"}
    real = st.get_option
    monkeypatch.setattr(
        st, "get_option", lambda key: trusted if key == "server.trustedUserHeaders" else real(key)
    )
    app = opened(claims())
    assert "Signing in is refused" in texts(app)
    assert list(app.get("bidi_component")) == []
