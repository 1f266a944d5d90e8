"""How each vector file about rates, looks and planning asks the registry."""

from __future__ import annotations

from vector_agreement import Adapter, Case, ask, high, low, tail, value

from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import GroupedCounts

WORDS = {
    "approved": "approve",
    "rejected": "reject",
    "need_labels": "need_more",
    "safe": "approve",
    "past_limit": "reject",
    "undecided": "need_more",
}


def binomial_interval(given: Case) -> Case:
    x, n, alpha = given["successes"], given["n"], 1 - given["confidence"]
    score = ask("wilson", x, n, alpha / 2)
    exact, one_sided = (ask("clopper_pearson", x, n, level) for level in (alpha / 2, alpha))
    jeffreys = ask("jeffreys", x, n, alpha / 2)
    return {
        "p": x / n if n else None,
        "wilson_low": score.low if score else None,
        "wilson_high": score.high if score else None,
        "clopper_pearson_low": exact.low,
        "clopper_pearson_high": exact.high,
        "jeffreys_low": jeffreys.low,
        "jeffreys_high": jeffreys.high,
        "cp_upper_one_sided": one_sided.high,
        "cp_lower_one_sided": one_sided.low,
    }


CLUSTER_STATUS = {"needs_two_groups": "needs_two_clusters", "zero_variance": "zero_variance"}


def clustered_proportion(given: Case) -> Case:
    counts = GroupedCounts(
        errors=tuple(given["cluster_errors"]), sizes=tuple(given["cluster_sizes"])
    )
    found = ask("clustered_proportion", counts, tail=tail(given))
    one = ask("korn_graubard_n", counts, 2 * tail(given))
    upper = ask("clopper_pearson", counts.x / counts.n * one, one, 2 * tail(given)) if one else None
    return {
        "p": value(found.estimate),
        "n": counts.n,
        "n_clusters": counts.n_groups,
        "se": found.se,
        "deff": found.design_effect,
        "icc": found.icc,
        "n_eff": found.n_effective,
        "n_eff_df_adjusted": found.n_adjusted,
        "kg_ci_low": low(found.estimate),
        "kg_ci_high": high(found.estimate),
        "kg_upper_one_sided": upper.high if upper else None,
        "logit_ci_low": found.logit.low if found.logit else None,
        "logit_ci_high": found.logit.high if found.logit else None,
        "status": CLUSTER_STATUS.get(found.estimate.status or "", "ok"),
    }


def gate_min_labels(given: Case) -> Case:
    found = ask(
        "least_labels", given["limit"], alpha=1 - given["confidence"], errors=given["errors"]
    )
    return found.model_dump()


def label_planner(given: Case) -> Case:
    found = ask(
        "plan_labels",
        given["expected_rate"],
        given["limit"],
        alpha=1 - given["confidence"],
        power=given["power"],
    )
    assert not isinstance(found, Undefined)
    return found.model_dump()


def three_way_decision(given: Case) -> Case:
    alpha = 1 - given["confidence"]
    bounds = ask("clopper_pearson", given["false_passes"], given["human_fails"], alpha)
    outcome = ask("ceiling_outcome", given["limit"], high=bounds.high, reject_low=bounds.low)
    return {
        "upper": bounds.high,
        "lower": bounds.low,
        "decision": WORDS[ask("three_way", [outcome])],
    }


def anytime_gate(given: Case) -> Case:
    found = ask(
        "anytime_evidence",
        given["false_passes"],
        given["human_fails"],
        given["limit"],
        alpha=given["alpha"],
        prior=(given["prior_a"], given["prior_b"]),
    )
    return {
        "log_e_approve": found.log_e_approve,
        "log_e_reject": found.log_e_reject,
        "cs_low": found.interval.low,
        "cs_high": found.interval.high,
        "decision": WORDS[found.decision],
    }


def alpha_spending(given: Case) -> Case:
    found: Case = {}
    for name in ("obf", "pocock"):
        spent = ask(
            "alpha_spending",
            given["information_fractions"],
            alpha=given["alpha_one_sided"],
            function=name,
        )
        found[f"{name}_cumulative"] = spent.cumulative
        found[f"{name}_increment"] = spent.increments
    return found


def multiplicity(given: Case) -> Case:
    p = given["p_values"]
    return {
        "holm": ask("holm", p),
        "bh": ask("benjamini_hochberg", p),
        "by": ask("benjamini_yekutieli", p),
    }


def paired_judges(given: Case) -> Case:
    from judgekit.stats.paired import Pairs

    pairs = Pairs(
        both_right=given["both_correct"],
        only_first=given["only_judge1_correct"],
        only_second=given["only_judge2_correct"],
        both_wrong=given["both_wrong"],
    )
    test, score = ask("mcnemar", pairs), ask("tango", pairs, tail(given))
    newcombe = ask("newcombe_paired", pairs, tail(given))
    margin = ask("noninferiority", pairs, given["noninferiority_margin"])
    tested = not isinstance(margin, Undefined)
    return {
        "difference": value(score),
        "p_exact": test.p_exact,
        "p_midp": test.p_midp,
        "n_discordant": test.n_discordant,
        "tango_low": low(score),
        "tango_high": high(score),
        "newcombe_low": low(newcombe),
        "newcombe_high": high(newcombe),
        "noninferiority_z": margin.z if tested else None,
        "noninferiority_p": margin.p if tested else None,
    }


