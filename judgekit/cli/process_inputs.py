"""What `judgekit process` reads: one file of trials a configuration, prices, and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.model.scoring import ScoringRules
    from judgekit.model.verdict import Usage
    from judgekit.process.process_records import Advisory, ProcessReport
    from judgekit.process.process_report import Measured
    from judgekit.process.regression_records import Regression
    from judgekit.store.workspace import PriceSettings


class ProcessInputs:
    """The configurations, the baseline and the prices."""

    def __init__(
        self,
        measured: Sequence[Measured],
        baseline: Measured | None,
        rules: ScoringRules,
        overrides: dict[str, PriceSettings],
        verdicts: Sequence[Path],
    ) -> None:
        self.measured = tuple(measured)
        self.baseline = baseline
        self.rules = rules
        self.overrides = overrides
        self.verdicts = tuple(verdicts)

    def report(self, margin: float) -> ProcessReport:
        """Return the report over the configurations; a baseline is one of them, the last."""
        from judgekit.process.process_report import process_report

        both = self.measured if self.baseline is None else (*self.measured, self.baseline)
        judged = [one for path in self.verdicts for one in self._advisory(path)]
        return process_report(both, self.rules, self.prices, margin=margin, advisory=judged)

    def gate(
        self, declared: tuple[str, ...], margin: float, ratio_margin: float
    ) -> Regression | None:
        """Return the gate of the first configuration against the baseline; None without one.

        Raises:
            UsageError: the two differ in something that was not declared.
        """
        from judgekit.process.process_report import work
        from judgekit.process.regression import regression

        if self.baseline is None:
            if declared:
                raise UsageError("--changed needs --baseline")
            return None
        candidate = work(self.measured[0], self.rules, self.prices)
        baseline = work(self.baseline, self.rules, self.prices)
        return regression(
            candidate, baseline, declared=declared, margin=margin, ratio_margin=ratio_margin
        )

    def prices(self, model: str, provider: str) -> Callable[[Usage], float | None] | None:
        """Return the price of a model, judgekit.yaml's own before the table's."""
        from judgekit.providers.prices import price_of

        return price_of(model, provider, self.overrides)

    def _advisory(self, path: Path) -> list[Advisory]:
        from judgekit.process.advisory import advisory
        from judgekit.store.recorded import read_verdicts

        models = {
            call.model
            for one in self.measured
            for trial in one.trials
            for call in trial.model_calls or ()
            if call.model
        }
        found = read_verdicts(path).verdicts
        return [advisory(judge, said, sorted(models)) for judge, said in found.items()]


def read_process(
    trials: Sequence[str],
    *,
    items: Path | None,
    mapping: Path | None,
    goldens: Path | None,
    dataset: str | None,
    workspace: Path | None,
    rules: str | None,
    baseline: str | None,
    advisory: Sequence[Path],
) -> ProcessInputs:
    """Return what the options name.

    Raises:
        UsageError: no trials, or two configurations of one name.
        InputError: a file cannot be used.
    """
    from judgekit.cli.score_inputs import read_scored

    if not trials:
        raise UsageError("there are no trials", expected="--trials FILE (several compare)")

    def measured(text: str) -> tuple[Measured, ScoringRules]:
        from judgekit.process.process_report import Measured
        from judgekit.store.files import file_hash
        from judgekit.store.trial_journal import read_trial_set

        name, path = _named(text)
        scored = read_scored(
            trials=path, items=items, mapping=mapping, goldens=goldens, dataset=dataset,
            workspace=workspace, rules=rules, case=None,
        )  # fmt: skip
        return Measured(
            name, file_hash(path), scored.cases, scored.trials, read_trial_set(path)
        ), scored.rules

    found = [measured(text) for text in trials]
    older = None if baseline is None else measured(baseline)[0]
    return ProcessInputs(
        [one for one, _ in found], older, found[0][1], _overrides(workspace), advisory
    )


def _named(text: str) -> tuple[str, Path]:
    """Return the name and the path of NAME=FILE, or of FILE (its name without the ending)."""
    name, given, rest = text.partition("=")
    path = Path(rest if given and not Path(text).exists() else text)
    if given and not Path(text).exists():
        return name, path
    return path.name.removesuffix(".jsonl").removesuffix(".trials"), path


def _overrides(workspace: Path | None) -> dict[str, PriceSettings]:
    from judgekit.store.workspace import find_workspace

    try:
        return find_workspace(workspace).settings.prices
    except InputError:
        if workspace is not None:
            raise
        return {}
