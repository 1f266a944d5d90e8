"""What `judgekit score` and `judgekit process` read: cases, trials and rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.model.case import Case
    from judgekit.model.scoring import ScoringRules
    from judgekit.model.trial import Trial
    from judgekit.model.trial_score import TrialScore
    from judgekit.store.workspace import Workspace


class Scored:
    """Cases, trials and rules, and the score of each trial."""

    def __init__(
        self,
        cases: Sequence[Case],
        trials: Iterable[Trial],
        rules: ScoringRules,
        root: Path,
        *,
        file: Path,
    ) -> None:
        self.root = root
        self.file = file
        self.cases = tuple(cases)
        self.trials = trials
        """Read again from the file each time: a set of trials may be larger than the memory."""
        self.rules = rules

    def scores(self) -> tuple[TrialScore, ...]:
        """Return the scores in the order of the trials.

        Raises:
            InputError: a trial is of a case that is not there; says its file and line.
        """
        from judgekit.scorers.trial_scoring import score_trials
        from judgekit.store.trials_file import place_of_case

        place_of = partial(place_of_case, self.file)
        return score_trials(self.cases, self.trials, self.rules, place_of=place_of)


class _OfCase:
    """The trials of one case; InputError, after the last of the file, where there is none."""

    def __init__(self, case: str, trials: Iterable[Trial], path: Path) -> None:
        self._case = case
        self._trials = trials
        self._path = path

    def __iter__(self) -> Iterator[Trial]:
        tried: set[str] = set()
        for trial in self._trials:
            tried.add(trial.case_id or "")
            if trial.case_id == self._case:
                yield trial
        if self._case not in tried:
            raise InputError(
                f"there is no trial of a case {self._case!r}",
                where=str(self._path),
                expected=f"one of {len(tried)} cases",
                mend=_nearest(self._case, tried),
            )


class ScoreOptions(NamedTuple):
    """The options that say which trials are scored, and by what, as given."""

    trials: Path | None
    items: Path | None
    mapping: Path | None
    goldens: Path | None
    dataset: str | None
    workspace: Path | None
    rules: str | None
    case: str | None


def read_scored(options: ScoreOptions) -> Scored:
    """Return what is to be scored.

    Raises:
        UsageError: the options do not fit together.
        InputError: a file cannot be used, or nothing is left to score.
    """
    from judgekit.scorers.rule_sources import with_sources
    from judgekit.store.scoring_rules import scoring_rules
    from judgekit.store.workspace import workspace_if_any

    place = workspace_if_any(options.workspace)
    if place is None and options.mapping is None and options.goldens is None:
        raise UsageError(
            "it is not known what is expected of the trials",
            where=str(Path.cwd()),
            found="no judgekit.yaml here or in a folder above",
            expected="a workspace with goldens (--workspace), --goldens FILE, or --mapping FILE",
        )
    root = None if place is None else place.root
    chosen = scoring_rules(root, options.rules)
    if options.trials is None:
        raise UsageError(
            "there are no trials to score",
            expected="--trials FILE (judgekit repeat says where it wrote one)",
        )
    cases, found = _read(options, options.trials, place)
    if options.case is not None:
        cases = tuple(one for one in cases if one.id == options.case)
        found = _OfCase(options.case, found, options.trials)
    base = root or Path.cwd()
    return Scored(cases, found, with_sources(chosen, cases, base), base, file=options.trials)


def golden_cases(path: Path) -> tuple[Case, ...]:
    """Return the cases of a goldens file.

    Raises:
        InputError: the file cannot be used, or holds no golden.
    """
    from judgekit.store.goldens_file import read_cases

    return read_cases(path)


def read_cases(
    goldens: Path | None, dataset: str | None, place: Workspace | None, case: str | None
) -> tuple[Case, ...]:
    """Return the cases of a goldens file or of a dataset; only one where `case` names it.

    Raises:
        InputError: there are none, or the file cannot be used.
    """
    found = _goldens(goldens, dataset, place)
    kept = tuple(one for one in found if case is None or one.id == case)
    if not kept:
        near = None if case is None else _nearest(case, [one.id for one in found])
        raise InputError(
            f"there is no case {case!r}", expected=f"one of {len(found)} cases", mend=near
        )
    return kept


def _nearest(name: str, known: Iterable[str]) -> str | None:
    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else None


def _read(
    options: ScoreOptions, trials: Path, place: Workspace | None
) -> tuple[tuple[Case, ...], Iterable[Trial]]:
    from judgekit.store.trials_file import TrialsFile

    goldens = options.goldens
    if options.mapping is not None:
        from judgekit.store.trial_mapping import ForeignFile, load_trial_mapping

        mapping = load_trial_mapping(options.mapping)
        foreign = ForeignFile(trials, mapping, items=options.items)
        return foreign.cases if goldens is None else golden_cases(goldens), foreign
    if options.items is not None:
        raise UsageError("--items needs --mapping: it says how trials and items join")
    return _goldens(goldens, options.dataset, place), TrialsFile(trials)


def _goldens(
    goldens: Path | None, dataset: str | None, place: Workspace | None
) -> tuple[Case, ...]:
    from judgekit.store.goldens_file import goldens_path

    if goldens is not None:
        return golden_cases(goldens)
    if place is None:
        raise UsageError("there are no goldens", expected="--goldens FILE, or a workspace")
    name = dataset or place.settings.dataset
    if name is None:
        raise UsageError("no dataset is named", expected="--dataset NAME or --goldens FILE")
    path = goldens_path(place.annotations_dir / name)
    if not path.is_file():
        raise InputError(
            f"the dataset {name!r} has no goldens",
            where=str(path),
            expected=path.name,
            mend="make some in the app (Goldens), or give --goldens FILE",
        )
    return golden_cases(path)
