"""The section `label:` of judgekit.yaml is strict, holds no secret and says what is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from judgekit.errors import InputError
from judgekit.store.label_settings import (
    LabelSettings,
    OidcSettings,
    PersonSettings,
    ProxySettings,
    SignInSettings,
    StoreSettings,
)
from judgekit.store.workspace import load_settings

PROXY = "sign_in: {mode: proxy, proxy: {peers: [10.0.0.5], secret_env: SECRET"


def read(tmp_path: Path, section: str) -> LabelSettings:
    path = tmp_path / "judgekit.yaml"
    path.write_text(f"schema: 1\nlabel:\n{section}\n")
    return load_settings(path).label


def test_without_the_section_labels_are_local_and_in_sqlite(tmp_path: Path) -> None:
    (tmp_path / "judgekit.yaml").write_text("schema: 1\n")
    settings = load_settings(tmp_path / "judgekit.yaml").label
    assert settings == LabelSettings()
    assert (settings.sign_in.mode, settings.database_url({}), settings.proxy_secret({})) == (
        "local",
        None,
        None,
    )


def test_every_label_setting_can_be_written(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        """  store: {url_env: LABELS_URL}
  sign_in:
    mode: proxy
    oidc: {provider: main, subject_claim: oid, groups_claim: roles, max_hours: 8}
    proxy:
      peers: [10.0.0.5, "fd00::/64"]
      secret_env: SECRET
      secret_header: X-Secret
      user_header: X-User
      groups_header: X-Groups
  people:
    ada: {roles: [lead], subject: "provider|17"}
    ben: {roles: [annotator, adjudicator]}
  groups: {labellers: [annotator]}
  overlap_share: 0.3
  overlap_min: 10
  repeat_share: 0.1
  repeat_gap: 20
  seed: '7'""",
    )
    assert found == LabelSettings(
        store=StoreSettings(url_env="LABELS_URL"),
        sign_in=SignInSettings(
            mode="proxy",
            oidc=OidcSettings(
                provider="main", subject_claim="oid", groups_claim="roles", max_hours=8
            ),
            proxy=ProxySettings(
                peers=("10.0.0.5", "fd00::/64"),
                secret_env="SECRET",
                secret_header="X-Secret",
                user_header="X-User",
                groups_header="X-Groups",
            ),
        ),
        people={
            "ada": PersonSettings(roles=("lead",), subject="provider|17"),
            "ben": PersonSettings(roles=("annotator", "adjudicator")),
        },
        groups={"labellers": ("annotator",)},
        overlap_share=0.3,
        overlap_min=10,
        repeat_share=0.1,
        repeat_gap=20,
        seed="7",
    )


@pytest.mark.parametrize(
    ("section", "where", "expected"),
    [
        ("  owner: ada", "3 label.owner", "one of store"),
        ("  sign_in: {mode: ldap}", "3 label.sign_in.mode", "'local', 'oidc' or 'proxy'"),
        ("  sign_in: {mode: proxy}", "3 label.sign_in", "the key 'proxy'"),
        (f"  {PROXY}, peer: x}}}}", "3 label.sign_in.proxy.peer", "'peers'"),
        ("  store: {path: a.db, url_env: URL}", "3 label.store", "either path or url_env"),
        ("  store: {url_env: 'postgresql://u:p@h/d'}", "3 label.store.url_env", "the NAME"),
        ("  people: {a@b.org: {roles: [lead]}}", "3 label.people", "no e-mail"),
        ("  people: {../a: {roles: [lead]}}", "3 label.people", "an alias"),
        ("  people: {Ada: {roles: [lead]}}", "3 label.people", "an alias"),
        ("  people: {ada: {roles: []}}", "3 label.people.ada.roles", "at least 1"),
        ("  people: {ada: {roles: [boss]}}", "3 label.people.ada.roles[0]", "'lead'"),
        (
            "  people: {a: {roles: [lead], subject: s}, b: {roles: [lead], subject: s}}",
            "2 label",
            "each subject under one alias",
        ),
        ("  overlap_share: 20", "3 label.overlap_share", "less than or equal to 1"),
        ("  seed: 7", "3 label.seed", "valid string"),
        ("  repeat_share: yes", "3 label.repeat_share", "number"),
        (f"  {PROXY}, user_header: Cookie}}}}", "user_header", "any browser can send"),
        (f"  {PROXY}, user_header: x-forwarded-for}}}}", "user_header", "any browser can send"),
        (f"  {PROXY}, user_header: 'X Y'}}}}", "user_header", "the name of a request header"),
        (f"  {PROXY}, groups_header: x-forwarded-user}}}}", "sign_in.proxy", "three different"),
        (
            "  sign_in: {mode: proxy, proxy: {peers: [0.0.0.0/0], secret_env: S}}",
            "peers[0]",
            "holds every address",
        ),
        (
            "  sign_in: {mode: proxy, proxy: {peers: [proxy.local], secret_env: S}}",
            "peers[0]",
            "an address or network",
        ),
        (
            "  sign_in: {mode: proxy, proxy: {peers: [], secret_env: S}}",
            "label.sign_in.proxy.peers",
            "at least 1",
        ),
    ],
)
def test_a_wrong_label_setting_is_named_with_its_line_and_key(
    tmp_path: Path, section: str, where: str, expected: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, section)
    assert where in (caught.value.where or "")
    assert expected in (caught.value.expected or "")


def test_an_unset_variable_is_named_and_its_neighbours_are_not(tmp_path: Path) -> None:
    settings = read(tmp_path, "  store: {url_env: LABELS_URL}")
    with pytest.raises(InputError, match="'LABELS_URL' is not set") as caught:
        settings.database_url({"OTHER": "hidden"})
    assert "hidden" not in str(caught.value)
    assert settings.database_url({"LABELS_URL": "postgresql+psycopg://h/d"}) is not None


def test_a_short_proxy_secret_is_refused_without_being_shown(tmp_path: Path) -> None:
    settings = read(tmp_path, f"  {PROXY}}}}}")
    with pytest.raises(InputError) as caught:
        settings.proxy_secret({"SECRET": "hunter2"})
    assert "hunter2" not in str(caught.value)
    assert settings.proxy_secret({"SECRET": "0123456789abcdef"}) == "0123456789abcdef"


GUIDE = (Path(__file__).resolve().parents[2] / "docs/guides/sign-in.md").read_text("utf-8")


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", GUIDE, re.S))
def test_every_settings_block_of_the_guide_can_be_used(tmp_path: Path, block: str) -> None:
    path = tmp_path / "judgekit.yaml"
    path.write_text(f"schema: 1\n{block}")
    assert load_settings(path).label != LabelSettings()


def test_every_label_setting_is_in_the_guide() -> None:
    models = (LabelSettings, StoreSettings, SignInSettings, OidcSettings, ProxySettings)
    names = {name for model in (*models, PersonSettings) for name in model.model_fields}
    assert sorted(name for name in names if name not in GUIDE) == []
