"""How each vector file about raters asks the registry: input in, `expected`'s names out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from judgekit.stats import raters
from judgekit.stats.confusion import Confusion, count_pairs
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.registry import statistics

Case = dict[str, Any]
Adapter = Callable[[Case], Case]


def ask(name: str, *args: Any, **options: Any) -> Any:
    """Call a statistic by its registered name."""
    return statistics()[name].function(*args, **options)


def value(found: Statistic) -> float | None:
    return found.value if isinstance(found, Estimate) else None


def low(found: Statistic) -> float | None:
    return found.low if isinstance(found, Estimate) else None


def high(found: Statistic) -> float | None:
    return found.high if isinstance(found, Estimate) else None


def tail(given: Case) -> float:
    return (1 - given["confidence"]) / 2


def table(rows: Any, labels: tuple[str, ...] | None = None) -> Confusion:
    names = labels or tuple(f"label {k}" for k in range(len(rows)))
    if labels is None and len(rows) == 2:
        names = ("pass", "fail")
    return Confusion(labels=names, rows=tuple(map(tuple, rows)))


def two_by_two(given: Case) -> Case:
    t = table(
        [
            [given["human_pass_judge_pass"], given["human_pass_judge_fail"]],
            [given["human_fail_judge_pass"], given["human_fail_judge_fail"]],
        ]
    )
    kappa = ask("cohen_kappa", t)
    return {
        "n": kappa.n,
        "po": kappa.po,
        "kappa": kappa.value,
        "pabak": value(ask("pabak", t)),
        "gwet_ac1": value(ask("gwet_ac1", t)),
        "positive_agreement": value(ask("specific_agreement", t, "pass")),
        "negative_agreement": value(ask("specific_agreement", t, "fail")),
        "prevalence_index": value(ask("prevalence_index", t)),
        "bias_index": value(ask("bias_index", t)),
    }


def cohen_kappa(given: Case) -> Case:
    labels = tuple(str(label) for label in given["labels"])
    if "confusion" in given:
        t, dropped = table(given["confusion"], labels), 0
    else:
        counted = count_pairs(given["human"], given["judge"], labels)
        t, dropped = counted.confusion, counted.n_dropped
    found = ask("cohen_kappa", t, weights=given["weights"])
    wald = found.wald(tail(given)) or (None, None)
    return {
        "n": found.n,
        "po": found.po,
        "pe": found.pe,
        "kappa": found.value,
        "se": found.se,
        "se0": found.se0,
        "ci_low": wald[0],
        "ci_high": wald[1],
        "n_dropped": dropped,
        "status": found.status or {"no pairs": "no_data"}.get(found.undefined, BOTH_CONSTANT),
    }


BOTH_CONSTANT = "undefined_both_constant"


def kappa_small_sample(given: Case) -> Case:
    t = table(given["confusion"])
    levels = (tail(given), 2 * tail(given), 0.5, 1 - tail(given))
    quantiles = ask("kappa_quantiles", given["confusion"], levels, draws=100_000)
    rng = np.random.default_rng(20_261_130)
    shown = ask("bootstrap_kappa", t, rng, tail=tail(given), draws=100_000)
    estimate = shown.estimate
    undefined = isinstance(estimate, Undefined)
    return {
        "kappa": value(estimate),
        "dirichlet_low": quantiles[0],
        "dirichlet_lower_one_sided_95": quantiles[1],
        "dirichlet_median": quantiles[2],
        "dirichlet_high": quantiles[3],
        "bootstrap_undefined_share": shown.undefined_share,
        "percentile_low": low(estimate),
        "percentile_high": high(estimate),
        "status": BOTH_CONSTANT if undefined else estimate.status,
    }


def kappa_grouped(given: Case) -> Case:
    found = ask("jackknife_kappa", given["group_confusions"])
    bounds = found.fisher_z(tail(given)) or (None, None)
    return {
        "kappa": found.value,
        "jackknife_se": found.se,
        "fisher_z_low": bounds[0],
        "fisher_z_high": bounds[1],
        "n_groups": found.n_groups,
        "status": "ok" if found.undefined is None else "not_estimable",
    }


RATER_STATUS = {
    raters.UNEQUAL: "needs_equal_raters",
    raters.ONE_CATEGORY: "undefined_one_category",
    raters.NO_VARIATION: "undefined_no_variation",
    raters.NO_PAIRS: "no_pairable_units",
}


def rater_status(found: Statistic) -> str:
    return RATER_STATUS[found.undefined] if isinstance(found, Undefined) else "ok"


def fleiss_kappa(given: Case) -> Case:
    found = ask("fleiss_kappa", raters.label_counts(given["ratings"], given["labels"]))
    return {
        "kappa": value(found.estimate),
        "po": found.observed,
        "pe": found.expected,
        "status": rater_status(found.estimate),
    }


def krippendorff_alpha(given: Case) -> Case:
    counts = raters.label_counts(given["ratings"], given["labels"])
    values = given["labels"] if given["level"] == "interval" else None
    found = ask("krippendorff_alpha", counts, level=given["level"], values=values)
    return {
        "alpha": value(found.estimate),
        "observed_disagreement": found.observed,
        "expected_disagreement": found.expected,
        "n_pairable": found.n_labels,
        "status": rater_status(found.estimate),
    }


def gwet_ac(given: Case) -> Case:
    counts = raters.label_counts(given["ratings"], given["labels"])
    found = ask("gwet_ac", counts, weights=given["weights"], tail=tail(given))
    return {
        "ac": value(found.estimate),
        "pa": found.observed,
        "pe": found.expected,
        "se": found.se,
        "n_items": found.estimate.n,
        "ci_low": low(found.estimate),
        "ci_high": high(found.estimate),
        "status": rater_status(found.estimate),
    }


def majority_vote(given: Case) -> Case:
    found = ask("majority_vote", given["ratings"])
    return {
        "labels": list(found.labels),
        "n_ties": found.n_ties,
        "n_unlabelled": found.n_unlabelled,
    }


def dawid_skene(given: Case) -> Case:
    found = ask("dawid_skene", given["ratings"], given["labels"], max_iterations=given["max_iter"])
    return {
        "class_prior": found.class_prior,
        "posterior": found.posterior,
        "confusion": found.confusion,
        "loglik": found.loglik,
    }


def alternative_annotator(given: Case) -> Case:
    found = ask(
        "alternative_annotator_test",
        given["ratings"],
        given["judge"],
        epsilon=given["epsilon"],
        q=given["fdr_q"],
        min_humans=given["min_humans_per_item"],
        min_items=given["min_items_per_human"],
        scoring=given["scoring"],
    )
    few = isinstance(found.average_advantage, Undefined)
    return {
        "winning_rate": value(found.winning_rate),
        "average_advantage": value(found.average_advantage),
        "p_values": list(found.p_values),
        "advantage_by_annotator": list(found.advantages),
        "annotators_used": list(found.annotators),
        "passes": found.passes,
        "status": "no_annotator_with_enough_items" if few else "ok",
    }


AGREEMENT: dict[str, tuple[Adapter, tuple[str, ...]]] = {
    "agreement_2x2": (
        two_by_two,
        (
            "cohen_kappa",
            "pabak",
            "gwet_ac1",
            "specific_agreement",
            "prevalence_index",
            "bias_index",
        ),
    ),
    "alt_test": (alternative_annotator, ("alternative_annotator_test",)),
    "cohen_kappa": (cohen_kappa, ("cohen_kappa",)),
    "dawid_skene": (dawid_skene, ("dawid_skene",)),
    "fleiss_kappa": (fleiss_kappa, ("fleiss_kappa",)),
    "gwet_ac": (gwet_ac, ("gwet_ac",)),
    "kappa_grouped_ci": (kappa_grouped, ("jackknife_kappa",)),
    "kappa_small_sample_ci": (kappa_small_sample, ("kappa_quantiles", "bootstrap_kappa")),
    "krippendorff_alpha": (krippendorff_alpha, ("krippendorff_alpha",)),
    "majority_vote": (majority_vote, ("majority_vote",)),
    "weighted_kappa": (cohen_kappa, ("cohen_kappa",)),
}
