"""A backup is a whole, usable database, made while the original is in use."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.errors import InputError, StoreFailed
from judgekit.store.label_store import Person, open_label_store


def test_a_backup_opens_and_the_original_goes_on(tmp_path: Path) -> None:
    with open_label_store(None, tmp_path) as store:
        store.people.add(Person(alias="ann"), actor="lea")
        path = store.backup(tmp_path / "new folder" / "copy's.db")
        store.people.add(Person(alias="ben"), actor="lea")
        assert [person.alias for person in store.people.list()] == ["ann", "ben"]
    with open_label_store(f"sqlite:///{path}", tmp_path) as copy:
        assert [person.alias for person in copy.people.list()] == ["ann"]


def test_a_backup_never_overwrites_a_file(tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    path.write_text("mine")
    with open_label_store(None, tmp_path) as store, pytest.raises(InputError, match="overwrite"):
        store.backup(path)
    assert path.read_text() == "mine"


def test_a_backup_into_a_file_as_folder_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with open_label_store(None, tmp_path) as store, pytest.raises(StoreFailed, match="backup"):
        store.backup(tmp_path / "file" / "copy.db")
