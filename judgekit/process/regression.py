"""One configuration against the baseline it replaces: like with like, metric by metric."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from judgekit.errors import UsageError
from judgekit.model.trial import Trial
from judgekit.process.process_report import Worked
from judgekit.process.regression_records import MetricGate, Outcome, Regression
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.paired import grouped_difference
from judgekit.store.trial_journal import changed_components

Answers = Callable[[Worked], dict[str, list[bool]]]
_DRAWS = 4_000
_SEED = 20261130
TAIL = 0.05


def regression(
    candidate: Worked,
    baseline: Worked,
    *,
    declared: Sequence[str],
    margin: float,
    ratio_margin: float,
) -> Regression:
    """Return the gate of a candidate against its baseline.

    `declared` names the components of the configuration that were changed on purpose; `margin` is
    the loss allowed in shares, `ratio_margin` the growth allowed in cost and time (0.1 = 10 %).

    Raises:
        UsageError: the configurations differ in something that was not declared, or it is not
            known what they were made with.
    """
    changed = _changed(candidate, baseline, declared)
    gates = [
        _share_gate("pass@1", candidate, baseline, _correct, margin),
        _share_gate("tool calls without error", candidate, baseline, _no_error, margin),
        _share_gate("availability", candidate, baseline, _available, margin),
        _ratio_gate("cost per trial", candidate, baseline, "cost_usd", ratio_margin),
        _ratio_gate("latency", candidate, baseline, "latency_s", ratio_margin),
    ]
    return Regression(
        candidate=candidate.measured.name,
        baseline=baseline.measured.name,
        changed=changed,
        declared=tuple(declared),
        metrics=tuple(gate for gate in gates if gate is not None),
    )


def _changed(candidate: Worked, baseline: Worked, declared: Sequence[str]) -> tuple[str, ...]:
    one, other = candidate.measured.made_of, baseline.measured.made_of
    if one is None or other is None:
        if "unrecorded" in declared:
            return ()
        raise UsageError(
            "it is not recorded what the trials were made with",
            found="no .set.json beside one of the files",
            expected="files written by `judgekit repeat`",
            mend="say --changed unrecorded to compare all the same",
        )
    changed = changed_components(other, one)
    stray = [name for name in changed if name not in declared]
    if stray:
        raise UsageError(
            "the two configurations differ in something that was not declared",
            found=", ".join(stray),
            expected="the same configuration, or the change named",
            mend=" ".join(f"--changed {name}" for name in stray),
        )
    return changed


def _share_gate(
    metric: str, candidate: Worked, baseline: Worked, answers: Answers, margin: float
) -> MetricGate | None:
    one, other = answers(candidate), answers(baseline)
    shared = sorted(one.keys() & other.keys())
    if not shared:
        return None
    first = [sum(a and not b for a, b in zip(one[k], other[k], strict=False)) for k in shared]
    second = [sum(b and not a for a, b in zip(one[k], other[k], strict=False)) for k in shared]
    sizes = [min(len(one[k]), len(other[k])) for k in shared]
    change = grouped_difference(first, second, sizes, TAIL)
    return MetricGate(
        metric=metric, change=change, margin=margin, outcome=_outcome(change, -margin)
    )


def _correct(worked: Worked) -> dict[str, list[bool]]:
    return _by_case(worked, [answer is True for answer in worked.answers])


def _available(worked: Worked) -> dict[str, list[bool]]:
    return _by_case(worked, [score.ending != "infrastructure" for score in worked.scores])


def _no_error(worked: Worked) -> dict[str, list[bool]]:
    return _by_case(
        worked, [all(call.error is None for call in trial.tool_calls) for trial in worked.trials]
    )


def _by_case(worked: Worked, answers: Sequence[bool]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    order = sorted(range(len(answers)), key=lambda i: worked.trials[i].number or 0)
    for place in order:
        found.setdefault(worked.trials[place].case_id or "", []).append(answers[place])
    return found


def _ratio_gate(
    metric: str, candidate: Worked, baseline: Worked, field: str, margin: float
) -> MetricGate | None:
    one, other = _means(candidate.trials, field), _means(baseline.trials, field)
    shared = sorted(one.keys() & other.keys())
    if not shared:
        return None
    change = _ratio([one[k] for k in shared], [other[k] for k in shared])
    flipped = change
    if isinstance(change, Estimate) and change.low is not None and change.high is not None:
        flipped = change.model_copy(
            update={
                "value": -math.log(change.value),
                "low": -math.log(change.high),
                "high": -math.log(change.low),
            }
        )
    outcome = _outcome(flipped, -math.log(1 + margin))
    return MetricGate(metric=metric, change=change, margin=margin, outcome=outcome)


def _means(trials: Sequence[Trial], field: str) -> dict[str, float]:
    found: dict[str, list[float | None]] = {}
    for trial in trials:
        found.setdefault(trial.case_id or "", []).append(getattr(trial, field))
    return {
        case: sum(v or 0.0 for v in values) / len(values)
        for case, values in found.items()
        if all(value is not None and value > 0 for value in values)
    }


def _ratio(one: Sequence[float], other: Sequence[float]) -> Statistic:
    """Return the ratio of means with a percentile bootstrap over cases (both sides together)."""
    n = len(one)
    if n < 2:
        return Undefined(undefined="fewer than two cases with a known value on both sides", n=n)
    first, second = np.asarray(one), np.asarray(other)
    rng = np.random.default_rng(_SEED)
    places = rng.integers(0, n, size=(_DRAWS, n))
    drawn = first[places].sum(axis=1) / second[places].sum(axis=1)
    low, high = np.quantile(drawn, [TAIL, 1 - TAIL])
    value = float(first.sum() / second.sum())
    return Estimate(
        value=value,
        low=min(float(low), value),
        high=max(float(high), value),
        n=n,
        method="ratio of means, bootstrap of cases",
        status="few_cases" if n < 20 else None,
    )


def _outcome(change: Statistic, worst: float) -> Outcome:
    """Judge a change for which more is better: `worst` is the largest loss that is allowed."""
    if not isinstance(change, Estimate) or change.low is None or change.high is None:
        return "unclear"
    if change.high < worst:
        return "worse"
    if change.low < worst:
        return "unclear"
    return "better" if change.low > 0 else "same"
