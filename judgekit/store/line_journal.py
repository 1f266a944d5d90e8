"""A file of lines that one process appends to: one write a line, flushed, never torn.

A record is one unbuffered `write`, so a killed process loses nothing that was appended. A thread
calls fsync every 100 ms, so a power cut loses at most that much. One process at a time may write.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Self

from judgekit.errors import StoreFailed
from judgekit.store.locks import open_locked

SYNC_INTERVAL_S = 0.1


class LineJournal:
    """Append lines to one file that no other process may write meanwhile.

    Args:
        path: the file; its folder is made. A torn last line (a process died while writing) is
            cut off; `torn_bytes` says how much that was. A whole JSON line that only lacks its
            line feed gets it.

    Raises:
        StoreFailed: another process holds the file, or it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = _open_locked(path)
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._sync_error: OSError | None = None
        try:
            self.torn_bytes = _cut_torn_line(self._fd)
        except OSError as error:
            os.close(self._fd)
            raise _failed(path, error) from error
        self._thread = threading.Thread(target=self._sync_loop, name="journal-sync", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write one line, its newline included, with one system call.

        Raises:
            StoreFailed: the disk is full or the file cannot be written.
        """
        if self._sync_error is not None:
            raise _failed(self.path, self._sync_error)
        try:
            write_whole(self._fd, data)
        except OSError as error:
            raise _failed(self.path, error) from error
        self._dirty.set()

    def close(self) -> None:
        """Flush to the disk and let other processes write; may be called twice."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._dirty.set()
        self._thread.join()
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise _failed(self.path, error) from error
        finally:
            os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _sync_loop(self) -> None:
        while not self._closing.is_set():
            self._dirty.wait()
            self._dirty.clear()
            try:
                os.fsync(self._fd)
            except OSError as error:
                self._sync_error = error
                return
            self._closing.wait(SYNC_INTERVAL_S)


def _open_locked(path: Path) -> int:
    try:
        return open_locked(path, wait=False)
    except BlockingIOError as error:
        raise StoreFailed(
            "another process is writing this journal",
            where=str(path),
            mend="wait until the other judgekit command ends, or stop it; what it finished is kept",
        ) from error
    except OSError as error:
        raise _failed(path, error) from error


def _cut_torn_line(fd: int) -> int:
    size = os.fstat(fd).st_size
    end = size
    while end > 0:
        start = max(0, end - 65536)
        newline = os.pread(fd, end - start, start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end == size:
        return 0
    if is_whole(os.pread(fd, size - end, end)):
        write_whole(fd, b"\n")
        return 0
    os.ftruncate(fd, end)
    return size - end


def is_whole(line: bytes) -> bool:
    """Return whether a last line without a line feed is a whole JSON object."""
    # No part of a JSON object is one; an editor may have left the last line feed out.
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def write_whole(fd: int, data: bytes) -> None:
    """Append with one system call, or leave the file as long as it was.

    Raises:
        OSError: the data was not written.
    """
    size = os.fstat(fd).st_size
    try:
        written = os.write(fd, data)
    except OSError:
        os.ftruncate(fd, size)
        raise
    if written < len(data):
        os.ftruncate(fd, size)
        raise OSError(28, "no space left for a whole record")


def _failed(path: Path, error: OSError) -> StoreFailed:
    return StoreFailed(
        f"the journal cannot be written: {error.strerror or error}",
        where=str(path),
        mend="free space or mend the folder's permissions; the next run resumes",
    )
