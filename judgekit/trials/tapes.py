"""Which cassette an attempt records or plays, and how cassettes are changed beforehand."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Literal, NamedTuple

from judgekit.errors import InputError
from judgekit.trials.cassette import (
    KINDS_VARIABLE,
    MODE_VARIABLE,
    PATH_VARIABLE,
    cassette_line,
    read_cassette,
)
from judgekit.trials.perturb import Perturbation, perturb

TapeMode = Literal["record", "replay", "auto", "play"]


class Tapes(NamedTuple):
    """The cassettes of a side: one file an attempt in `folder`.

    `first_only`: every trial of a case plays the cassette of its first trial, so that tools answer
    alike. `kinds` are the kinds of call that are played.
    """

    folder: Path
    mode: TapeMode
    first_only: bool = False
    kinds: tuple[str, ...] = ("tool", "model")

    def variables(self, case_id: str, number: int) -> dict[str, str]:
        """Return the environment that tells the agent's process which cassette to use.

        Raises:
            InputError: it is to be played and is not there.
        """
        path = tape_path(self.folder, case_id, 0 if self.first_only else number)
        if self.mode == "replay" and not path.is_file():
            raise InputError(
                f"there is no cassette of case {case_id!r} trial {number}",
                where=str(path),
                mend="judgekit repeat --cassettes record",
            )
        if self.mode in ("auto", "play") and not path.is_file():
            return {}
        return {
            PATH_VARIABLE: str(path.resolve()),
            MODE_VARIABLE: self.mode,
            KINDS_VARIABLE: ",".join(self.kinds),
        }


def tape_path(folder: Path, case_id: str, number: int) -> Path:
    """Return the file of an attempt: the case's name where it is a plain one, with a hash."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", case_id)[:60]
    mark = hashlib.sha256(case_id.encode("utf-8", "replace")).hexdigest()[:8]
    return folder / f"{plain}-{mark}-{number}.jsonl"


def perturbed_tapes(tapes: Tapes, change: Perturbation, into: Path) -> Tapes:
    """Write every cassette of a folder with one tool's results changed, and return where.

    Cassettes that hold no call of the tool are copied as they are.

    Raises:
        InputError: there is no cassette, or none holds a call of the tool.
    """
    found = sorted(tapes.folder.glob("*.jsonl"))
    into.mkdir(parents=True, exist_ok=True)
    changed = 0
    for path in found:
        calls = read_cassette(path)
        if any(call.name == change.tool for call in calls):
            calls = perturb(calls, change)
            changed += 1
        (into / path.name).write_bytes(b"".join(cassette_line(call) for call in calls))
    if not changed:
        raise InputError(
            f"no cassette holds a call of {change.tool!r}",
            where=str(tapes.folder),
            found=f"{len(found)} cassettes",
            mend="judgekit repeat --cassettes record",
        )
    return tapes._replace(folder=into, mode="play")
