"""One configuration: its trials priced and scored, with its figures."""

from __future__ import annotations

from typing import NamedTuple

from judgekit.model.agent import TrialSet
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.cost_report import Prices, cost_report, priced
from judgekit.process.differences import Answered
from judgekit.process.process_records import Configuration
from judgekit.process.reliability import latency_report, tool_reliability
from judgekit.process.repeat_report import repeat_report
from judgekit.process.score_report import score_report
from judgekit.scorers.trial_scoring import correctness, score_trials


class RecordedSet(NamedTuple):
    """One configuration as it is read: its name, file, cases, trials and what it was made with."""

    name: str
    file_hash: str
    cases: tuple[Case, ...]
    trials: tuple[Trial, ...]
    made_of: TrialSet | None = None


class ScoredSet(NamedTuple):
    """A configuration with the scores of its trials."""

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
    trials = tuple(priced(trial, prices) for trial in one.trials)
    scores = score_trials(one.cases, trials, rules, of=one.name)
    answers = correctness(scores, rules).answers
    groups = [score.group for score in scores]
    raised = sum(
        before.cost_usd is not None and after.cost_usd != before.cost_usd
        for before, after in zip(one.trials, trials, strict=True)
    )
    configuration = Configuration(
        name=one.name,
        file_hash=one.file_hash,
        score=score_report(one.cases, scores, rules),
        repeat=repeat_report(one.name, one.cases, trials, scores, rules, made_of=one.made_of),
        cost=cost_report(trials, answers, groups, n_understated=raised),
        tools=tool_reliability(trials, groups),
        latency=latency_report(trials),
    )
    return ScoredSet(one, trials, scores, answers, configuration)
