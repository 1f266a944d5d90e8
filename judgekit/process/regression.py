"""One configuration against the baseline it replaces: like with like, metric by metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from judgekit.errors import UsageError
from judgekit.model.trial import Trial, TrialKey
from judgekit.process.differences import Answered, grouped_ratio, paired_difference
from judgekit.process.known import known_cases, means_by_case
from judgekit.process.regression_records import MetricGate, Outcome, Regression
from judgekit.process.repeat_compare import mean_for_variance
from judgekit.process.scored_set import ScoredSet
from judgekit.stats.estimate import Estimate, Statistic, Undefined, bounds_of
from judgekit.store.trial_journal import changed_components

ONE_SIDED = 0.05
"""In the tail that gates: each metric may get worse by the margin in one run of twenty."""
MOST_LEFT_OUT = 0.05
"""A metric that is not known of more than this share of trials, or cases, is unclear."""
UNRECORDED = "unrecorded"
LEAST_SECONDS = 0.1
"""Less than this for a trial is the start of a process and the load of the machine."""

Answers = Callable[[ScoredSet], Mapping[TrialKey, bool | None]]
"""The answer of each trial; None = not known."""
Size = Callable[[Trial], float | None]


class _Share(NamedTuple):
    name: str
    answers: Answers


class _Ratio(NamedTuple):
    name: str
    size: Size
    least: float = 0.0


class _Ruling(NamedTuple):
    outcome: Outcome
    reason: str | None = None


def regression(
    candidate: ScoredSet,
    baseline: ScoredSet,
    *,
    declared: Sequence[str],
    margin: float,
    ratio_margin: float,
    without: Sequence[str] = (),
) -> Regression:
    """Return the gate of a candidate against its baseline.

    `declared` names the components of the configuration that were changed on purpose; `margin` is
    the loss allowed in shares, `ratio_margin` the growth allowed in cost and time (0.1 = 10 %).
    `without` names metrics (`metric_names`) that are shown and do not gate.

    Raises:
        UsageError: the configurations differ in something that was not declared, something
            declared did not change, or it is not known what they were made with.
    """
    unknown = [name for name in without if name not in metric_names()]
    if unknown:
        raise UsageError(
            f"there is no metric {unknown[0]!r}", expected=", ".join(map(repr, metric_names()))
        )
    changed = _changed(candidate, baseline, declared)
    gates = [_share_gate(one, candidate, baseline, margin) for one in _SHARES]
    gates += [_ratio_gate(one, candidate, baseline, ratio_margin) for one in _RATIOS]
    return Regression(
        candidate=candidate.name,
        baseline=baseline.name,
        changed=changed,
        declared=tuple(declared),
        missing=len(_keys(baseline) - _keys(candidate)),
        extra=len(_keys(candidate) - _keys(baseline)),
        mean_for_variance=_mean_for_variance(candidate, baseline),
        metrics=tuple(
            gate.model_copy(update={"outcome": "not_gated"}) if gate.metric in without else gate
            for gate in gates
        ),
    )


def metric_names() -> tuple[str, ...]:
    """Return the names of the metrics that gate."""
    return tuple(one.name for one in (*_SHARES, *_RATIOS))


def _changed(candidate: ScoredSet, baseline: ScoredSet, declared: Sequence[str]) -> tuple[str, ...]:
    one, other = candidate.recorded.made_of, baseline.recorded.made_of
    if one is None or other is None:
        return _unrecorded(declared)
    changed = changed_components(other, one)
    stray = [name for name in changed if name not in declared]
    if stray:
        raise UsageError(
            "the two configurations differ in something that was not declared",
            found=", ".join(stray),
            expected="the same configuration, or the change named",
            mend=" ".join(f"--changed {name}" for name in stray),
        )
    refuse_unchanged(declared, changed)
    return changed


def refuse_unchanged(declared: Sequence[str], changed: Sequence[str]) -> None:
    """Refuse a comparison in which something that is said to differ is the same on both sides.

    Raises:
        UsageError: names it, and what does differ.
    """
    idle = [name for name in declared if name not in changed]
    if idle:
        raise UsageError(
            f"{', '.join(idle)} did not change",
            found=f"changed: {', '.join(changed) or 'nothing'}",
            expected="--changed names what differs between candidate and baseline",
            mend="leave it out; if it was meant to change, these are not the trials of it",
        )


def _unrecorded(declared: Sequence[str]) -> tuple[str, ...]:
    if UNRECORDED not in declared:
        raise UsageError(
            "it is not recorded what the trials were made with",
            found="no .set.json beside one of the files",
            expected="files written by `judgekit repeat`",
            mend=f"say --changed {UNRECORDED} to compare all the same",
        )
    return (UNRECORDED,)


def _share_gate(of: _Share, candidate: ScoredSet, baseline: ScoredSet, margin: float) -> MetricGate:
    one, other = of.answers(candidate), of.answers(baseline)
    if not other:
        return _not_recorded(of.name, margin, "the baseline has nothing of it")
    shared = sorted(one.keys() & other.keys())
    first = {key: yes for key in shared if (yes := one[key]) is not None}
    second = {key: yes for key in shared if (yes := other[key]) is not None}
    change = paired_difference(
        Answered(first, candidate.groups), Answered(second, candidate.groups), ONE_SIDED
    )
    lost = len(shared) - len(first.keys() & second.keys())
    ruling = _judged(change, -margin, higher_is_better=True)
    return _gate(of.name, change, margin, ruling, lost, len(shared))


def _ratio_gate(of: _Ratio, candidate: ScoredSet, baseline: ScoredSet, margin: float) -> MetricGate:
    one = means_by_case(candidate.trials, of.size)
    other = means_by_case(baseline.trials, of.size)
    shared = sorted(one.keys() & other.keys())
    if all(other[case] is None for case in shared):
        return _not_recorded(of.name, margin, "the baseline did not record it")
    mine = known_cases({case: one[case] for case in shared if other[case] is not None})
    its = known_cases({case: other[case] for case in mine})
    change = grouped_ratio(mine, its, candidate.groups, ONE_SIDED)
    ruling = _ratio_judged(of, change, mine, its, margin)
    return _gate(of.name, change, margin, ruling, len(shared) - len(mine), len(shared))


def _ratio_judged(
    of: _Ratio,
    change: Statistic,
    mine: Mapping[str, float],
    its: Mapping[str, float],
    margin: float,
) -> _Ruling:
    if not mine:
        return _Ruling("unclear", "the baseline recorded it, the candidate did not")
    ruling = _judged(change, 1 + margin, higher_is_better=False)
    if not any(its.values()):
        now = any(mine.values())
        reason = f"it was 0 before and {'is not' if now else 'is'} now"
        ruling = _Ruling("worse" if now else "same", reason)
    grown = sum(mine[case] - its[case] for case in mine)
    if ruling.outcome in ("worse", "unclear") and abs(grown) < of.least * len(mine):
        return _Ruling("same", f"a trial differs by less than {of.least:g} s")
    return ruling


def _gate(
    metric: str,
    change: Statistic,
    margin: float,
    ruling: _Ruling,
    left_out: int,
    n: int,
) -> MetricGate:
    if ruling.outcome in ("better", "same") and left_out > MOST_LEFT_OUT * n:
        ruling = _Ruling("unclear", f"{left_out} of {n} are not known on both sides")
    return MetricGate(
        metric=metric,
        change=change,
        margin=margin,
        outcome=ruling.outcome,
        left_out=left_out,
        reason=ruling.reason,
    )


def _not_recorded(metric: str, margin: float, reason: str) -> MetricGate:
    return MetricGate(
        metric=metric,
        change=Undefined(undefined="not recorded"),
        margin=margin,
        outcome="not_recorded",
        reason=reason,
    )


def _judged(change: Statistic, worst: float, *, higher_is_better: bool) -> _Ruling:
    """Judge a change against the worst that is allowed."""
    if not isinstance(change, Estimate):
        return _Ruling("unclear", change.undefined)
    bounds = bounds_of(change)
    if bounds is None:
        return _Ruling("unclear", "no interval")
    if change.status == "few_groups":
        return _Ruling("unclear", "under 10 groups of cases")
    sign, even = (1, 0.0) if higher_is_better else (-1, 1.0)
    low, high = sorted((sign * bounds.low, sign * bounds.high))
    if high < sign * worst:
        return _Ruling("worse")
    if low < sign * worst:
        return _Ruling("unclear", "the interval reaches beyond the margin")
    return _Ruling("better" if low > sign * even else "same")


def _mean_for_variance(candidate: ScoredSet, baseline: ScoredSet) -> str | None:
    """Return the words for a better pass@1 with a lower pass^k over the trials of both sides."""
    one, other = _correct(candidate), _correct(baseline)
    pairs: dict[str, tuple[list[bool], list[bool]]] = {}
    for key in sorted(one.keys() & other.keys()):
        mine, its = one[key], other[key]
        if mine is not None and its is not None:
            both = pairs.setdefault(key[0], ([], []))
            both[0].append(mine)
            both[1].append(its)
    return mean_for_variance(list(pairs.values()))


def _keys(one: ScoredSet) -> set[TrialKey]:
    return {score.key for score in one.scores}


def _correct(one: ScoredSet) -> Mapping[TrialKey, bool | None]:
    """Return which trials are correct; undecided is not known, unless nothing was available."""
    unchecked = set(one.configuration.repeat.unchecked)
    return {
        score.key: False if score.ending == "infrastructure" else answer
        for score, answer in zip(one.scores, one.answers, strict=True)
        if score.case_id not in unchecked
    }


def _available(one: ScoredSet) -> Mapping[TrialKey, bool | None]:
    return {s.key: s.ending != "infrastructure" for s in one.scores}


def _no_error(one: ScoredSet) -> Mapping[TrialKey, bool | None]:
    """Return which trials had no tool error; nothing where no trial called a tool."""
    made = [trial.calls for trial in one.trials]
    if not any(made):
        return {}
    return {
        score.key: all(call.error is None for call in calls)
        for score, calls in zip(one.scores, made, strict=True)
    }


def _critical(one: ScoredSet) -> Mapping[TrialKey, bool | None]:
    """Return which trials have every critical field right; nothing where no field is critical."""
    scored = [(score.key, score.fields) for score in one.scores if score.fields is not None]
    return {
        key: fields.critical_correct
        for key, fields in scored
        if any(field.critical for field in fields.outcomes)
    }


_SHARES = (
    _Share("pass@1", _correct),
    _Share("critical fields", _critical),
    _Share("no tool error", _no_error),
    _Share("availability", _available),
)
_RATIOS = (
    _Ratio("cost", lambda trial: trial.cost_usd),
    _Ratio("latency", lambda trial: trial.latency_s, LEAST_SECONDS),
)
