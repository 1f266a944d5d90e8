"""Files and folders that one process holds; the kernel lets go when the process dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def open_locked(path: Path, *, wait: bool) -> int:
    """Return a descriptor to read and append with, while no other process holds the file.

    The file and its folder are made where they are missing. Closing it lets others in.

    Raises:
        BlockingIOError: another process holds it, and `wait` is False.
        OSError: it cannot be opened or held.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    return _locked(os.open(path, flags, 0o666), fcntl.LOCK_EX if wait else _AT_ONCE)


def open_locked_folder(folder: Path) -> int:
    """Return a descriptor of a folder that is there, once no other process holds it.

    Raises:
        OSError: it cannot be opened or held.
    """
    return _locked(os.open(folder, os.O_RDONLY | os.O_CLOEXEC), fcntl.LOCK_EX)


def is_locked(path: Path) -> bool:
    """Tell whether a process holds a file now; one that is not there is held by nobody."""
    if not path.exists():
        return False
    with path.open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True  # also where locks are not to be had: then nothing may be decided on it
    return False


_AT_ONCE = fcntl.LOCK_EX | fcntl.LOCK_NB


def _locked(fd: int, how: int) -> int:
    try:
        fcntl.flock(fd, how)
    except BaseException:
        os.close(fd)
        raise
    return fd
