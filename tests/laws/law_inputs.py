"""Random questions to every statistic: hypothesis strategies by registered name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import GroupedCounts
from judgekit.stats.paired import Pairs
from judgekit.stats.prevalence import Calibration
from judgekit.stats.raters import label_counts
from judgekit.stats.strata import Strata
from judgekit.stats.verification import VerifiedCounts

Strategy = st.SearchStrategy[Any]
NAMES = ("pass", "fail", "unsure", "skip")


@dataclass(frozen=True)
class Ratings:
    """Ratings with their labels, turned into counts when asked."""

    rows: tuple[tuple[str | None, ...], ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """The arguments of one call."""

    args: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def ask(self, function: Any) -> Any:
        args = [
            label_counts(x.rows, x.labels) if isinstance(x, Ratings) else fresh(x)
            for x in self.args
        ]
        return function(*args, **{key: fresh(x) for key, x in self.options.items()})


@dataclass(frozen=True)
class Seed:
    """A random generator to be made anew for each call."""

    seed: int = 7


def fresh(x: Any) -> Any:
    return np.random.default_rng(x.seed) if isinstance(x, Seed) else x


def question(*parts: Strategy, **options: Any) -> Strategy:
    return st.tuples(*parts).map(lambda args: Question(args, options))


def spread(parts: Strategy, **options: Any) -> Strategy:
    """A strategy of tuples, each of which is all arguments."""
    return parts.map(lambda args: Question(tuple(args), options))


counts = st.integers(0, 20)
TAIL = st.sampled_from([0.005, 0.025, 0.05, 0.2])
bits = st.integers(0, 1)


def square(k: int) -> Strategy:
    return st.lists(st.tuples(*[counts] * k), min_size=k, max_size=k).map(tuple)


@st.composite
def confusions(draw: Any, least: int = 2, most: int = 4) -> Confusion:
    k = draw(st.integers(least, most))
    return Confusion(labels=NAMES[:k], rows=draw(square(k)))


@st.composite
def ratings(draw: Any, *, complete: bool = False, most: int = 4) -> Ratings:
    k, raters = draw(st.integers(2, 3)), draw(st.integers(2, most))
    label = st.sampled_from(NAMES[:k])
    cell = label if complete else st.one_of(label, label, st.none())
    rows = st.lists(st.tuples(*[cell] * raters), min_size=1, max_size=12).map(tuple)
    return Ratings(rows=draw(rows), labels=NAMES[:k])


@st.composite
def with_judge(draw: Any) -> tuple[Any, ...]:
    found = draw(ratings())
    label = st.sampled_from(found.labels)
    return found.rows, tuple(draw(label) for _ in found.rows)


@st.composite
def share(draw: Any, least: int = 0) -> tuple[int, int]:
    n = draw(st.integers(least, 300))
    return draw(st.integers(0, n)), n


@st.composite
def group_counts(draw: Any) -> GroupedCounts:
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=20))
    errors = tuple(draw(st.integers(0, size)) for size in sizes)
    return GroupedCounts(errors=errors, sizes=tuple(sizes))


@st.composite
def group_tables(draw: Any) -> list[Any]:
    k = draw(st.integers(2, 3))
    cell = st.integers(0, 4)
    table = st.lists(st.lists(cell, min_size=k, max_size=k), min_size=k, max_size=k)
    return draw(st.lists(table, min_size=1, max_size=12))


def filled(tables: list[Any]) -> list[Any]:
    """Put an item into the first cell of every group, so that none is empty."""
    return [[[table[0][0] + 1, *table[0][1:]], *table[1:]] for table in tables]


@st.composite
def group_differences(draw: Any) -> tuple[Any, ...]:
    rows = draw(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=2, max_size=20))
    first, second = tuple(b for b, _, _ in rows), tuple(c for _, c, _ in rows)
    return first, second, tuple(b + c + rest + 1 for b, c, rest in rows)


@st.composite
def grouped_products(draw: Any) -> tuple[Any, ...]:
    groups = draw(st.integers(2, 12))
    cell = st.integers(0, 4)
    tables = [[[draw(cell), draw(cell)], [draw(cell), draw(cell)]] for _ in range(groups)]
    judged = [draw(st.integers(0, 20)) for _ in range(groups)]
    return tables, [draw(st.integers(0, n)) for n in judged], judged


@st.composite
def strata(draw: Any) -> Strata:
    rows = draw(st.lists(st.tuples(counts, counts, counts), min_size=1, max_size=5))
    return Strata(
        sizes=tuple(sum(row) for row in rows),
        labelled=tuple(a + b for a, b, _ in rows),
        passes=tuple(a for a, _, _ in rows),
    )


@st.composite
def verified(draw: Any) -> VerifiedCounts:
    a, b, c, d, more_pass, more_fail = (draw(counts) for _ in range(6))
    return VerifiedCounts(
        all_pass=a + b + more_pass,
        all_fail=c + d + more_fail,
        pass_pass=a,
        pass_fail=b,
        fail_pass=c,
        fail_fail=d,
    )


@st.composite
def calibrations(draw: Any) -> Calibration:
    (a, n_pass), (d, n_fail) = draw(share()), draw(share())
    return Calibration(true_passes=a, human_passes=n_pass, true_fails=d, human_fails=n_fail)


@st.composite
def tasks(draw: Any) -> tuple[Any, ...]:
    rows = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    return tuple(rows), tuple(draw(st.integers(0, m)) for m in rows), draw(st.integers(1, 9))


@st.composite
def estimates(draw: Any) -> Estimate | Undefined:
    """A share with its interval; at times without one, or no share at all."""
    low, value, high = sorted(draw(st.integers(0, 100)) / 100 for _ in range(3))
    bare = Estimate(value=value, n=9, method="share")
    whole = bare.model_copy(update={"low": low, "high": high})
    return draw(st.sampled_from([whole, whole, whole, bare, Undefined(undefined="no trial")]))


@st.composite
def two_sides(draw: Any) -> tuple[Any, ...]:
    """Trials and successes of the same tasks on two sides."""
    rows = draw(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=8))
    successes = [(draw(st.integers(0, n)), draw(st.integers(0, m))) for n, m in rows]
    both = [(n, c, m, d) for (n, m), (c, d) in zip(rows, successes, strict=True)]
    return tuple(zip(*both, strict=True))


@st.composite
def same_trials(draw: Any) -> tuple[Any, ...]:
    """Tasks that two agents tried equally often, and k."""
    trials, successes, k = draw(tasks())
    return trials, successes, tuple(draw(st.integers(0, n)) for n in trials), k


def columns(*cells: Strategy, least: int = 1, most: int = 20) -> Strategy:
    """As many equally long tuples as there are cells."""
    rows = st.lists(st.tuples(*cells), min_size=least, max_size=most)
    return rows.map(lambda found: tuple(zip(*found, strict=True)))


pairs = st.tuples(counts, counts, counts, counts).map(
    lambda n: Pairs(both_right=n[0], only_first=n[1], only_second=n[2], both_wrong=n[3])
)
p_values = st.lists(st.one_of(st.floats(0, 1), st.none()), max_size=12).map(tuple)
fractions = st.lists(st.integers(1, 100), min_size=1, max_size=6, unique=True).map(
    lambda found: tuple(x / 100 for x in sorted(found))
)
outcomes = st.lists(st.sampled_from(["safe", "undecided", "past_limit"]), max_size=5).map(tuple)
binomial = st.tuples(share(), TAIL).map(lambda found: (*found[0], found[1]))
two_shares = st.tuples(share(), share()).map(lambda found: (*found[0], *found[1]))
limits = st.sampled_from([0.01, 0.05, 0.1, 0.3])
ppi_parts = st.tuples(columns(bits, bits), st.lists(bits, min_size=1, max_size=30).map(tuple)).map(
    lambda found: (*found[0], found[1])
)
labelled_confusion = confusions().flatmap(
    lambda t: st.tuples(st.just(t), st.sampled_from(t.labels))
)

QUESTIONS: dict[str, Strategy] = {
    "alpha_spending": question(fractions),
    "alternative_annotator_test": spread(with_judge(), min_items=3),
    "anytime_evidence": spread(st.tuples(share(), limits).map(lambda f: (*f[0], f[1]))),
    "anytime_path": question(st.lists(bits, max_size=60).map(tuple), limits),
    "begg_greenes": question(verified()),
    "benjamini_hochberg": question(p_values),
    "benjamini_yekutieli": question(p_values),
    "bias_index": question(confusions(2, 2)),
    "bootstrap_kappa": question(confusions(), st.just(Seed()), draws=200),
    "bootstrap_raters": question(
        ratings(complete=True),
        st.sampled_from(["fleiss_kappa", "krippendorff_alpha", "gwet_ac"]),
        st.just(Seed()),
        draws=200,
    ),
    "canary_flips": spread(columns(st.booleans(), st.booleans())),
    "clopper_pearson": spread(binomial),
    "clustered_mean": spread(
        columns(st.integers(0, 4).map(lambda x: x / 4), st.sampled_from("abc"))
    ),
    "clustered_proportion": question(group_counts()),
    "cluster_bootstrap": question(group_tables().map(filled), rng=Seed(), draws=200),
    "cohen_kappa": question(confusions()),
    "confidence_sequence": spread(share()),
    "cost_per_correct": spread(columns(st.integers(0, 50), bits)),
    "dawid_skene": ratings().map(lambda r: Question((r.rows, r.labels), {"max_iterations": 60})),
    "decision_n": question(group_counts(), TAIL),
    "false_pass_bounds": question(verified(), TAIL),
    "fleiss_kappa": question(ratings(complete=True)),
    "grouped_difference": spread(group_differences()),
    "grouped_ppi_pass_rate": spread(grouped_products()),
    "grouped_rogan_gladen": spread(grouped_products()),
    "gwet_ac": question(ratings()),
    "gwet_ac1": question(confusions()),
    "holm": question(p_values),
    "independent_difference": question(estimates(), estimates()),
    "interval_at_tail": question(estimates(), TAIL),
    "jackknife_kappa": question(group_tables()),
    "jeffreys": spread(binomial),
    "kappa_by_verdict": question(verified(), rng=Seed(), draws=200),
    "kappa_drop": confusions(3, 3).flatmap(
        lambda t: st.tuples(st.just(t), confusions(3, 3)).map(Question)
    ),
    "kappa_interval": question(group_tables(), TAIL),
    "kappa_quantiles": question(st.one_of(square(2), square(3)), st.just((0.025, 0.975))),
    "korn_graubard_n": question(group_counts(), TAIL),
    "krippendorff_alpha": question(ratings()),
    "least_detectable_share": question(st.integers(0, 200)),
    "majority_vote": ratings().map(lambda r: Question((r.rows,))),
    "mantel_haenszel": question(st.lists(square(2), min_size=1, max_size=4)),
    "mcnemar": question(pairs),
    "newcombe_difference": spread(two_shares),
    "newcombe_paired": question(pairs),
    "modified_z": question(st.integers(-9, 9), st.lists(counts, min_size=1, max_size=9).map(tuple)),
    "neyman_allocation": question(strata(), st.just(100)),
    "noninferiority": question(pairs, st.sampled_from([0.0, 0.05, 0.2])),
    "pabak": question(confusions()),
    "paired_kappa_change": question(
        st.lists(square(2), min_size=2, max_size=2), rng=Seed(), draws=200
    ),
    "pass_at_k": spread(tasks()),
    "pass_hat_k": spread(tasks()),
    "pass_hat_k_difference": spread(same_trials()),
    "planned_alpha": question(st.integers(0, 6), st.integers(1, 5)),
    "position_bias": spread(st.tuples(counts, counts, counts, counts)),
    "ppi_mean": spread(ppi_parts),
    "prevalence_index": question(confusions(2, 2)),
    "rate_bounds": question(group_counts(), TAIL),
    "ratio_of_sums": spread(columns(counts, counts)),
    "repeat_stability": question(
        st.lists(st.tuples(bits, bits, bits), min_size=1, max_size=12).map(tuple)
    ),
    "rogan_gladen": spread(
        st.tuples(share(), calibrations()).map(lambda found: (*found[0], found[1]))
    ),
    "sign_flip_test": question(st.lists(st.integers(-5, 5), max_size=12).map(tuple), rng=Seed()),
    "specific_agreement": spread(labelled_confusion),
    "stratified_pass_rate": question(strata()),
    "student_mean": question(st.lists(st.integers(-9, 9), min_size=1, max_size=9).map(tuple), TAIL),
    "tango": question(pairs),
    "three_way": question(outcomes),
    "two_proportion": spread(two_shares),
    "unplanned_alpha": question(st.integers(0, 30)),
    "variance_share": spread(two_sides()),
    "verbosity_logit": spread(columns(bits, bits, st.integers(1, 400), least=8, most=30)),
    "wilson": spread(binomial),
    "within_task_variance": tasks().map(lambda found: Question(found[:2])),
    "within_task_variance_difference": spread(two_sides()),
    "youden_j": question(calibrations()),
}

NO_DATA = Confusion(labels=("pass", "fail"), rows=((0, 0), (0, 0)))
NO_PAIRS = Pairs(both_right=0, only_first=0, only_second=0, both_wrong=0)
NO_RATINGS = Ratings(rows=(), labels=("pass", "fail"))
NOTHING = Undefined(undefined="no trial")
EMPTY: dict[str, Question] = {
    "alternative_annotator_test": Question(((), ())),
    "bias_index": Question((NO_DATA,)),
    "bootstrap_kappa": Question((NO_DATA, Seed())),
    "bootstrap_raters": Question((NO_RATINGS, "gwet_ac", Seed())),
    "cluster_bootstrap": Question(([[[0, 0], [0, 0]]],), {"rng": Seed()}),
    "clustered_proportion": Question((GroupedCounts(errors=(), sizes=()),)),
    "clustered_mean": Question(((), ())),
    "cohen_kappa": Question((NO_DATA,)),
    "dawid_skene": Question(((), ("pass", "fail"))),
    "fleiss_kappa": Question((NO_RATINGS,)),
    "grouped_difference": Question(((), (), ())),
    "gwet_ac": Question((NO_RATINGS,)),
    "gwet_ac1": Question((NO_DATA,)),
    "independent_difference": Question((NOTHING, NOTHING)),
    "interval_at_tail": Question((NOTHING, 0.005)),
    "jackknife_kappa": Question(([[[0, 0], [0, 0]]],)),
    "krippendorff_alpha": Question((NO_RATINGS,)),
    "majority_vote": Question(((),)),
    "modified_z": Question((1, ())),
    "newcombe_difference": Question((0, 0, 0, 0)),
    "newcombe_paired": Question((NO_PAIRS,)),
    "noninferiority": Question((NO_PAIRS, 0.05)),
    "pabak": Question((NO_DATA,)),
    "pass_at_k": Question(((), (), 1)),
    "pass_hat_k": Question(((), (), 1)),
    "pass_hat_k_difference": Question(((), (), (), 1)),
    "ppi_mean": Question(((), (), (1, 0))),
    "prevalence_index": Question((NO_DATA,)),
    "ratio_of_sums": Question(((), ())),
    "specific_agreement": Question((NO_DATA, "pass")),
    "student_mean": Question(((),)),
    "tango": Question((NO_PAIRS,)),
    "variance_share": Question(((), (), (), ())),
    "wilson": Question((0, 0, 0.05)),
    "within_task_variance": Question(((), ())),
    "within_task_variance_difference": Question(((), (), (), ())),
}
