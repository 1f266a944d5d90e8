"""The decision and the sentences beside it."""

from __future__ import annotations

from judgekit.calibration.conditions import Condition
from judgekit.calibration.human import LOW_AGREEMENT, HumanAgreement
from judgekit.calibration.looks import LookState
from judgekit.stats.decision import Decision, three_way
from judgekit.stats.estimate import Estimate


def decide(conditions: tuple[Condition, ...], look: LookState | None) -> Decision | None:
    """Return the decision over all conditions; None where none was set."""
    if not conditions:
        return None
    if look is not None and look.exhausted:
        return "need_labels"
    return three_way(condition.outcome for condition in conditions)


def why(
    decision: Decision | None, conditions: tuple[Condition, ...], look: LookState | None
) -> tuple[str, ...]:
    """Return the sentences that explain the decision."""
    if decision is None:
        return ("No limit was set, so nothing was decided: these are numbers only.",)
    if look is not None and look.exhausted:
        return (f"All {look.max_looks} looks at this holdout are used: label a fresh holdout.",)
    if decision == "approved":
        return ("Every condition is met.",)
    wanted = "past_limit" if decision == "rejected" else "undecided"
    return tuple(c.sentence for c in conditions if c.outcome == wanted)


def warnings(humans: HumanAgreement) -> tuple[str, ...]:
    """Return what a reader must know beside the decision."""
    found = []
    kappa = humans.kappa
    if isinstance(kappa, Estimate) and kappa.value < LOW_AGREEMENT:
        found.append(
            f"Human agreement is hardly better than chance (mean pairwise kappa {kappa.value:.3f},"
            f" n={kappa.n}): these labels cannot calibrate any judge."
        )
    if humans.tie_breakers:
        names = ", ".join(humans.tie_breakers)
        found.append(
            f"Left out of human agreement: {names}, who labelled mostly where others disagreed."
        )
    return tuple(found)
