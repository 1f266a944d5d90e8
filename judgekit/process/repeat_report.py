"""From k trials of each case to the reliability report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from judgekit.errors import InputError
from judgekit.model.agent import TrialSet
from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.rates import Row, share
from judgekit.process.repeat_records import AtK, CaseRow, RepeatReport, StepReliability
from judgekit.scorers.field_scoring import comparator_of, found_value
from judgekit.scorers.step_scoring import STEP_PREFIX
from judgekit.scorers.trial_scoring import correctness
from judgekit.stats.estimate import Estimate
from judgekit.stats.repeats import pass_at_k, pass_hat_k

FEW_CASES = 20
WORST = 5
BOOTSTRAP_SEED = 20261130


class Tried(NamedTuple):
    """One trial, its score and whether it is correct (None = not known)."""

    trial: Trial
    score: TrialScore
    correct: bool | None


def repeat_report(
    agent: str,
    cases: Sequence[Case],
    trials: Sequence[Trial],
    scores: Sequence[TrialScore],
    rules: ScoringRules,
    *,
    made_of: TrialSet | None = None,
) -> RepeatReport:
    """Return the reliability of an agent over its trials.

    Raises:
        InputError: there is no trial.
    """
    if not trials:
        raise InputError("there is no trial", expected="at least one trial of a case")
    answer = correctness(scores, rules)
    tried = [Tried(*row) for row in zip(trials, scores, answer.answers, strict=True)]
    rows = _case_rows(tried)
    steps = _steps(scores)
    return RepeatReport(
        agent=agent,
        made_of=made_of,
        rules=rules.name,
        rules_hash=rules.content_hash,
        correct_by=answer.by,
        n_cases=len(rows),
        n_trials=len(trials),
        endings=dict(sorted(Counter(score.ending for score in scores).items())),
        undecided=sum(one.correct is None for one in tried),
        availability=share(_available(tried), "no trial"),
        pass_at_1=share([(one.score.group, one.correct is True) for one in tried], "no trial"),
        correct_when_available=share(_when_available(tried), "no trial was available"),
        consistency=share(_pairs(tried, cases, rules), "no case has two finished trials"),
        at_k=_at_k(rows),
        steps=steps,
        steps_product=_product(steps),
        worst=tuple(sorted(rows, key=lambda row: (row.correct / row.n, row.case))[:WORST]),
        cases=rows,
        notes=_notes(rows),
    )


def _available(tried: Sequence[Tried]) -> list[Row]:
    return [(one.score.group, one.score.ending != "infrastructure") for one in tried]


def _when_available(tried: Sequence[Tried]) -> list[Row]:
    return [
        (one.score.group, one.correct is True)
        for one in tried
        if one.score.ending != "infrastructure"
    ]


def _case_rows(tried: Sequence[Tried]) -> tuple[CaseRow, ...]:
    found: dict[str, list[Tried]] = {}
    for one in tried:
        found.setdefault(one.score.case_id, []).append(one)
    return tuple(
        CaseRow(
            case=case,
            scenario=those[0].score.scenario,
            n=len(those),
            correct=sum(one.correct is True for one in those),
            undecided=sum(one.correct is None for one in those),
            endings=dict(sorted(Counter(one.score.ending for one in those).items())),
        )
        for case, those in found.items()
    )


def _at_k(rows: Sequence[CaseRow]) -> tuple[AtK, ...]:
    trials, successes = [row.n for row in rows], [row.correct for row in rows]
    found = []
    for k in range(1, max(trials) + 1):
        rng = np.random.default_rng(BOOTSTRAP_SEED)
        again = np.random.default_rng(BOOTSTRAP_SEED)
        found.append(
            AtK(
                k=k,
                pass_at=pass_at_k(trials, successes, k, rng=rng),
                pass_hat=pass_hat_k(trials, successes, k, rng=again),
            )
        )
    return tuple(found)


def _pairs(tried: Sequence[Tried], cases: Sequence[Case], rules: ScoringRules) -> Iterator[Row]:
    """Yield whether two finished trials of a case ended in fields that are equal by the rules."""
    known = {case.id: case for case in cases}
    finals: dict[str, list[Trial]] = {}
    for one in tried:
        if one.score.ending == "finished" and one.trial.final is not None:
            finals.setdefault(one.score.case_id, []).append(one.trial)
    for case_id, those in finals.items():
        for first, second in combinations(those, 2):
            yield known[case_id].group_key, _equal(known[case_id], first, second, rules)


def _equal(case: Case, one: Trial, other: Trial, rules: ScoringRules) -> bool:
    names = [name for name in case.fields if not name.startswith(STEP_PREFIX)]
    if not names:
        names = sorted({*(one.final or {}), *(other.final or {})})
    for name in names:
        first, second = found_value(one.final, name), found_value(other.final, name)
        rule = rules.fields.get(name, FieldRule())
        expected = case.fields.get(name)
        compare = rule.compare if expected is None else comparator_of(expected, rule.compare)
        same = first is second if MISSING in (first, second) else compare.decide(first, second)
        if same is not True and first != second:
            return False
    return True


def _steps(scores: Sequence[TrialScore]) -> tuple[StepReliability, ...]:
    names = dict.fromkeys(step.step for score in scores for step in score.steps)
    found = []
    for name in names:
        rows = [
            (score.group, step.passed)
            for score in scores
            for step in score.steps
            if step.step == name and step.passed is not None
        ]
        if rows:
            found.append(StepReliability(step=name, passed=share(rows, "never decided")))
    return tuple(found)


def _product(steps: Sequence[StepReliability]) -> float | None:
    values = [step.passed.value for step in steps if isinstance(step.passed, Estimate)]
    return math.prod(values) if values else None


def _notes(rows: Sequence[CaseRow]) -> tuple[str, ...]:
    notes = []
    if len(rows) < FEW_CASES:
        notes.append(f"{len(rows)} cases: too few to say much; intervals over cases are too short")
    counts = {row.n for row in rows}
    if len(counts) > 1:
        notes.append(f"cases have between {min(counts)} and {max(counts)} trials: not all have k")
    return tuple(notes)
