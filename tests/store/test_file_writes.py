"""Writes are whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judgekit.errors import StoreFailed
from judgekit.store.files import append_line, atomic_write, file_hash, read_bytes


def test_a_write_makes_folders_and_replaces_the_content(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    atomic_write(path, b"one")
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["b.txt"]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    with pytest.raises(StoreFailed):
        atomic_write(tmp_path / "folder", b"x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_a_write_keeps_the_permissions(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o640)
    atomic_write(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_write_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    atomic_write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_appending_closes_a_torn_last_line_first(tmp_path: Path) -> None:
    path = tmp_path / "log" / "x.jsonl"
    append_line(path, "one")
    with path.open("ab") as handle:
        handle.write(b"to")
    append_line(path, "two é")
    assert path.read_text(encoding="utf-8") == "one\nto\ntwo é\n"


def test_the_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert read_bytes(path) == b"abc"
    assert file_hash(path) == (
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )


def test_a_pipe_or_device_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(StoreFailed, match="a device or pipe"):
        atomic_write(pipe, b"x")
    assert pipe.is_fifo()
