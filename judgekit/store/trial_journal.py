"""The file that `repeat` writes: trials as they end, and beside it what they were made with."""

from __future__ import annotations

from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.agent import TrialSet
from judgekit.model.trial import Trial
from judgekit.store.files import atomic_write
from judgekit.store.formats.rows import parse_object
from judgekit.store.line_journal import LineJournal
from judgekit.store.trials_file import iter_trials


class TrialJournal(LineJournal):
    """Append trials of one configuration to one file; `<file>.set.json` says which it is.

    `finished` are the (case, number) pairs that the file holds.

    Raises:
        InputError: the file holds trials of another configuration; says what changed.
        StoreFailed: another process holds the file, or it cannot be opened.
    """

    def __init__(self, path: Path, made_of: TrialSet) -> None:
        super().__init__(path)
        try:
            self.finished = self._known(made_of)
            atomic_write(set_path(path), _encoded(made_of))
        except BaseException:
            self.close()
            raise

    def append(self, trial: Trial) -> None:
        """Write one trial with one system call.

        Raises:
            StoreFailed: the disk is full or the file cannot be written.
        """
        body = trial.in_utf8().model_dump_json(exclude_defaults=True)
        self.write(body.encode("utf-8") + b"\n")

    def _known(self, made_of: TrialSet) -> set[tuple[str, int]]:
        finished = set()
        for trial in iter_trials(self.path) if self.path.stat().st_size else ():
            if trial.configuration != made_of.configuration:
                raise _other(self.path, made_of)
            finished.add((trial.case_id or "", trial.number or 0))
        return finished


def set_path(trials: Path) -> Path:
    """Return the path of the record of what a file of trials was made with."""
    return trials.with_name(trials.name + ".set.json")


def read_trial_set(trials: Path) -> TrialSet | None:
    """Return what a file of trials was made with; None where there is no record of it.

    Raises:
        InputError: the record cannot be used.
    """
    path = set_path(trials)
    if not path.is_file():
        return None
    try:
        return TrialSet.model_validate(parse_object(path.read_text("utf-8")))
    except (ValueError, OSError) as error:
        raise InputError(
            f"{path.name!r} is no record of a set of trials",
            where=str(path),
            found=str(error)[:200],
        ) from error


def changed_components(before: TrialSet, after: TrialSet) -> tuple[str, ...]:
    """Return the names of the components that differ."""
    names = sorted({*before.components, *after.components})
    return tuple(
        name for name in names if before.components.get(name) != after.components.get(name)
    )


def _encoded(made_of: TrialSet) -> bytes:
    return (made_of.model_dump_json(by_alias=True, indent=1) + "\n").encode("utf-8")


def _other(path: Path, made_of: TrialSet) -> InputError:
    before = read_trial_set(path)
    changed = ", ".join(changed_components(before, made_of)) if before else "not recorded"
    return InputError(
        f"{path.name!r} holds trials of another configuration",
        where=str(path),
        found=f"changed: {changed}",
        expected="trials of one configuration in one file",
        mend="write to another file (--out)",
    )