def rogan_gladen(given: Case) -> Case:
    from judgekit.stats.prevalence import Calibration

    calibration = Calibration(
        true_passes=given["calib_human_pass_judge_pass"],
        human_passes=given["calib_human_pass"],
        true_fails=given["calib_human_fail_judge_fail"],
        human_fails=given["calib_human_fail"],
    )
    found = ask("rogan_gladen", given["judge_passes"], given["n_judged"], calibration, tail(given))
    return {
        "apparent_pass_rate": found.apparent,
        "tpr": found.tpr,
        "tnr": found.tnr,
        "youden_j": value(ask("youden_j", calibration)),
        "estimate_raw": found.estimate_raw,
        "estimate": value(found.estimate),
        "rogan_gladen_se": found.se,
        "lang_reiczigel_low": low(found.estimate),
        "lang_reiczigel_high": high(found.estimate),
        "status": found.status,
    }


PPI_MODES = {"ppi": "ppi", "ppi++": "ppi_plus_plus", "ppi_pp": "ppi_plus_plus"}


def ppi_mean(given: Case) -> Case:
    found = ask(
        "ppi_mean",
        given["human"],
        given["judge_on_labelled"],
        given["judge_on_unlabelled"],
        mode=PPI_MODES.get(given["mode"], given["mode"]),
        tail=tail(given),
    )
    return {
        "estimate": found.raw,
        "se": found.se,
        "ci_low": found.wald_low,
        "ci_high": found.wald_high,
        "lam": found.lam,
        "status": "ok" if isinstance(found.estimate, Estimate) else found.estimate.undefined,
    }


def stratified_estimate(given: Case) -> Case:
    from judgekit.stats.strata import Strata

    strata = Strata(
        sizes=tuple(given["stratum_sizes"]),
        labelled=tuple(given["labelled"]),
        passes=tuple(given["human_passes"]),
    )
    found = ask("stratified_pass_rate", strata, finite=given["fpc"])
    split = ask("neyman_allocation", strata, 100)
    return {
        "estimate": value(found.estimate),
        "se": found.se,
        "status": found.status,
        "neyman_n_h_for_100": None if isinstance(split, Undefined) else split.labels,
        "neyman_status": None if isinstance(split, Undefined) else split.status,
    }


def verification_bias(given: Case) -> Case:
    from judgekit.stats.verification import VerifiedCounts

    counts = VerifiedCounts(
        all_pass=given["all_judge_pass"],
        all_fail=given["all_judge_fail"],
        pass_pass=given["labelled_judge_pass_human_pass"],
        pass_fail=given["labelled_judge_pass_human_fail"],
        fail_pass=given["labelled_judge_fail_human_pass"],
        fail_fail=given["labelled_judge_fail_human_fail"],
    )
    found = ask("begg_greenes", counts, tail(given))
    return {
        "status": found.status,
        "human_pass_rate": found.human_pass_rate,
        "tpr": found.tpr,
        "tnr": found.tnr,
        "false_pass_rate": value(found.false_pass),
        "false_fail_rate": found.false_fail_rate,
        "naive_false_pass_rate": found.naive_false_pass_rate,
        "fpr_logit_se": found.logit_se,
        "fpr_ci_low": low(found.false_pass),
        "fpr_ci_high": high(found.false_pass),
    }


RATES: dict[str, tuple[Adapter, tuple[str, ...]]] = {
    "alpha_spending": (alpha_spending, ("alpha_spending",)),
    "anytime_gate": (anytime_gate, ("anytime_evidence", "confidence_sequence")),
    "binomial_interval": (binomial_interval, ("wilson", "clopper_pearson", "jeffreys")),
    "clustered_proportion": (clustered_proportion, ("clustered_proportion", "korn_graubard_n")),
    "gate_min_labels": (gate_min_labels, ("least_labels",)),
    "label_planner": (label_planner, ("plan_labels",)),
    "multiplicity": (multiplicity, ("holm", "benjamini_hochberg")),
    "paired_judges": (paired_judges, ("mcnemar", "tango", "newcombe_paired", "noninferiority")),
    "ppi_mean": (ppi_mean, ("ppi_mean",)),
    "rogan_gladen": (rogan_gladen, ("rogan_gladen", "youden_j")),
    "stratified_estimate": (stratified_estimate, ("stratified_pass_rate", "neyman_allocation")),
    "three_way_decision_fixed_n": (three_way_decision, ("ceiling_outcome", "three_way")),
    "verification_bias": (verification_bias, ("begg_greenes",)),
}
