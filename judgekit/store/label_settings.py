"""The section `label:` of judgekit.yaml: where labels are kept, who may sign in, and the defaults.

No secret stands in the file: the address of a database and the secret of a proxy are named by
environment variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field, model_validator

from judgekit.errors import InputError
from judgekit.model.base import Record

Role = Literal["annotator", "adjudicator", "engineer", "lead"]
"""What a person may do in the app; roles add up, and a lead may see every page."""

ROLES: tuple[Role, ...] = get_args(Role)
ALIAS_PATTERN = r"^[a-z0-9][a-z0-9_.-]{0,63}$"
SignInMode = Literal["local", "oidc", "proxy"]
MIN_SECRET_LENGTH = 16
_NEVER_IDENTITY = frozenset(
    ("cookie", "host", "origin", "referer", "user-agent", "forwarded", "x-forwarded-for")
)


def _alias(text: str) -> str:
    if not re.fullmatch(ALIAS_PATTERN, text):
        raise ValueError("an alias: a-z, 0-9, '.', '_' and '-', at most 64, and no e-mail address")
    return text


def _variable(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise ValueError("the NAME of an environment variable, never the secret itself")
    return text


def _header(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", text):
        raise ValueError("the name of a request header, such as X-Forwarded-User")
    if text.lower() in _NEVER_IDENTITY:
        raise ValueError("a header that only the proxy sets; any browser can send this one")
    return text


def _peer(text: str) -> str:
    try:
        network = ip_network(text, strict=False)
    except ValueError as error:
        raise ValueError("an address or network of the proxy, such as 10.0.0.5") from error
    if network.prefixlen == 0:
        raise ValueError("the proxy's own address: this network holds every address there is")
    return text


Alias = Annotated[str, AfterValidator(_alias)]
VariableName = Annotated[str, AfterValidator(_variable)]
HeaderName = Annotated[str, AfterValidator(_header)]
Peer = Annotated[str, AfterValidator(_peer)]
Roles = Annotated[tuple[Role, ...], Field(min_length=1)]


class StoreSettings(Record):
    """Where labels are kept: a SQLite file in the workspace, or a database by URL.

    Args:
        path: the file, relative to the workspace; by default `.judgekit/labels.db`.
        url_env: the environment variable that holds a database URL, such as
            `postgresql+psycopg://...`.
    """

    path: str | None = Field(default=None, min_length=1)
    url_env: VariableName | None = None

    @model_validator(mode="after")
    def _one_place(self) -> StoreSettings:
        if self.path is not None and self.url_env is not None:
            raise ValueError("either path or url_env")
        return self


class OidcSettings(Record):
    """How an identity provider's answer is read; the provider itself stands in secrets.toml.

    Args:
        provider: the provider's name where secrets.toml holds several.
        subject_claim: the claim that names a person for good.
        groups_claim: the claim that lists a person's groups.
        max_hours: how old a sign-in may be before it has to be repeated.
    """

    provider: str | None = Field(default=None, min_length=1)
    subject_claim: str = Field(default="sub", min_length=1)
    groups_claim: str = Field(default="groups", min_length=1)
    max_hours: int = Field(default=12, ge=1, le=720)


class ProxySettings(Record):
    """Which reverse proxy is believed, and what it says.

    Args:
        peers: addresses or networks that the proxy connects from.
        secret_env: the environment variable that holds the shared secret.
        secret_header: the header in which the proxy sends that secret.
        user_header: the header that names the person.
        groups_header: the header that lists the person's groups, parted by commas.
    """

    peers: Annotated[tuple[Peer, ...], Field(min_length=1)]
    secret_env: VariableName
    secret_header: HeaderName = "X-Judgekit-Proxy-Secret"
    user_header: HeaderName = "X-Forwarded-User"
    groups_header: HeaderName | None = None

    @model_validator(mode="after")
    def _headers_differ(self) -> ProxySettings:
        names = [self.secret_header, self.user_header, self.groups_header or ""]
        if len({name.lower() for name in names}) < len(names):
            raise ValueError("three different headers")
        return self


class SignInSettings(Record):
    """How people say who they are."""

    mode: SignInMode = "local"
    oidc: OidcSettings = OidcSettings()
    proxy: ProxySettings | None = None

    @model_validator(mode="after")
    def _proxy_is_described(self) -> SignInSettings:
        if self.mode == "proxy" and self.proxy is None:
            raise ValueError("the key 'proxy' with peers and secret_env, which mode 'proxy' needs")
        return self


class PersonSettings(Record):
    """One person: roles, and how the identity provider or the proxy names them.

    Args:
        roles: what the person may do; these cannot be taken away in the app.
        subject: the name under `oidc` or `proxy`; None under `local`.
    """

    roles: Roles
    subject: str | None = Field(default=None, min_length=1)


class LabelSettings(Record):
    """The section `label:`.

    Args:
        store: where labels are kept.
        sign_in: how people sign in.
        people: roles by alias; the first lead is named here.
        groups: roles by a group that the identity provider or the proxy reports.
        overlap_share: the share of items that a second annotator labels, in [0, 1].
        overlap_min: the least number of such items.
        repeat_share: the share of an annotator's items shown a second time, in [0, 1].
        repeat_gap: how many items lie between, at least.
        seed: the seed of orders, overlap and repeats.
    """

    store: StoreSettings = StoreSettings()
    sign_in: SignInSettings = SignInSettings()
    people: dict[Alias, PersonSettings] = Field(default_factory=dict)
    groups: dict[str, Roles] = Field(default_factory=dict)
    overlap_share: float = Field(default=0.2, ge=0, le=1)
    overlap_min: int = Field(default=50, ge=0)
    repeat_share: float = Field(default=0.05, ge=0, le=1)
    repeat_gap: int = Field(default=30, ge=1)
    seed: str = Field(default="1", min_length=1, max_length=64)

    @model_validator(mode="after")
    def _one_person_a_subject(self) -> LabelSettings:
        subjects = [person.subject for person in self.people.values() if person.subject]
        twice = {subject for subject in subjects if subjects.count(subject) > 1}
        if twice:
            raise ValueError(f"each subject under one alias; {min(twice)!r} stands under two")
        return self

    def database_url(self, environment: Mapping[str, str]) -> str | None:
        """Return the database URL that `store.url_env` names, or None for SQLite.

        Raises:
            InputError: the variable is not set; its value is never part of the message.
        """
        return _named_value(self.store.url_env, "store.url_env", environment)

    def proxy_secret(self, environment: Mapping[str, str]) -> str | None:
        """Return the secret shared with the proxy, or None where no proxy is configured.

        Raises:
            InputError: the variable is not set, or holds fewer than 16 characters.
        """
        proxy = self.sign_in.proxy
        key = "sign_in.proxy.secret_env"
        secret = _named_value(proxy.secret_env if proxy else None, key, environment)
        if secret is not None and len(secret) < MIN_SECRET_LENGTH:
            raise InputError(
                "the secret shared with the proxy is too short",
                where=f"judgekit.yaml: label.{key}",
                found=f"{len(secret)} characters",
                expected=f"at least {MIN_SECRET_LENGTH}",
            )
        return secret


def _named_value(name: str | None, key: str, environment: Mapping[str, str]) -> str | None:
    if name is None:
        return None
    if not environment.get(name):
        raise InputError(
            f"the environment variable {name!r} is not set",
            where=f"judgekit.yaml: label.{key}",
            expected="a value",
            mend=f"set {name} where the app is started",
        )
    return environment[name]
