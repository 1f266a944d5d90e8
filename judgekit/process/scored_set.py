"""One configuration: its trials priced and scored, with its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from judgekit.model.agent import TrialSet
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import ToolCall, Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.cost_report import Prices, cost_report, priced
from judgekit.process.differences import Answered
from judgekit.process.process_records import Configuration
from judgekit.process.reliability import latency_report, tool_reliability
from judgekit.process.repeat_report import repeat_report
from judgekit.process.score_report import score_report
from judgekit.scorers.trial_scoring import correctness, score_trials


class RecordedSet(NamedTuple):
    """One configuration as it is read: its name, file, cases, trials and what it was made with.

    The trials are gone through once.
    """

    name: str
    file_hash: str
    cases: tuple[Case, ...]
    trials: Iterable[Trial]
    made_of: TrialSet | None = None


class ScoredSet(NamedTuple):
    """A configuration with the scores of its trials, which are kept without what was said."""

    recorded: RecordedSet
    trials: tuple[Trial, ...]
    scores: tuple[TrialScore, ...]
    answers: tuple[bool | None, ...]
    configuration: Configuration

    @property
    def name(self) -> str:
        """Return the name of the configuration."""
        return self.recorded.name

    @property
    def groups(self) -> dict[str, str]:
        """Return the cluster key of each case."""
        return {score.case_id: score.group for score in self.scores}

    def answered(self) -> Answered:
        """Return which trials are correct; what is not known is not, as in pass@1.

        Cases of which nothing is expected are left out.
        """
        unchecked = set(self.configuration.repeat.unchecked)
        return Answered(
            {
                score.key: answer is True
                for score, answer in zip(self.scores, self.answers, strict=True)
                if score.case_id not in unchecked
            },
            self.groups,
        )


def score_set(one: RecordedSet, rules: ScoringRules, prices: Prices) -> ScoredSet:
    """Return a configuration with its trials priced and scored.

    Raises:
        InputError: there is no trial, or one is of a case that is not there.
    """
    paid = _Paid(one.trials, prices)
    scores = score_trials(one.cases, paid, rules, of=one.name)
    trials = tuple(paid.kept)
    answers = correctness(scores, rules).answers
    groups = [score.group for score in scores]
    configuration = Configuration(
        name=one.name,
        file_hash=one.file_hash,
        score=score_report(one.cases, scores, rules),
        repeat=repeat_report(one.name, one.cases, trials, scores, rules, made_of=one.made_of),
        cost=cost_report(trials, answers, groups, n_understated=paid.raised),
        tools=tool_reliability(trials, groups),
        latency=latency_report(trials),
    )
    return ScoredSet(one, trials, scores, answers, configuration)


class _Paid:
    """Trials with their prices, one by one; keeps what the figures need of each."""

    def __init__(self, trials: Iterable[Trial], prices: Prices) -> None:
        self._trials = trials
        self._prices = prices
        self._calls: dict[tuple[str, str | None, str | None, float | None], ToolCall] = {}
        self._finals: dict[str, dict[str, Any] | None] = {}
        self.kept: list[Trial] = []
        self.raised = 0

    def __iter__(self) -> Iterator[Trial]:
        for trial in self._trials:
            paid = priced(trial, self._prices)
            self.raised += trial.cost_usd is not None and paid.cost_usd != trial.cost_usd
            self.kept.append(self._without_texts(paid))
            yield paid

    def _without_texts(self, trial: Trial) -> Trial:
        """Return a trial without messages, arguments, results, states and spans, its bulk."""
        less: dict[str, Any] = {
            "messages": (),
            "tool_calls": tuple(self._bare(call) for call in trial.calls),
            "final": self._finals.setdefault(repr(trial.final), trial.final),
            "state": None,
            "state_before": None,
            "spans": None if trial.spans is None else (),
        }
        return Trial.model_construct(_ALL, **{**dict(trial), **less})

    def _bare(self, call: ToolCall) -> ToolCall:
        """Return a call as name, error, step and time; equal ones are the same object."""
        key = (call.name, call.error, call.step, call.latency_s)
        if key not in self._calls:
            self._calls[key] = ToolCall.model_construct(
                name=call.name, error=call.error, step=call.step, latency_s=call.latency_s
            )
        return self._calls[key]


_ALL = set(Trial.model_fields)
