"""trials.jsonl: recorded trials, one a line, appended as each ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from judgekit.errors import InputError
from judgekit.model.trial import Trial, TrialKey
from judgekit.store.files import unreadable
from judgekit.store.formats.problems import Refusal, misfit, refusal_error
from judgekit.store.formats.rows import holds_texts, scan_rows


class TrialsFile:
    """The trials of a file, read one by one each time they are asked for; none is kept.

    Each names its case and its number. Raises, while it is read:
        InputError: a line is refused, or a case has two trials of one number; says file, line,
            field, what was found and what was expected. Or the file changed since it was first
            read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unchanged = Unchanged(path)

    def __iter__(self) -> Iterator[Trial]:
        """Yield the trials in the order of the file; after a refused line only what is refused."""
        self._unchanged.check()
        refused: list[Refusal] = []
        places: dict[TrialKey, int] = {}
        for line, entry in _entries(self._path):
            if isinstance(entry, Refusal):
                refused.append(entry)
            elif entry.key in places:
                refused.append(_twice(line, entry.key, places[entry.key]))
            else:
                places[entry.key] = line
                if not refused:
                    yield entry
        path = self._path
        if refused:
            raise refusal_error(path.name, str(path), refused)
        if not places:
            raise InputError(
                f"{path.name!r} holds no trial", where=str(path), expected="one a line"
            )


class Unchanged:
    """Refuses to go on with a file that is not what it was when it was first checked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first: tuple[int, int] | None = None

    def check(self) -> None:
        """Raise InputError where the size or the time of the file is another than at first."""
        now = _stamp(self._path)
        self._first = self._first or now
        if now != self._first:
            raise InputError(
                f"{self._path.name!r} changed while it was read",
                where=str(self._path),
                mend="run it again when nothing writes to the file",
            )


def read_trials(path: Path) -> tuple[Trial, ...]:
    """Return the trials of a file in its order; each names its case and its number.

    Raises:
        InputError: a line is refused, or a case has two trials of one number.
    """
    return tuple(TrialsFile(path))


def iter_trials(path: Path) -> Iterator[Trial]:
    """Yield the trials of a file one by one, without looking for the same one twice.

    Raises:
        InputError: a line is refused.
    """
    for _, entry in _entries(path):
        if isinstance(entry, Refusal):
            raise refusal_error(path.name, str(path), [entry])
        yield entry


def place_of_case(path: Path, case_id: str) -> str:
    """Return file and line of the first trial of a case; only the file where none names it."""
    for entry in scan_rows(path):
        if not isinstance(entry, Refusal) and entry[1].get("case_id") == case_id:
            return f"{path}:{entry[0]}"
    return str(path)


def _entries(path: Path) -> Iterator[tuple[int, Trial | Refusal]]:
    texts = holds_texts(path)
    for entry in scan_rows(path):
        if isinstance(entry, Refusal):
            yield entry.line, entry
        else:
            yield entry[0], _trial(*entry, texts=texts)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return found.st_size, found.st_mtime_ns


def _trial(line: int, row: dict[str, object], *, texts: bool) -> Trial | Refusal:
    try:
        trial = Trial.model_validate(row, strict=False if texts else None)
    except ValidationError as error:
        return misfit(line, error, row, Trial)
    if not trial.case_id:
        return Refusal(
            line=line,
            field="case_id",
            found="none",
            expected="the case that the trial is of (foreign files: --mapping)",
        )
    return trial


def _twice(line: int, key: TrialKey, first: int) -> Refusal:
    return Refusal(
        line=line,
        field="number",
        found=f"trial {key[1]} of case {key[0]!r} again",
        expected=f"each once; it is on line {first}",
    )
