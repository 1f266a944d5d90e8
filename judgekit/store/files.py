"""Files: whole-file writes that cannot tear, and reads that say what is wrong."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from judgekit.errors import InputError, StoreFailed
from judgekit.store.locks import open_locked

MAX_FILE_BYTES = 256 * 1024 * 1024
_CHUNK = 1024 * 1024


def atomic_write(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, wholly or not at all; missing folders are made.

    A symbolic link is followed, so that the file it names is replaced and not the link.

    Raises:
        StoreFailed: the file cannot be written; the old content stands.
    """
    _write_whole(path, (data,))


def atomic_lines(path: Path, lines: Iterable[str]) -> None:
    """Replace `path` by lines, wholly or not at all; they are written as they are made.

    Raises:
        StoreFailed: the file cannot be written; the old content stands.
    """
    _write_whole(path, (f"{line}\n".encode() for line in lines))


def _write_whole(path: Path, parts: Iterable[bytes]) -> None:
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A device would be replaced by a plain file, for every program of the machine.
        kind = "a folder" if target.is_dir() else "a device or pipe"
        raise StoreFailed(
            f"{path.name or str(path)!r} cannot be written",
            where=str(path),
            found=kind,
            expected="a file",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        _replace(target, parts, mode)
    except OSError as error:
        raise _store_failed(path, error) from error


def append_line(path: Path, line: str) -> None:
    """Append one line with a single write; a torn last line is closed first.

    Raises:
        StoreFailed: the file cannot be written, or `line` holds a line feed.
    """
    if "\n" in line:
        raise StoreFailed("a line to append holds a line feed", where=str(path))
    append_text(path, line + "\n")


def append_text(path: Path, text: str) -> None:
    """Append `text` with a single write; a torn last line is closed first.

    Raises:
        StoreFailed: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as handle:
            start = b"" if _ends_with_newline(handle) else b"\n"
            handle.write(start + text.encode("utf-8"))
    except (OSError, UnicodeEncodeError) as error:
        raise _store_failed(path, error) from error


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading as bytes.

    Raises:
        InputError: it does not exist, is a folder, or may not be read.
    """
    try:
        handle = path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error
    with handle:
        yield handle


def read_bytes(path: Path) -> bytes:
    """Return the whole file.

    Raises:
        InputError: it does not exist, is a folder, may not be read, or is longer than
            `MAX_FILE_BYTES` (a device may have no end).
    """
    with open_input(path) as handle:
        try:
            data = handle.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise unreadable(path, error) from error
    if len(data) > MAX_FILE_BYTES:
        most = f"at most {MAX_FILE_BYTES // 1024 // 1024} MiB"
        raise InputError(f"{path.name!r} is too long", where=str(path), expected=most)
    return data


def file_hash(path: Path) -> str:
    """Return `sha256:<hex>` of the file's bytes."""
    digest = hashlib.sha256()
    with open_input(path) as handle:
        while chunk := handle.read(_CHUNK):
            digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"


def unreadable(path: Path, error: OSError) -> InputError:
    """Return the error for a file that cannot be opened."""
    if isinstance(error, FileNotFoundError):
        return InputError(
            f"there is no file {path.name!r}", where=str(path), expected="a file at this path"
        )
    if isinstance(error, IsADirectoryError):
        return InputError(
            f"{path.name!r} is a folder", where=str(path), found="a folder", expected="a file"
        )
    return InputError(
        f"{path.name!r} cannot be read", where=str(path), found=error.strerror or str(error)
    )


def _replace(target: Path, parts: Iterable[bytes], mode: int) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _ends_with_newline(handle: BinaryIO) -> bool:
    if handle.seek(0, os.SEEK_END) == 0:
        return True
    handle.seek(-1, os.SEEK_END)
    return handle.read(1) == b"\n"


def _store_failed(path: Path, error: Exception) -> StoreFailed:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return StoreFailed(
        f"{path.name or str(path)!r} cannot be written",
        where=str(path),
        found=reason or type(error).__name__,
        mend="check that the folder exists, is writable and has space",
    )


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold an append-only file exclusively, waiting for whoever holds it; made when missing.

    Raises:
        StoreFailed: the file cannot be opened or held.
    """
    try:
        fd = open_locked(path, wait=True)
    except OSError as error:
        raise _store_failed(path, error) from error
    try:
        yield
    finally:
        os.close(fd)
