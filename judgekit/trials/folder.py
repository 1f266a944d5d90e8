"""The folder of one attempt, which goes away whatever the agent left in it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_AT_MOST = 100_000
"""Folders that are taken apart one by one; what is left then stays."""


@contextmanager
def own_folder() -> Iterator[Path]:
    """Make an empty folder and remove it at the end; what cannot be removed stays."""
    folder = Path(tempfile.mkdtemp(prefix="judgekit-trial-"))
    try:
        yield folder
    finally:
        remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder and all in it, also where it is nested deeper than Python can recurse."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        with suppress(OSError):
            _flatten(folder)
        with suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)


def _flatten(folder: Path) -> None:
    """Lift every folder inside to the top, emptied, so that none is deep; no path grows long."""
    for number in range(_AT_MOST):
        found = [e.path for e in list(os.scandir(folder)) if e.is_dir(follow_symlinks=False)]
        inner = found[0] if found else None
        if inner is None:
            return
        for place, entry in enumerate(list(os.scandir(inner))):
            if entry.is_dir(follow_symlinks=False):
                os.rename(entry.path, folder / f".lifted-{number}-{place}")
            else:
                os.unlink(entry.path)
        os.rmdir(inner)
