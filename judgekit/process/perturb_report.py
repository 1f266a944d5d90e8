"""What an agent did after a tool had answered it nothing, half, something stale or an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.trial import Trial, TrialKey
from judgekit.model.trial_score import TrialScore
from judgekit.process.rates import share
from judgekit.stats.estimate import Statistic
from judgekit.trials.perturb import NEXT_STEPS, NextStep, Perturbation, Place, after_perturbed


class PerturbReport(Record):
    """One perturbation: what was changed, and what the agent did with it.

    `n_met` trials met the changed result; the figures are over these. `next_steps` counts what
    came right after the first of them; `faults` counts trials by fault. `correct_live` and
    `faults_live` are of the `n_live` recorded trials of the same cases and numbers, so that other
    cases are not mistaken for what the change did.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    tool: str
    how: str
    n_trials: int
    n_met: int
    next_steps: dict[str, int]
    endings: dict[str, int]
    correct: Statistic
    faults: dict[str, int]
    n_live: int
    correct_live: Statistic
    faults_live: dict[str, int]


def perturb_report(
    change: Perturbation,
    trials: Sequence[Trial],
    scores: Sequence[TrialScore],
    answers: Sequence[bool | None],
    places: Mapping[TrialKey, Set[Place]],
    changing: Set[str],
    *,
    live: Sequence[TrialScore] = (),
    live_answers: Sequence[bool | None] = (),
) -> PerturbReport:
    """Return what the trials did after the perturbed result.

    Args:
        trials: the trials with it, in the order of `scores` and `answers` (correct or not; None
            where that could not be decided, which is not correct).
        scores: their scores.
        answers: whether each was correct.
        places: by case and number, where the changed calls are met (`changed_places`).
        changing: the tools that change the state.
        live: scores of the recorded trials of the same cases.
        live_answers: whether each of those was correct.
    """
    after = _after(change, trials, places, changing)
    met = [place for place, step in enumerate(after) if step != "never met it"]
    those = [scores[place] for place in met]
    same, same_answers = _twins(those, live, live_answers)
    return PerturbReport(
        tool=change.tool,
        how=change.how,
        n_trials=len(trials),
        n_met=len(those),
        next_steps={step: n for step in NEXT_STEPS if (n := after.count(step))},
        endings=dict(sorted(Counter(score.ending for score in those).items())),
        correct=_right(those, [answers[place] for place in met]),
        faults=_faults(those),
        n_live=len(same),
        correct_live=_right(same, same_answers),
        faults_live=_faults(same),
    )


def _twins(
    scores: Sequence[TrialScore], live: Sequence[TrialScore], answers: Sequence[bool | None]
) -> tuple[list[TrialScore], list[bool | None]]:
    """Return the recorded trials of the same cases and numbers, and whether they were correct."""
    keys = {score.key for score in scores}
    both = [(s, a) for s, a in zip(live, answers, strict=True) if s.key in keys]
    return [score for score, _ in both], [answer for _, answer in both]


def _after(
    change: Perturbation,
    trials: Sequence[Trial],
    places: Mapping[TrialKey, Set[Place]],
    changing: Set[str],
) -> list[NextStep]:
    return [
        after_perturbed(one, change.tool, places.get(one.key, frozenset()), changing)
        for one in trials
    ]


def _right(scores: Sequence[TrialScore], answers: Sequence[bool | None]) -> Statistic:
    rows = [(s.group, a is True) for s, a in zip(scores, answers, strict=True)]
    return share(rows, "there is no such trial")


def _faults(scores: Sequence[TrialScore]) -> dict[str, int]:
    """Return in how many trials each kind of fault was found; suspicions are none."""
    found: Counter[str] = Counter()
    for score in scores:
        found.update({fault.kind for fault in score.faults if fault.severity == "fault"})
    return dict(sorted(found.items()))
