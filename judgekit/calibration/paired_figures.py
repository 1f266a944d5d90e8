"""Differences of two judges' error rates on the same items, groups respected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from judgekit.calibration.comparison import (
    Inferiority,
    NonInferiority,
    PairedDifference,
    RateName,
)
from judgekit.calibration.same_items import SharedItem, SharedItems
from judgekit.stats.estimate import Estimate, Statistic
from judgekit.stats.intervals import LEAST_GROUPS
from judgekit.stats.multiplicity import holm
from judgekit.stats.paired import Pairs, grouped_difference, mcnemar, noninferiority, tango

RATE_OF: dict[str, RateName] = {"fail": "false_pass_rate", "pass": "false_fail_rate"}
SMALLEST_P = 1e-12


class Rows(NamedTuple):
    """Two judges on the items of one human answer: counts in all and by group."""

    pairs: Pairs
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def grouped(self) -> bool:
        """Tell whether some group has more than one item."""
        return any(size > 1 for size in self.sizes)

    def accuracy_difference(self, tail: float) -> Statistic:
        """Return first minus second accuracy: Tango's interval, or the group jackknife's."""
        if not self.grouped:
            return tango(self.pairs, tail)
        return grouped_difference(self.only_first, self.only_second, self.sizes, tail)


def rows_of(items: Sequence[SharedItem], first: str, second: str) -> Rows:
    """Count who is right where."""
    sizes: Counter[str] = Counter()
    only: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    seen = []
    for item in items:
        right = (item.answers[first] == item.human, item.answers[second] == item.human)
        seen.append(right)
        sizes[item.group] += 1
        if right[0] != right[1]:
            only[right[0]][item.group] += 1
    return Rows(
        pairs=Pairs.of(seen),
        only_first=tuple(only[True][group] for group in sizes),
        only_second=tuple(only[False][group] for group in sizes),
        sizes=tuple(sizes.values()),
    )


def paired_difference(
    shared: SharedItems, first: str, second: str, human: str, tail: float
) -> PairedDifference:
    """Return the difference of the error rates among items that humans answered `human`."""
    rows = rows_of(shared.of_two(first, second, human), first, second)
    exact = mcnemar(rows.pairs).p_exact if rows.pairs.n else None
    found = rows.accuracy_difference(tail)
    return PairedDifference(
        rate=RATE_OF[human],
        first=first,
        second=second,
        n=rows.pairs.n,
        n_groups=len(rows.sizes),
        only_first_wrong=rows.pairs.only_second,
        only_second_wrong=rows.pairs.only_first,
        both_wrong=rows.pairs.both_wrong,
        difference=of_errors(found),
        test="inverted interval of the grouped difference" if rows.grouped else "exact McNemar",
        p_value=_two_sided(rows) if rows.grouped else exact,
        mcnemar_p=exact,
    )


def of_errors(accuracy: Statistic) -> Statistic:
    """Return a difference of accuracies as a difference of error rates."""
    if not isinstance(accuracy, Estimate):
        return accuracy
    low = None if accuracy.high is None else -accuracy.high
    high = None if accuracy.low is None else -accuracy.low
    return accuracy.model_copy(update={"value": 0.0 - accuracy.value, "low": low, "high": high})


def with_holm(differences: Sequence[PairedDifference]) -> tuple[PairedDifference, ...]:
    """Return the differences with p values adjusted over all of them."""
    adjusted = holm([one.p_value for one in differences])
    return tuple(
        one.model_copy(update={"p_holm": p}) for one, p in zip(differences, adjusted, strict=True)
    )


def _two_sided(rows: Rows) -> float | None:
    """Return the p value of no difference: where the interval starts to reach 0."""
    below = _p_at_most(rows, 0.0)
    return None if below is None else min(1.0, 2 * min(below, 1 - below))


def _p_at_most(rows: Rows, bar: float) -> float | None:
    """Return the one-sided p of "the first's accuracy minus the second's is at most `bar`".

    It is the tail at which the interval's lower bound meets `bar` (from the other side: 1 minus
    the tail at which the upper bound does). None without an interval or with too few groups.
    """
    if len(rows.sizes) < LEAST_GROUPS:
        return None
    found = rows.accuracy_difference(0.25)
    if not isinstance(found, Estimate) or found.low is None:
        return None
    if found.value > bar:
        return _meeting(lambda tail: _bound(rows, tail, "low") > bar)
    if found.value < bar:
        return 1 - _meeting(lambda tail: _bound(rows, tail, "high") < bar)
    return 0.5


def _bound(rows: Rows, tail: float, side: str) -> float:
    found = rows.accuracy_difference(tail)
    assert isinstance(found, Estimate)  # the caller saw an interval on these rows
    return float(getattr(found, side))


def _meeting(clears: Callable[[float], bool]) -> float:
    """Return the smallest tail at which the bound clears the bar, by bisection on its logarithm."""
    low, high = SMALLEST_P, 0.5
    if clears(low):
        return low
    for _ in range(40):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if clears(middle) else (middle, high)
    return high


def non_inferiority(
    shared: SharedItems, candidates: Sequence[str], baseline: str, *, margin: float, alpha: float
) -> tuple[NonInferiority, ...]:
    """Return for each candidate whether its false-pass rate is within `margin` of the baseline's.

    Several candidates share `alpha` by Holm; a refutation must hold at `alpha` over their number.
    """
    rows = [rows_of(shared.of_two(name, baseline, "fail"), name, baseline) for name in candidates]
    found = [_one_sided(own, margin) for own in rows]
    adjusted = holm([p for _, p in found])
    return tuple(
        _verdict((name, baseline, margin), own, (z, p, p_holm), alpha=alpha, family=len(candidates))
        for name, own, (z, p), p_holm in zip(candidates, rows, found, adjusted, strict=True)
    )


def _one_sided(rows: Rows, margin: float) -> tuple[float | None, float | None]:
    if rows.grouped:
        return None, _p_at_most(rows, -margin)
    found = noninferiority(rows.pairs, margin)
    return (getattr(found, "z", None), getattr(found, "p", None))


def _verdict(
    names: tuple[str, str, float],
    rows: Rows,
    test: tuple[float | None, float | None, float | None],
    *,
    alpha: float,
    family: int,
) -> NonInferiority:
    candidate, baseline, margin = names
    z, p, p_holm = test
    outcome: Inferiority = "not_shown"
    if p is not None and p_holm is not None:
        if p_holm <= alpha:
            outcome = "non_inferior"
        elif 1 - p <= alpha / family:
            outcome = "inferior"
    return NonInferiority(
        candidate=candidate,
        baseline=baseline,
        margin=margin,
        difference=of_errors(rows.accuracy_difference(min(alpha, 0.49))),
        method="group jackknife" if rows.grouped else "Tango score test",
        z=z,
        p_value=p,
        p_holm=p_holm,
        level=alpha,
        outcome=outcome,
        sentence=_sentence(names, rows, outcome, p_holm, alpha),
    )


def _sentence(
    names: tuple[str, str, float],
    rows: Rows,
    outcome: Inferiority,
    p_holm: float | None,
    alpha: float,
) -> str:
    candidate, baseline, margin = names
    words = {
        "non_inferior": f"{candidate} is within {margin:g} of {baseline} on the false-pass rate",
        "inferior": f"{candidate} is more than {margin:g} worse than {baseline} on false passes",
        "not_shown": f"That {candidate} is within {margin:g} of {baseline} on false passes is "
        "neither shown nor refuted",
    }
    if p_holm is None:
        few = f"{rows.pairs.n} human fails in {len(rows.sizes)} groups are too few to test"
        return f"{words['not_shown']}: {few}."
    return f"{words[outcome]} (p {p_holm:.2g}, level {alpha:.3g}, n={rows.pairs.n})."
