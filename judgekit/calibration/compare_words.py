"""The sentences beside a comparison: what follows, and what the data cannot support."""

from __future__ import annotations

from judgekit.calibration.comparison import ComparisonReport, Stage
from judgekit.calibration.looks import LookState
from judgekit.stats.estimate import Estimate, Undefined

FEW_ITEMS = 20
LEAST_PEOPLE = 3
NO_WINNER = (
    "No winner is named: whoever picks the best judge on these items and reports its figures on"
    " them reports too good ones. Choose on one split and confirm on another:"
    " --select-on development --confirm-on holdout."
)


def comparison_reasons(report: ComparisonReport, *, ledger: bool) -> tuple[str, ...]:
    """Return what follows from a comparison, one sentence each."""
    measured, choice, confirmed = report.measured, report.choice, report.confirmed
    if choice is None:
        return (NO_WINNER, *(test.sentence for test in measured.non_inferiority))
    if confirmed is None:
        return (choice.sentence,)
    found = [
        choice.sentence,
        f"{choice.winner}'s figures on {measured.split} are biased, because it was chosen on those"
        f" items; its figures on {confirmed.split} are not.",
        *(test.sentence for test in confirmed.non_inferiority),
    ]
    if report.untested:
        found.append("The margin was not tested: the looks at this holdout are used up.")
    found += _about_looks(confirmed.candidates[0].figures.looks, ledger=ledger)
    return tuple(found)


def _about_looks(look: LookState | None, *, ledger: bool) -> list[str]:
    if not ledger:
        return [
            "Files keep no ledger of looks: confirming again on the same items, with another judge"
            " or other limits, is not guarded against here."
        ]
    if look is None:
        return []
    if look.exhausted:
        return ["The looks at this holdout are used up: confirm on fresh labels."]
    return [f"This is look {look.used} of {look.max_looks} at this holdout."]


def comparison_caveats(measured: Stage, confirmed: Stage | None) -> tuple[str, ...]:
    """Return the claims that these data cannot support, one sentence each."""
    return (
        *_about_items(measured),
        *_about_people(measured),
        *_about_cost(measured),
        *_about_difference(confirmed or measured),
        "Nothing is said about another prompt, model, rubric or kind of item: a change of any of "
        "them is another judge.",
    )


def _about_items(stage: Stage) -> list[str]:
    found = []
    largest = max(one.figures.n_pairs for one in stage.candidates)
    if stage.n_shared < largest:
        found.append(
            f"{stage.n_shared} items were answered by every judge, {largest} by the judge with the"
            " most: a difference counts only items that both judges answered, so a judge that"
            " leaves hard items out looks better (see its worst-case rates)."
        )
    grouped = [d for d in stage.differences if d.n_groups < d.n]
    if grouped:
        found.append(
            "Items come in groups, so each McNemar p (which counts items as independent) is shown"
            " in --json only; the tests here respect the groups."
        )
    if any(one.figures.origins.get(origin) for one in stage.candidates for origin in UNREAL):
        found.append("Nothing is said about people: labels here are synthetic or a model's.")
    return found


UNREAL = ("model", "synthetic")


def _about_people(stage: Stage) -> list[str]:
    reasons = {one.ceiling.reason for one in stage.candidates if one.ceiling.passes is None}
    tested = [one.ceiling for one in stage.candidates if one.ceiling.passes is not None]
    grouped = any(one.figures.n_groups < one.figures.n_pairs for one in stage.candidates)
    weak = []
    if tested and (grouped or len(tested[0].annotators) < LEAST_PEOPLE):
        few = (
            f"only {len(tested[0].annotators)} people"
            if len(tested[0].annotators) < LEAST_PEOPLE
            else ""
        )
        both = " and ".join(w for w in (few, "items in groups" if grouped else "") if w)
        weak.append(
            f"How sure the alternative-annotator test is with {both}: it was made for three people"
            " or more and independent items."
        )
    return weak + [
        f"Whether a judge could stand in for a person is not testable here: {reason}."
        for reason in sorted(reason for reason in reasons if reason)
    ]


def _about_cost(stage: Stage) -> list[str]:
    unknown = [one.judge for one in stage.candidates if isinstance(one.usd_per_1000, Undefined)]
    if not unknown:
        return []
    whose = (
        "no judge's cost is known"
        if len(unknown) == len(stage.candidates)
        else (f"the cost of {', '.join(unknown)} is unknown")
    )
    return [f"Which judge is cheaper: {whose} (state it with --cost JUDGE=USD per 1,000 items)."]


def _about_difference(stage: Stage) -> list[str]:
    found = []
    open_ones = [
        d for d in stage.differences
        if isinstance(d.difference, Estimate) and (d.p_holm is None or d.p_holm > 0.05)
    ]  # fmt: skip
    if open_ones:
        found.append(
            f"{len(open_ones)} of {len(stage.differences)} differences are not told apart from"
            " none; that is not evidence that the judges are equal (test --margin for that)."
        )
    few = sorted({d.n for d in stage.differences if d.n < FEW_ITEMS})
    if few:
        found.append(f"Differences on fewer than {FEW_ITEMS} items (here {few[0]}) are rough.")
    return found
