from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from judgekit.errors import StoreFailed
from judgekit.store.files import held
from judgekit.store.goldens_file import update_goldens
from judgekit.store.locks import is_locked, open_locked, open_locked_folder


def test_a_file_is_made_with_its_folder_and_held_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lines.jsonl"
    assert not is_locked(path)
    fd = open_locked(path, wait=False)
    assert is_locked(path)
    with pytest.raises(BlockingIOError):
        open_locked(path, wait=False)
    os.write(fd, b"one\n")
    os.close(fd)
    assert not is_locked(path)
    assert path.read_bytes() == b"one\n"


def test_whoever_waits_goes_on_when_the_holder_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    order: list[str] = []

    def second() -> None:
        with held(path):
            order.append("second")

    fd = open_locked(path, wait=True)
    thread = threading.Thread(target=second)
    thread.start()
    order.append("first")
    os.close(fd)
    thread.join(30)
    assert order == ["first", "second"]


def test_a_block_that_fails_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    with pytest.raises(ZeroDivisionError), held(path):
        raise ZeroDivisionError
    assert not is_locked(path)


def test_a_folder_is_held_by_one_writer_of_its_goldens(tmp_path: Path) -> None:
    fd = open_locked_folder(tmp_path)
    thread = threading.Thread(target=update_goldens, args=(tmp_path, lambda found: found))
    thread.start()
    assert not (tmp_path / "goldens.jsonl").exists()
    os.close(fd)
    thread.join(30)
    assert (tmp_path / "goldens.jsonl").exists()


def test_a_folder_in_the_place_of_a_file_is_one_of_our_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreFailed), held(tmp_path):
        raise AssertionError("held")
    with pytest.raises(StoreFailed, match="cannot be opened"):
        update_goldens(tmp_path / "none", lambda found: found)
