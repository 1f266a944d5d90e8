"""trials.jsonl: recorded trials, one a line, appended as each ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from judgekit.errors import InputError
from judgekit.model.trial import Trial, TrialKey
from judgekit.store.formats.problems import Refusal, misfit, refusal_error
from judgekit.store.formats.rows import scan_rows


def read_trials(path: Path) -> tuple[Trial, ...]:
    """Return the trials of a file in its order; each names its case and its number.

    Raises:
        InputError: a line is refused, or a case has two trials of one number; says file, line,
            field, what was found and what was expected.
    """
    trials: list[Trial] = []
    refused: list[Refusal] = []
    places: dict[TrialKey, int] = {}
    for entry in scan_rows(path):
        trial = entry if isinstance(entry, Refusal) else _trial(*entry)
        if isinstance(trial, Refusal):
            refused.append(trial)
            continue
        line = entry[0] if isinstance(entry, tuple) else 0
        if trial.key in places:
            refused.append(_twice(line, trial.key, places[trial.key]))
        else:
            places[trial.key] = line
            trials.append(trial)
    if refused:
        raise refusal_error(path.name, str(path), refused)
    if not trials:
        raise InputError(f"{path.name!r} holds no trial", where=str(path), expected="one a line")
    return tuple(trials)


def iter_trials(path: Path) -> Iterator[Trial]:
    """Yield the trials of a file one by one, without looking for the same one twice.

    Raises:
        InputError: a line is refused.
    """
    for entry in scan_rows(path):
        trial = entry if isinstance(entry, Refusal) else _trial(*entry)
        if isinstance(trial, Refusal):
            raise refusal_error(path.name, str(path), [trial])
        yield trial


def _trial(line: int, row: dict[str, object]) -> Trial | Refusal:
    try:
        trial = Trial.model_validate(row)
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
