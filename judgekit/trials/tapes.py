"""Which cassette an attempt records or plays, and how cassettes are changed beforehand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from judgekit.errors import InputError, StoreFailed
from judgekit.model.canonical import bytes_hash, content_hash
from judgekit.store.files import atomic_write
from judgekit.trials.cassette import KINDS_VARIABLE, MODE_VARIABLE, PATH_VARIABLE
from judgekit.trials.cassette_file import cassette_line, read_cassette
from judgekit.trials.perturb import Perturbation, perturb

TapeMode = Literal["record", "replay", "auto", "play"]


class Tapes(NamedTuple):
    """The cassettes of a side: one file an attempt in `folder`.

    `first_only`: every trial of a case plays the first cassette that the case has, so that tools
    answer alike; in mode `play` so does a trial that has none of its own. `kinds` are the kinds of
    call that are played.
    """

    folder: Path
    mode: TapeMode
    first_only: bool = False
    kinds: tuple[str, ...] = ("tool", "model")

    def variables(self, case_id: str, number: int) -> dict[str, str]:
        """Return the environment that tells the agent's process which cassette to use.

        Recording starts the attempt's file anew, so that a file holds one attempt.

        Raises:
            InputError: it is to be played and is not there.
            StoreFailed: it cannot be made.
        """
        path = tape_path(self.folder, case_id, number)
        if self.mode == "record":
            atomic_write(path, b"")
        elif self.mode != "auto":
            path = self.held(case_id, number)
        return {
            PATH_VARIABLE: str(path.resolve()),
            MODE_VARIABLE: self.mode,
            KINDS_VARIABLE: ",".join(self.kinds),
        }

    def held(self, case_id: str, number: int) -> Path:
        """Return the cassette that an attempt plays.

        Raises:
            InputError: there is none.
        """
        path = tape_path(self.folder, case_id, number)
        if self.first_only or (self.mode == "play" and not path.is_file()):
            path = first_tape(self.folder, case_id) or path
        if not path.is_file():
            raise InputError(
                f"there is no cassette of case {case_id!r} trial {number}",
                where=str(path),
                mend="judgekit repeat --cassettes record (finished trials are not recorded again: "
                "give another --out)",
            )
        return path

    def content_hash(self, case_ids: Iterable[str]) -> str:
        """Return a hash over the cassettes of these cases: what a played trial was made with."""
        marks = {one: _stem(one) for one in case_ids}
        return content_hash(
            {
                path.name: bytes_hash(path.read_bytes())
                for mark in marks.values()
                for path in sorted(self.folder.glob(f"{mark}-*.jsonl"))
            }
        )


def tape_path(folder: Path, case_id: str, number: int) -> Path:
    """Return the file of an attempt: the case's name where it is a plain one, with a hash."""
    return folder / f"{_stem(case_id)}-{number}.jsonl"


def first_tape(folder: Path, case_id: str) -> Path | None:
    """Return the cassette of the case's first recorded trial; None where it has none."""
    numbers = [
        int(path.stem.rpartition("-")[2])
        for path in folder.glob(f"{_stem(case_id)}-*.jsonl")
        if path.stem.rpartition("-")[2].isdecimal()
    ]
    return tape_path(folder, case_id, min(numbers)) if numbers else None


def perturbed_tapes(tapes: Tapes, change: Perturbation, into: Path) -> Tapes:
    """Write the changed calls of every cassette of a folder, and return where.

    A cassette in which nothing changes becomes an empty one: that attempt never meets the change.

    Raises:
        InputError: there is no cassette, or in none does the change alter a result.
        StoreFailed: the folder cannot be written.
    """
    found = sorted(tapes.folder.glob("*.jsonl"))
    changed: dict[str, bytes] = {}
    called = 0
    for path in found:
        calls = read_cassette(path)
        has = any((call.kind, call.name) == ("tool", change.tool) for call in calls)
        called += has
        lines = [cassette_line(call) for call in (perturb(calls, change) if has else ())]
        changed[path.name] = b"".join(lines)
    if not any(changed.values()):
        what = f"in none does {change.how!r} alter one" if called else "none holds a call of it"
        raise InputError(
            f"the results of {change.tool!r} cannot be changed",
            where=str(tapes.folder),
            found=f"{len(found)} cassettes; {what}",
            mend=None if called else "judgekit repeat --cassettes record",
        )
    _write_all(into, changed)
    return tapes._replace(folder=into, mode="play")


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    try:
        for stale in folder.glob("*.jsonl"):
            stale.unlink()
    except OSError as error:
        raise StoreFailed("a cassette cannot be replaced", where=str(folder)) from error
    for name, data in files.items():
        atomic_write(folder / name, data)


def _stem(case_id: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", case_id)[:60]
    return f"{plain}-{hashlib.sha256(case_id.encode('utf-8', 'replace')).hexdigest()[:8]}"
