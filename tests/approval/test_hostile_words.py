"""Locks and signatures that no parser should trip over."""

from pathlib import Path

import pytest

from judgekit.approval.approve import check_signature
from judgekit.approval.lockfile import parse_lock
from judgekit.errors import InputError, UsageError
from judgekit.gate.files import read_baseline


@pytest.mark.parametrize("text", ["x = " + "[" * 20_000, "schema = " + "9" * 5000])
def test_a_lock_that_no_parser_can_hold_is_bad_input(text: str) -> None:
    with pytest.raises(InputError, match="is not TOML") as caught:
        parse_lock(text)
    assert caught.value.mend == "restore the file from git"


def test_a_deep_baseline_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text("[" * 200_000)
    with pytest.raises(InputError, match="is not JSON"):
        read_baseline(path)


def test_a_signature_in_utf_8_is_read_under_any_locale() -> None:
    as_c_locale = "Ångström".encode().decode("ascii", "surrogateescape")
    assert check_signature(as_c_locale, "ok") == ("Ångström", "ok")


@pytest.mark.parametrize("name", ["\udcff\udcfe", "\ud800"])
def test_a_signature_that_is_no_text_is_bad_usage(name: str) -> None:
    with pytest.raises(UsageError, match="not text"):
        check_signature(name, "ok")
