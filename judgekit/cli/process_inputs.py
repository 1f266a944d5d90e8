"""What `judgekit process` reads: one file of trials a configuration, prices, and verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.model.scoring import ScoringRules
    from judgekit.model.verdict import Usage
    from judgekit.process.cost_report import Price
    from judgekit.process.process_records import Advisory, ProcessReport
    from judgekit.process.regression_records import Regression
    from judgekit.process.scored_set import RecordedSet
    from judgekit.store.workspace import PriceSettings


class ProcessInputs:
    """The configurations, the baseline and the prices; trials are scored once."""

    def __init__(
        self,
        recorded: Sequence[RecordedSet],
        baseline: RecordedSet | None,
        rules: ScoringRules,
        overrides: dict[str, PriceSettings],
        verdicts: Sequence[Path],
    ) -> None:
        from judgekit.process.scored_set import score_set

        self._overrides = overrides
        self._prices: dict[tuple[str, str], Price | None] = {}
        self.sets = [score_set(one, rules, self.prices) for one in recorded]
        self.baseline = None if baseline is None else score_set(baseline, rules, self.prices)
        self.verdicts = tuple(verdicts)

    def report(self, margin: float) -> ProcessReport:
        """Return the report over the configurations; a baseline is one of them, the last."""
        from judgekit.process.process_report import process_report

        both = [*self.sets, *([] if self.baseline is None else [self.baseline])]
        judged = [one for path in self.verdicts for one in self._advisory(path)]
        return process_report(both, self.prices, margin=margin, advisory=judged)

    def decided(self) -> bool:
        """Tell whether any trial was found right or wrong: else nothing was evaluated."""
        return any(answer is not None for one in self.sets for answer in one.answers)

    def gates(
        self,
        declared: tuple[str, ...],
        margin: float,
        ratio_margin: float,
        without: tuple[str, ...],
    ) -> tuple[Regression, ...]:
        """Return the gate of each configuration against the baseline; none without one.

        Raises:
            UsageError: two differ in something that was not declared, or an option needs a
                baseline.
        """
        from judgekit.process.regression import regression

        if self.baseline is None:
            if declared or without:
                raise UsageError(f"--{'changed' if declared else 'without'} needs --baseline")
            return ()
        return tuple(
            regression(
                one, self.baseline, declared=declared, margin=margin, ratio_margin=ratio_margin,
                without=without,
            )
            for one in self.sets
        )  # fmt: skip

    def prices(self, model: str, provider: str) -> Callable[[Usage], float | None] | None:
        """Return the price of a model, judgekit.yaml's own before the table's; looked up once."""
        from judgekit.providers.prices import price_of

        key = (model, provider)
        if key not in self._prices:
            self._prices[key] = price_of(model, provider, self._overrides)
        return self._prices[key]

    def _advisory(self, path: Path) -> list[Advisory]:
        from judgekit.process.advisory import advisory
        from judgekit.store.recorded import read_verdicts

        models = {
            call.model
            for one in self.sets
            for trial in one.trials
            for call in trial.model_calls or ()
            if call.model
        }
        groups = {case: group for one in self.sets for case, group in one.groups.items()}
        found = read_verdicts(path).verdicts
        return [advisory(judge, said, sorted(models), groups) for judge, said in found.items()]


class ProcessOptions(NamedTuple):
    """The options that say what `judgekit process` reads, as given."""

    trials: Sequence[str]
    items: Path | None
    mapping: Path | None
    goldens: Path | None
    dataset: str | None
    workspace: Path | None
    rules: str | None
    baseline: str | None
    advisory: Sequence[Path]


def read_process(options: ProcessOptions) -> ProcessInputs:
    """Return what the options name.

    Raises:
        UsageError: there are no trials, or two configurations of one name.
        InputError: a file cannot be used.
    """
    if not options.trials:
        raise UsageError(
            "there are no trials",
            expected="--trials FILE (judgekit repeat says where it wrote one; several compare)",
        )
    baseline = options.baseline
    _distinct([*options.trials, *([] if baseline is None else [baseline])])
    found = [_recorded(options, text) for text in options.trials]
    older = None if baseline is None else _recorded(options, baseline)[0]
    return ProcessInputs(
        [one for one, _ in found],
        older,
        found[0][1],
        _overrides(options.workspace),
        options.advisory,
    )


def _recorded(options: ProcessOptions, text: str) -> tuple[RecordedSet, ScoringRules]:
    """Return the trials of one configuration, and the rules that they are scored by."""
    from judgekit.cli.score_inputs import ScoreOptions, read_scored
    from judgekit.process.scored_set import RecordedSet
    from judgekit.store.files import file_hash
    from judgekit.store.trial_journal import read_trial_set

    name, path = _named(text)
    asked = ScoreOptions(
        path, options.items, options.mapping, options.goldens, options.dataset,
        options.workspace, options.rules, case=None,
    )  # fmt: skip
    got = read_scored(asked)
    made_of = read_trial_set(path)
    return RecordedSet(name, file_hash(path), got.cases, got.trials, made_of), got.rules


def keep_read(html: Path | None, options: ProcessOptions) -> None:
    """Raise UsageError where the page would be written over a file that an option names."""
    from judgekit.cli.result_files import keep_inputs

    texts = [*options.trials, *([] if options.baseline is None else [options.baseline])]
    rules = None if options.rules is None else Path(options.rules)
    others = [options.items, options.mapping, options.goldens, rules, *options.advisory]
    keep_inputs([html], [*(_named(text)[1] for text in texts), *others])


def check_margins(margin: float, ratio_margin: float) -> None:
    """Raise UsageError where a margin cannot be one."""
    if not (math.isfinite(margin) and 0 <= margin < 1):
        raise UsageError("--margin is no share", found=f"{margin:g}", expected="from 0 to below 1")
    if not (math.isfinite(ratio_margin) and ratio_margin >= 0):
        raise UsageError(
            "--ratio-margin is no growth", found=f"{ratio_margin:g}", expected="0 or more (0.1)"
        )


def _distinct(texts: Sequence[str]) -> None:
    names = [_named(text)[0] for text in texts]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(
            f"two configurations are named {twice[0]!r}",
            expected="a name of its own for each",
            mend="name them: --trials NAME=FILE, --baseline NAME=FILE",
        )


def _named(text: str) -> tuple[str, Path]:
    """Return the name and the path of NAME=FILE, or of FILE (its name without the ending)."""
    name, given, rest = text.partition("=")
    if given and name and not Path(text).exists():
        return name, Path(rest)
    path = Path(text)
    return path.name.removesuffix(".jsonl").removesuffix(".trials"), path


def _overrides(workspace: Path | None) -> dict[str, PriceSettings]:
    from judgekit.store.workspace import workspace_if_any

    place = workspace_if_any(workspace)
    return {} if place is None else place.settings.prices
