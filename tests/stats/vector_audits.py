"""How each vector file about repeats, cost, bias and drift asks the registry."""

from __future__ import annotations

from vector_agreement import Adapter, Case, ask, high, low, table, tail, value


def pass_k(given: Case) -> Case:
    trials = [task["trials"] for task in given["tasks"]]
    successes = [task["successes"] for task in given["tasks"]]
    return {
        key: {str(k): value(ask(name, trials, successes, k)) for k in given["k"]}
        for key, name in (("pass_at_k", "pass_at_k"), ("pass_hat_k", "pass_hat_k"))
    }


def repeat_stability(given: Case) -> Case:
    found = ask("repeat_stability", given["verdicts"])
    anova = found.anova
    return {
        "pairwise_disagreement": value(found.disagreement),
        "flip_rate_items": value(found.flipped),
        "test_retest_fleiss": value(found.test_retest),
        "ms_between": anova.ms_between if anova else None,
        "ms_within": anova.ms_within if anova else None,
        "var_between": anova.var_between if anova else None,
        "var_within": anova.var_within if anova else None,
        "icc1": value(found.icc1),
    }


def cost_per_correct(given: Case) -> Case:
    found = ask("cost_per_correct", given["cost"], given["fully_correct"])
    return {
        "n": found.n,
        "median": found.median,
        "p95": found.p95,
        "mean": found.mean,
        "fraction_correct": found.fraction_correct,
        "cost_per_correct": value(found.per_correct),
        "ratio_se": found.se,
        "n_dropped": found.n_missing,
    }


def position_bias(given: Case) -> Case:
    found = ask(
        "position_bias",
        given["chose_A_both_orders"],
        given["chose_B_both_orders"],
        given["chose_first_position_both_orders"],
        given["chose_second_position_both_orders"],
        tail=tail(given),
    )
    return {
        "n_pairs": found.n_pairs,
        "swap_consistency": value(found.consistency),
        "first_preference_rate_overall": found.first_rate_overall,
        "conditional_first_rate": value(found.first_rate),
        "p_exact": found.p_exact,
        "consistency_wilson_low": low(found.consistency),
        "consistency_wilson_high": high(found.consistency),
        "conditional_cp_low": low(found.first_rate),
        "conditional_cp_high": high(found.first_rate),
    }


def verbosity_logit(given: Case) -> Case:
    found = ask("verbosity_logit", given["judge_pass"], given["human_pass"], given["length"])
    return {
        "status": found.status,
        "intercept": found.intercept,
        "coef_human_pass": found.coef_human,
        "coef_log_length": found.coef_log_length,
        "se_log_length": found.se_log_length,
        "odds_ratio_per_doubling": found.odds_ratio_per_doubling,
        "p_log_length": found.p,
        "loglik": found.loglik,
    }


def conditional_preference(given: Case) -> Case:
    found = ask("mantel_haenszel", given["strata"])
    return {
        "mh_odds_ratio": value(found.odds_ratio),
        "mh_risk_difference": value(found.risk_difference),
        "cmh_statistic": found.statistic,
        "cmh_p": found.p,
        "status": found.status,
    }


def drift_two_proportion(given: Case) -> Case:
    counts = (
        given["baseline_successes"],
        given["baseline_n"],
        given["window_successes"],
        given["window_n"],
    )
    found = ask("two_proportion", *counts, tail(given))
    hybrid = ask("newcombe_difference", *counts, tail(given))
    return {
        "difference": value(found.difference),
        "newcombe_low": low(hybrid),
        "newcombe_high": high(hybrid),
        "z_pooled": found.z_pooled,
        "p_pooled": found.p_pooled,
        "p_fisher": found.p_fisher,
    }


def drift_kappa_drop(given: Case) -> Case:
    baseline, window = table(given["baseline_confusion"]), table(given["window_confusion"])
    found = ask("kappa_drop", baseline, window)
    return {
        "kappa_baseline": found.baseline,
        "kappa_window": found.window,
        "z": found.z,
        "p_one_sided_drop": found.p_drop,
        "status": found.status,
    }


def drift_cusum(given: Case) -> Case:
    found = ask(
        "bernoulli_cusum",
        given["errors"],
        given["in_control_rate"],
        given["out_of_control_rate"],
        given["threshold"],
    )
    picture = ask("ewma", given["errors"], given["in_control_rate"], given["ewma_lambda"])
    return {"cusum": found.path, "first_signal": found.first_signal, "ewma": picture}


AUDITS: dict[str, tuple[Adapter, tuple[str, ...]]] = {
    "conditional_preference_cmh": (conditional_preference, ("mantel_haenszel",)),
    "cost_per_correct": (cost_per_correct, ("cost_per_correct",)),
    "drift_cusum": (drift_cusum, ("bernoulli_cusum", "ewma")),
    "drift_kappa_drop": (drift_kappa_drop, ("kappa_drop",)),
    "drift_two_proportion": (drift_two_proportion, ("two_proportion", "newcombe_difference")),
    "pass_k": (pass_k, ("pass_at_k", "pass_hat_k")),
    "position_bias": (position_bias, ("position_bias",)),
    "repeat_stability": (repeat_stability, ("repeat_stability",)),
    "verbosity_logit": (verbosity_logit, ("verbosity_logit",)),
}
