"""goldens.jsonl: the reviewed cases of a dataset, one a line, in the order of their ids."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from judgekit.errors import InputError, StoreFailed
from judgekit.model.case import Case
from judgekit.model.golden import Golden
from judgekit.store.files import atomic_write
from judgekit.store.formats.problems import Refusal, misfit, refusal_error
from judgekit.store.formats.rows import scan_rows
from judgekit.store.locks import open_locked_folder

GOLDENS_FILE = "goldens.jsonl"


def goldens_path(folder: Path) -> Path:
    """Return the path of the goldens of a dataset folder."""
    return folder / GOLDENS_FILE


def read_cases(path: Path) -> tuple[Case, ...]:
    """Return the cases of a goldens file, as scorers take them.

    Raises:
        InputError: the file cannot be used, or holds no golden.
    """
    found = tuple(Case.of(golden) for golden in read_goldens(path))
    if not found:
        raise InputError(f"{path.name!r} holds no golden", where=str(path))
    return found


def read_goldens(path: Path) -> tuple[Golden, ...]:
    """Return the goldens of a file, in its order.

    Raises:
        InputError: the file is not there, or a line is refused; says file, line, field, what was
            found and what was expected.
    """
    goldens: list[Golden] = []
    refused: list[Refusal] = []
    lines: dict[str, int] = {}
    for entry in scan_rows(path):
        golden = entry if isinstance(entry, Refusal) else _golden(*entry)
        if isinstance(golden, Refusal):
            refused.append(golden)
        elif golden.id in lines:
            refused.append(_twice(entry[0] if isinstance(entry, tuple) else 0, golden.id, lines))
        else:
            lines[golden.id] = entry[0] if isinstance(entry, tuple) else 0
            goldens.append(golden)
    if refused:
        raise refusal_error(path.name, str(path), refused)
    return tuple(goldens)


def dataset_goldens(folder: Path) -> tuple[Golden, ...]:
    """Return the goldens of a dataset folder; none where it has no goldens.jsonl.

    Raises:
        InputError: a line is refused.
    """
    path = goldens_path(folder)
    return read_goldens(path) if path.exists() else ()


def goldens_text(goldens: Iterable[Golden]) -> str:
    """Return the text of the file: lines by id, keys sorted, defaults left out.

    The same goldens give the same bytes, and one case changed is one line changed.
    """
    ordered = sorted(goldens, key=lambda golden: golden.id)
    return "".join(
        json.dumps(golden.as_line(), ensure_ascii=False, sort_keys=True) + "\n"
        for golden in ordered
    )


def write_goldens(path: Path, goldens: Iterable[Golden]) -> None:
    """Replace the file, wholly or not at all.

    Raises:
        StoreFailed: it cannot be written; the old content stands.
    """
    atomic_write(path, goldens_text(goldens).encode("utf-8"))


def update_goldens(
    folder: Path, change: Callable[[tuple[Golden, ...]], Iterable[Golden]]
) -> tuple[Golden, ...]:
    """Rewrite the goldens of a dataset folder through `change`, one writer at a time.

    The file is left untouched when its content would be the same.

    Raises:
        InputError: a line of the file is refused; nothing is written.
        StoreFailed: the folder or the file cannot be written; the old content stands.
    """
    with _one_writer(folder):
        before = dataset_goldens(folder)
        after = tuple(sorted(change(before), key=lambda golden: golden.id))
        if not goldens_path(folder).exists() or goldens_text(before) != goldens_text(after):
            write_goldens(goldens_path(folder), after)
    return after


@contextmanager
def _one_writer(folder: Path) -> Iterator[None]:
    """Hold the folder itself: the file is replaced whole, a lock on it would not hold."""
    try:
        fd = open_locked_folder(folder)
    except OSError as error:
        raise StoreFailed(
            f"the dataset folder {folder.name!r} cannot be opened",
            where=str(folder),
            found=error.strerror,
        ) from error
    try:
        yield
    finally:
        os.close(fd)


def _golden(line: int, row: dict[str, object]) -> Golden | Refusal:
    try:
        return Golden.model_validate(row)
    except ValidationError as error:
        return misfit(line, error, row, Golden)


def _twice(line: int, golden_id: str, lines: dict[str, int]) -> Refusal:
    return Refusal(
        line=line,
        field="id",
        found=f"{golden_id!r}, which line {lines[golden_id]} has too",
        expected="each id once",
    )
