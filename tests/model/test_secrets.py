from __future__ import annotations

import json

import pytest

from judgekit.model.secrets import scrub, secret_values, without


def test_values_of_variables_that_name_secrets_are_found_longest_first():
    environment = {
        "MY_API_KEY": "short-key",
        "DB_PASSWORD": "a longer password",
        "AUTH_HEADER": "header-value",
        "DESK_SECRET": "swordfish",
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/me-and-more",
        "SSH_AUTH_SOCK": "/run/agent.sock",
        "TOKENIZERS_PARALLELISM": "false",
        "PIN_KEY": "12345",
        "KEY_REGION": "production",
        "KEY_VERSION": "20261130",
    }
    assert secret_values(environment) == (
        "a longer password",
        "header-value",
        "short-key",
        "swordfish",
    )


@pytest.mark.parametrize(
    "text",
    [
        "sk-ant-api03-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrst",
        "github_pat_abcdefghijklmnopqrst",
        "xoxb-1234567890-abcdefghij",
        "hf_abcdefghijklmnopqrst",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_key_is_taken_out_wherever_it_stands(text):
    assert scrub({"note": [f"before {text} after"]}) == {"note": ["before <secret> after"]}


@pytest.mark.parametrize(
    "name",
    ["password", "api_key", "x-api-key", "access_token", "token", "client_secret", "Cookie",
     "Authorization", "private_key", "credentials"],
)  # fmt: skip
def test_fields_that_name_a_secret_lose_what_they_hold(name):
    assert scrub({name: "v", "n": {name: ["a", 7, {"b": "c"}]}}) == {
        name: "<secret>",
        "n": {name: ["<secret>", "<secret>", {"b": "<secret>"}]},
    }


@pytest.mark.parametrize(
    "value",
    [
        {"key": "R-1"},
        {"keyword": "lamp", "monkey": "ape", "primary_key": 3},
        {"input_tokens": 5, "max_tokens": 9, "tokens": ["a"]},
        {"next_token": "p2", "page_token": "p3", "continuation_token": "p4"},
        {"password": None, "token": "", "secret": False},
        {
            "text": "https://example.org/a:b/c@d, sk-short, task-list-of-many-long-words",
            "more": "sk-learn-of-many-long-words",
        },
        [1, 2.5, None, True],
    ],
)
def test_what_is_no_secret_stays(value):
    assert scrub(value) == value


def test_the_user_and_password_of_an_address_are_taken_out():
    assert scrub("postgres://desk:hunter2@db/refunds") == "postgres://<secret>@db/refunds"


def test_known_values_are_taken_out_of_values_and_keys_also_as_addresses_write_them():
    found = without({"a b/c": ["x a b/c y", "?q=a%20b%2Fc"], "n": 1}, ("a b/c",))
    assert found == {"<secret>": ["x <secret> y", "?q=<secret>"], "n": 1}
    assert without({"a": "b"}, ()) == {"a": "b"}


def test_known_values_are_taken_out_also_as_json_texts_write_them():
    secret = 'caf\u00e9"horse\\\n'
    for text in (json.dumps({"k": secret}), json.dumps({"k": secret}, ensure_ascii=False)):
        assert without(text, (secret,)) == '{"k": "<secret>"}'
