from __future__ import annotations

import pytest

from judgekit.errors import InputError
from judgekit.store.label_files.aliases import alias_file_name, check_alias


@pytest.mark.parametrize("alias", ["ana", "Worker 12", "müller", "李", "a.b-c_d", "a" * 64, "../x"])
def test_an_alias_has_a_file_of_its_own_inside_the_folder(alias: str) -> None:
    name = alias_file_name(alias)
    assert check_alias(alias) == alias
    assert name.isascii()
    assert "/" not in name
    assert not name.startswith(".")
    assert name.endswith(".jsonl")


@pytest.mark.parametrize(
    "alias",
    [
        "",
        " ana",
        "ana ",
        "ana@desk.example",
        "a\nb",
        "a\0b",
        "a\u202eb",
        "a" * 65,
        "e\u0301",
        "李" * 64,
    ],
)
def test_an_alias_that_cannot_stand_in_a_file_is_refused(alias: str) -> None:
    with pytest.raises(InputError, match="alias"):
        check_alias(alias)


def test_no_two_aliases_share_a_file_even_where_names_ignore_case() -> None:
    aliases = ["ana", "Ana", "ANA", "a%6ea", "con", "%63on", ".a", "%2ea", "ana.jsonl"]
    assert len({alias_file_name(alias).lower() for alias in aliases}) == len(aliases)


def test_names_of_devices_are_not_file_names() -> None:
    assert alias_file_name("con") == "%63on.jsonl"
    assert alias_file_name("nul.x") == "%6eul.x.jsonl"
