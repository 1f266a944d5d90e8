"""The file that `repeat` writes: trials as they end, and beside it what they were made with."""

from __future__ import annotations

from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.agent import TrialSet
from judgekit.model.trial import Ending, Trial, TrialKey
from judgekit.store.files import atomic_write
from judgekit.store.formats.rows import MAX_LINE_BYTES, parse_object
from judgekit.store.line_journal import LineJournal
from judgekit.store.trials_file import iter_trials


class TrialJournal(LineJournal):
    """Append trials of one configuration to one file; `<file>.set.json` says which it is.

    `endings` are the trials that the file holds, and how each ended.

    Raises:
        InputError: the file holds trials of another configuration; says what changed.
        StoreFailed: another process holds the file, or it cannot be opened.
    """

    def __init__(self, path: Path, made_of: TrialSet) -> None:
        super().__init__(path)
        try:
            self.endings = self._known(made_of)
            atomic_write(set_path(path), _encoded(_continued(read_trial_set(path), made_of)))
        except BaseException:
            self.close()
            raise

    def append(self, trial: Trial) -> Trial:
        """Write one trial with one system call and return it as written.

        One that cannot be kept (its line would be longer than a reader takes) is written without
        what the agent answered, as crashed.

        Raises:
            StoreFailed: the disk is full or the file cannot be written.
        """
        kept = trial.in_utf8()
        line = _line(kept)
        if len(line) > MAX_LINE_BYTES:
            kept = _without_answer(kept, len(line))
            line = _line(kept)
        self.write(line)
        self.endings[kept.key] = kept.ending or "finished"
        return kept

    def _known(self, made_of: TrialSet) -> dict[TrialKey, Ending]:
        found: dict[TrialKey, Ending] = {}
        for trial in iter_trials(self.path) if self.path.stat().st_size else ():
            if trial.configuration != made_of.configuration:
                raise _other(self.path, made_of)
            if trial.key in found:
                raise _twice(self.path, trial.key)
            found[trial.key] = trial.ending or "finished"
        return found


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
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(
            f"{path.name!r} is no record of a set of trials",
            where=str(path),
            found=str(error)[:200],
            mend="delete it (the trials stay usable; what they were made with is then not known)",
        ) from error


def changed_components(before: TrialSet, after: TrialSet) -> tuple[str, ...]:
    """Return the names of the components that differ.

    The commit counts only where one side's own source is not known.
    """
    names = {*before.components, *after.components}
    if before.components.get("source") and after.components.get("source"):
        names.discard("commit")
    return tuple(
        name for name in sorted(names) if before.components.get(name) != after.components.get(name)
    )


def _continued(before: TrialSet | None, made_of: TrialSet) -> TrialSet:
    """Return the record with the commits that earlier trials of the file were made at."""
    if before is None or before.configuration != made_of.configuration:
        return made_of
    commits = tuple(dict.fromkeys((*before.commits, *made_of.commits)))
    return made_of.model_copy(update={"commits": commits})


def _encoded(made_of: TrialSet) -> bytes:
    return (made_of.model_dump_json(by_alias=True, indent=1) + "\n").encode("utf-8")


def _line(trial: Trial) -> bytes:
    return trial.model_dump_json(exclude_defaults=True).encode("utf-8") + b"\n"


def _without_answer(trial: Trial, size: int) -> Trial:
    most = MAX_LINE_BYTES // 1024 // 1024
    names = ("case_id", "number", "latency_s", "started_at", "configuration", "cost_usd")
    return Trial(
        **{name: getattr(trial, name) for name in names},
        ending="crashed",
        error=f"the trial takes {size} bytes, more than {most} MiB, and was not kept",
    )


def _twice(path: Path, key: TrialKey) -> InputError:
    return InputError(
        f"{path.name!r} holds a trial twice, and nothing is tried until it is mended",
        where=str(path),
        found=f"trial {key[1]} of case {key[0]!r} again",
        expected="each once",
        mend="take out one of the two lines, or write to another folder (--out)",
    )


def _other(path: Path, made_of: TrialSet) -> InputError:
    before = read_trial_set(path)
    changed = ", ".join(changed_components(before, made_of)) if before else "not recorded"
    return InputError(
        f"{path.name!r} holds trials of another configuration",
        where=str(path),
        found=f"changed: {changed}",
        expected="trials of one configuration in one file",
        mend="write to another folder (--out)",
    )
