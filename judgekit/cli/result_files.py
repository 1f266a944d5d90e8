"""Where a result may be written: never over what it is made from, or what nobody can remake."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from judgekit.errors import StoreFailed, UsageError

_NAMES = frozenset(
    {"judges.lock", "items.jsonl", "labels.jsonl", "goldens.jsonl", "looks.jsonl"}
)  # fmt: skip
_ENDINGS = (".trials.jsonl", ".set.json", ".yaml", ".yml", ".py")


def keep_inputs(written: Sequence[Path | None], read: Sequence[Path | None]) -> None:
    """Refuse to write a result over what it is made from, over a file that a workspace keeps, or
    two results to one file.

    Raises:
        UsageError: a file to be written is also read or written by another option, or it is there
            already and holds rules, settings, code, trials, items, labels or goldens.
    """
    wanted = [path for path in written if path is not None]
    taken = {os.path.realpath(path) for path in read if path is not None} if wanted else set()
    for path in wanted:
        place = os.path.realpath(path)
        if place in taken:
            raise UsageError(
                "a result would be written over a file that another option names",
                found=str(path),
                expected="a file of its own",
            )
        if _is_kept(Path(place)):
            raise UsageError(
                "a result would be written over a file that no command can make again",
                found=str(path),
                expected="a file of its own",
                mend="name another file; where this one is not needed any more, delete it first",
            )
        taken.add(place)


def check_places(written: Sequence[Path | None]) -> None:
    """Refuse a place that cannot be written before anything is worked out, or written to another.

    Raises:
        UsageError: a file to be written is a folder.
        StoreFailed: it is a device or pipe, or the folder for it cannot be written.
    """
    for path in (path for path in written if path is not None):
        place = Path(os.path.realpath(path))
        if place.is_dir():
            raise UsageError(
                "a result cannot be written over a folder", found=str(path), expected="a file"
            )
        folder = next((one for one in place.parents if one.exists()), place.parent)
        if (place.exists() and not place.is_file()) or not _takes_files(folder):
            raise StoreFailed(
                f"{path.name or str(path)!r} cannot be written",
                where=str(path),
                expected="a file, in a folder that is writable",
            )


def _takes_files(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _is_kept(path: Path) -> bool:
    return path.is_file() and (path.name in _NAMES or path.name.endswith(_ENDINGS))
