"""From k trials of each case to the reliability report."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from judgekit.errors import InputError
from judgekit.model.agent import TrialSet
from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING, Comparator
from judgekit.model.comparators.exact import json_equal
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.rates import NOTHING_DECIDED, SEED, Row, counted_share, share
from judgekit.process.repeat_records import AtK, CaseRow, RepeatReport, StepReliability
from judgekit.scorers.field_scoring import comparator_of, found_value
from judgekit.scorers.step_scoring import STEP_PREFIX
from judgekit.scorers.trial_scoring import correctness
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.repeats import pass_at_k, pass_hat_k

FEW_CASES = 20
WORST = 5
EVERY_K = 8
"""Up to here every k is reported; beyond it only doubled ones."""


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
    """Return the reliability of an agent over its trials; InputError where there is none."""
    if not trials:
        raise InputError("there is no trial", expected="at least one trial of a case")
    answer = correctness(scores, rules)
    tried = list(map(Tried, trials, scores, answer.answers))
    judged = [one for one in tried if answer.by == "outcome" or one.score.checked]
    rows, steps = _case_rows(judged), _steps(tried)
    decided = any(one.correct is not None for one in judged)
    unchecked = tuple(sorted({s.case_id for s in scores} - {row.case for row in rows}))
    return RepeatReport(
        agent=agent,
        made_of=made_of,
        rules=rules.name, rules_hash=rules.content_hash, correct_by=answer.by,
        n_cases=len({score.case_id for score in scores}),
        n_trials=len(trials),
        endings=dict(sorted(Counter(score.ending for score in scores).items())),
        undecided=sum(one.correct is None for one in judged),
        availability=share(_available(tried), "no trial"),
        pass_at_1=share(_correct(judged if decided else ()), NOTHING_DECIDED),
        correct_when_available=share(_when_available(judged, decided), "no trial was available"),
        consistency=counted_share(_pairs(tried, cases, rules), "no case has two finished trials"),
        at_k=_at_k(rows, decided=decided),
        steps=steps,
        steps_product=_product(steps),
        steps_together=share(_together(tried), "no step has anything expected of it"),
        unchecked=unchecked,
        worst=_worst(rows),
        cases=rows,
        notes=_notes(rows, cases, tried, len(unchecked)),
    )  # fmt: skip


def _worst(rows: Sequence[CaseRow]) -> tuple[CaseRow, ...]:
    return tuple(sorted(rows, key=lambda row: (row.correct / row.n, row.case))[:WORST])


def _correct(tried: Sequence[Tried]) -> list[Row]:
    return [(one.score.group, one.correct is True) for one in tried]


def _available(tried: Sequence[Tried]) -> list[Row]:
    return [(one.score.group, one.score.ending != "infrastructure") for one in tried]


def _when_available(tried: Sequence[Tried], decided: bool) -> list[Row]:
    there = [one for one in tried if one.score.ending != "infrastructure"]
    return _correct(there) if decided else []


def _case_rows(tried: Sequence[Tried]) -> tuple[CaseRow, ...]:
    found: dict[str, list[Tried]] = {}
    for one in tried:
        found.setdefault(one.score.case_id, []).append(one)
    return tuple(
        CaseRow(
            case=case,
            group=those[0].score.group,
            scenario=those[0].score.scenario,
            n=len(those),
            correct=sum(one.correct is True for one in those),
            undecided=sum(one.correct is None for one in those),
            endings=dict(sorted(Counter(one.score.ending for one in those).items())),
        )
        for case, those in found.items()
    )


def _at_k(rows: Sequence[CaseRow], *, decided: bool) -> tuple[AtK, ...]:
    trials, successes = [row.n for row in rows], [row.correct for row in rows]
    if not decided:
        none = Undefined(undefined=NOTHING_DECIDED, n=len(rows))
        return (AtK(k=1, pass_at=none, pass_hat=none),)
    return tuple(
        AtK(
            k=k,
            pass_at=pass_at_k(trials, successes, k, rng=_rng()),
            pass_hat=pass_hat_k(trials, successes, k, rng=_rng()),
        )
        for k in _ks(max(trials))
    )


def _ks(most: int) -> list[int]:
    """Return every k to 8, then doubled ones, and the largest."""
    found = list(range(1, min(most, EVERY_K) + 1))
    while found[-1] * 2 <= most:
        found.append(found[-1] * 2)
    return found if found[-1] == most else [*found, most]


def _rng() -> np.random.Generator:
    return np.random.default_rng(SEED)


def _pairs(
    tried: Sequence[Tried], cases: Sequence[Case], rules: ScoringRules
) -> Iterator[tuple[str, int, int]]:
    """Yield, of pairs of finished trials of a case, how many ended in equal fields, of how many.

    Trials that ended in the same are compared with others once: pairs grow with the square.
    """
    known = {case.id: case for case in cases}
    finals: dict[str, list[Trial]] = {}
    for one in tried:
        if one.score.ending == "finished" and one.trial.final is not None:
            finals.setdefault(one.score.case_id, []).append(one.trial)
    for case_id, those in finals.items():
        case = known[case_id]
        alike: dict[str, list[Trial]] = {}
        for trial in those:
            alike.setdefault(repr(trial.final), []).append(trial)
        for same in alike.values():
            n = len(same) * (len(same) - 1) // 2
            if n:
                yield case.group_key, n, n
        for first, second in combinations(alike.values(), 2):
            n = len(first) * len(second)
            yield case.group_key, n * _equal(case, first[0], second[0], rules), n


def _equal(case: Case, one: Trial, other: Trial, rules: ScoringRules) -> bool:
    names = [name for name in case.fields if not name.startswith(STEP_PREFIX)]
    if not names:
        names = sorted({*(one.final or {}), *(other.final or {})})
    for name in names:
        first, second = found_value(one.final, name), found_value(other.final, name)
        rule = rules.fields.get(name, FieldRule())
        expected = case.fields.get(name)
        compare = rule.compare if expected is None else comparator_of(expected, rule.compare)
        if not _same(compare, first, second):
            return False
    return True


def _same(compare: Comparator, first: Any, second: Any) -> bool:
    """Tell whether two found values are the same; of two neither is the expected one."""
    if first is MISSING or second is MISSING:
        return first is second
    both = compare.decide(first, second) is True and compare.decide(second, first) is True
    return both or json_equal(first, second)


def _steps(tried: Sequence[Tried]) -> tuple[StepReliability, ...]:
    """Return the reliability of each step of which something is expected in some trial."""
    rows: dict[str, list[Row]] = {}
    not_run: Counter[str] = Counter()
    for one in tried:
        for step, passed in _last(one.score).items():
            rows.setdefault(step, []).append((one.score.group, passed))
        not_run.update(one.score.steps_not_run)
    return tuple(
        StepReliability(
            step=step, passed=share(rows.get(step, ()), "it never ran"), not_run=not_run[step]
        )
        for step in dict.fromkeys([*rows, *not_run])
    )


def _last(score: TrialScore) -> dict[str, bool]:
    """Return whether each step was right in the end: by its last span that was decided."""
    return {step.step: step.passed for step in score.steps if step.passed is not None}


def _together(tried: Sequence[Tried]) -> Iterator[Row]:
    """Yield whether every step of a trial of which something is expected ran and was right."""
    for one in tried:
        last, missing = _last(one.score), one.score.steps_not_run
        if last or missing:
            yield one.score.group, not missing and all(last.values())


def _product(steps: Sequence[StepReliability]) -> float | None:
    values = [step.passed.value for step in steps if isinstance(step.passed, Estimate)]
    return math.prod(values) if values and len(values) == len(steps) else None


def _lost(one: Tried) -> bool:
    return one.trial.spans is None and one.score.ending in ("crashed", "timeout")


def _notes(
    rows: Sequence[CaseRow], cases: Sequence[Case], tried: Sequence[Tried], unchecked: int
) -> tuple[str, ...]:
    notes = []
    if len(rows) < FEW_CASES:
        notes.append(f"{len(rows)} cases: too few to say much; intervals over cases are too short")
    if unchecked:
        notes.append(
            f"{unchecked} cases have nothing that code can check: they are in no rate of "
            "correctness"
        )
    without = len({case.id for case in cases} - {one.score.case_id for one in tried})
    if without:
        notes.append(f"{without} cases have no trial: nothing is said about them")
    lost = sum(_lost(one) for one in tried)
    if lost and any(_last(one.score) or one.score.steps_not_run for one in tried):
        notes.append(
            f"{lost} trials crashed or ran out of time before they said what steps they made: they "
            "are in no rate of a step, and the steps look better for it"
        )
    counts = {row.n for row in rows}
    if len(counts) > 1:
        notes.append(
            f"cases have between {min(counts)} and {max(counts)} trials: not all have k; pass@1 "
            "is over trials, pass^k and pass@k are means over cases"
        )
    if len({row.group for row in rows}) < len(rows):
        notes.append("cases share groups: the intervals of pass^k and pass@k take cases as apart")
    return tuple(notes)
