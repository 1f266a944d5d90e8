"""A name is believed only with proof: address and secret of a proxy, or a provider's claims."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.store.label_settings import (
    LabelSettings,
    OidcSettings,
    ProxySettings,
    SignInSettings,
)
from parts.sign_in_claim import Claim
from parts.sign_in_oidc import oidc_claim
from parts.sign_in_peer import Request, is_among, is_loopback
from parts.sign_in_proxy import Refused, proxy_claim

SECRET = "0123456789abcdef"
PEER = "10.0.0.5"
NOW = 1_800_000_000.0
SETTINGS = LabelSettings(
    sign_in=SignInSettings(
        mode="proxy",
        proxy=ProxySettings(
            peers=(PEER, "fd00::/64"), secret_env="SECRET", groups_header="X-Groups"
        ),
    )
)
GOOD: dict[str, tuple[str, ...]] = {
    "x-judgekit-proxy-secret": (SECRET,),
    "x-forwarded-user": ("ada@example.org",),
    "x-groups": ("labellers, leads,",),
}


def claimed(peer: str | None = PEER, *, rewritten: bool = False, **headers: Any) -> Any:
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(peer=peer, headers={**GOOD, **changed}, rewritten=rewritten)
    return proxy_claim(request, SETTINGS, {"SECRET": SECRET})


def test_the_proxy_is_believed_by_address_and_secret_together() -> None:
    assert claimed() == Claim(
        mode="proxy", subject="ada@example.org", groups=("labellers", "leads")
    )
    assert isinstance(claimed("fd00::1"), Claim)
    assert isinstance(claimed(f"::ffff:{PEER}"), Claim)


@pytest.mark.parametrize("peer", [None, "", "127.0.0.1", "10.0.0.6", "::1", "unix:", "10.0.0.5, x"])
def test_the_right_secret_from_another_address_is_refused(peer: str | None) -> None:
    assert claimed(peer) == Refused("peer")


def test_a_forwarded_for_header_does_not_stand_for_the_peer() -> None:
    forwarded = {"x_forwarded_for": (PEER,), "forwarded": (f"for={PEER}",), "x_real_ip": (PEER,)}
    assert claimed("127.0.0.1", **forwarded) == Refused("peer")


def test_an_address_that_the_server_may_have_rewritten_is_never_believed() -> None:
    assert claimed(rewritten=True) == Refused("peer rewritten")


@pytest.mark.parametrize(
    "secret",
    [(), ("",), ("wrong",), (SECRET[:-1],), (f"{SECRET} ",), (SECRET, SECRET), ("x", SECRET)],
)
def test_a_missing_wrong_or_repeated_secret_is_refused(secret: tuple[str, ...]) -> None:
    assert claimed(x_judgekit_proxy_secret=secret) == Refused("secret")


@pytest.mark.parametrize(
    "name",
    [(), ("",), ("  ",), ("ada", "eve"), ("ada,eve",), ("ada\x00",), ("ada\u202e",), ("a" * 257,)],
)
def test_no_name_two_names_or_a_strange_name_is_refused(name: tuple[str, ...]) -> None:
    assert claimed(x_forwarded_user=name) == Refused("user")


def test_groups_sent_twice_give_no_role() -> None:
    assert claimed(x_groups=("labellers", "leads")).groups == ()


@pytest.mark.parametrize("environment", [{}, {"SECRET": ""}, {"SECRET": "short"}])
def test_without_a_secret_on_the_server_nobody_gets_in(environment: dict[str, str]) -> None:
    empty = {**GOOD, "x-judgekit-proxy-secret": (environment.get("SECRET", ""),)}
    found = proxy_claim(Request(peer=PEER, headers=empty), SETTINGS, environment)
    assert found == Refused("not set up")


def test_a_person_is_known_by_a_hash_and_never_by_what_the_provider_says() -> None:
    codes = {
        Claim(mode="proxy", subject="ada@example.org").code,
        Claim(mode="oidc", subject="ada@example.org").code,
        Claim(mode="oidc", subject="ada@example.org", issuer="https://id.example.org").code,
        Claim(mode="oidc", subject="ben@example.org").code,
    }
    assert len(codes) == 4
    assert all(len(code) == 64 and "ada" not in code for code in codes)


CLAIMS = {
    "is_logged_in": True,
    "sub": "17",
    "iss": "https://id.example.org",
    "email": "ada@example.org",
    "iat": NOW - 60,
    "groups": ["labellers", 3],
}


def test_a_signed_in_person_is_named_by_the_subject_claim() -> None:
    assert oidc_claim(CLAIMS, OidcSettings(), now_s=NOW) == Claim(
        mode="oidc", subject="17", issuer="https://id.example.org", groups=("labellers",)
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"is_logged_in": False}, "Sign in with your organisation's account."),
        ({"is_logged_in": "true"}, "Sign in with your organisation's account."),
        ({"sub": None}, "The identity provider did not say who you are: no claim 'sub'."),
        ({"sub": " "}, "The identity provider did not say who you are: no claim 'sub'."),
        ({"iat": NOW - 12 * 3600 - 1}, "Your sign-in is older than 12 hours. Sign in again."),
        ({"iat": None}, "Your sign-in is older than 12 hours. Sign in again."),
        ({"iat": True}, "Your sign-in is older than 12 hours. Sign in again."),
    ],
)
def test_claims_that_prove_nobody_are_told_in_one_sentence(
    change: dict[str, Any], told: str
) -> None:
    assert oidc_claim({**CLAIMS, **change}, OidcSettings(), now_s=NOW) == told


def test_addresses_are_compared_as_addresses() -> None:
    assert is_among("0:0:0:0:0:0:0:1", ("::1",))
    assert not is_among("10.0.0.50", ("10.0.0.5",))
    assert not is_among(None, ("::/1",))
    assert [is_loopback(peer) for peer in ("127.3.2.1", "::1", "::ffff:127.0.0.1", "10.0.0.1")] == [
        True,
        True,
        True,
        False,
    ]
