"""A label plan as plain text: the table, the power curve, and the items to label next."""

from __future__ import annotations

from itertools import pairwise

from judgekit.calibration.next_items import NextItems
from judgekit.calibration.plan import Oversampling, Plan, Size
from judgekit.render.text import one_line, table
from judgekit.stats.estimate import Undefined
from judgekit.stats.planning import PowerPoint

CURVE_ROWS = 16
_WIDTH = 40


def plan_text(plan: Plan) -> str:
    """Return the plan: what was asked, the answer, the table, what oversampling saves, the curve.

    Example:
        >>> from judgekit.calibration.plan import PlanRequest, make_plan
        >>> plan_text(make_plan(PlanRequest(limit=0.05, expected_rate=0.01))).splitlines()[1]
        'Label 124 human fails; from 124 on every number has the power.'
    """
    parts = [
        f"{_asked(plan)}\n{_answer(plan)}",
        _table(plan),
        _oversampling(plan.oversampling),
        "\n".join(plan.notes),
        _curve(plan),
    ]
    return "\n\n".join(part for part in parts if part)


def _asked(plan: Plan) -> str:
    asked = plan.request
    looks = "1 look" if asked.looks == 1 else f"{asked.looks} looks"
    return (
        f"limit {asked.limit:g}, expected rate {asked.expected_rate:g}, "
        f"power {_near_one(asked.power)}, confidence {_near_one(asked.confidence)}, {looks}"
    )


def _near_one(share: float) -> str:
    """Return a share in six digits, in all digits where six would round it to 0 or 1."""
    short = f"{share:g}"
    return repr(share) if short in ("0", "1") else short


def _answer(plan: Plan) -> str:
    if plan.infeasible is not None:
        never = plan.request.expected_rate >= plan.request.limit
        return f"{'No number of labels would do' if never else 'No plan'}: {plan.infeasible}."
    groups = f", in {plan.n_groups} groups" if plan.n_groups else ""
    return (
        f"Label {plan.n_first} human fails{groups}; from {plan.n_stable} on every number has "
        "the power."
    )


def _table(plan: Plan) -> str:
    share, assured = plan.request.fail_share, f"{_near_one(plan.request.assurance)}"
    rows = [["", "human fails", "errors", "power"]]
    if share is not None:
        rows[0] += [f"items at {share:g} fails", f"with {assured} assurance"]
    named = [(_least_name(size.max_errors), size) for size in plan.least]
    if plan.first is not None and plan.stable is not None:
        named += [("first with the power", plan.first), ("from here on always", plan.stable)]
    rows += [_row(name, size) for name, size in named]
    text = table(rows, right=True)
    return text if share is not None else f"{text}\n(items to label: give --fail-share)"


def _least_name(errors: int) -> str:
    if errors == 0:
        return "least with no error"
    return f"least with {errors} error" + ("s" if errors > 1 else "")


def _row(name: str, size: Size) -> list[str]:
    row = [name, f"{size.human_fail}", f"{size.max_errors}", f"{size.power:.3f}"]
    if size.items is not None:
        row += [f"{size.items}", f"{size.items_assured}"]
    return row


def _oversampling(found: Oversampling | Undefined) -> str:
    if isinstance(found, Undefined):
        return f"Drawing by the judge's verdict: not compared ({found.undefined})."
    text = (
        f"Drawing by the judge's verdict: {found.judge_passes} judge passes and "
        f"{found.judge_fails} judge fails, {found.items} items instead of about "
        f"{found.items_at_random} at random: "
    )
    if found.saves <= 0:
        return f"{text}it saves nothing ({-found.saves} more). Draw at random."
    share = found.saves / found.items_at_random
    little = ", which is little" if share < 0.1 else ""
    return f"{text}it saves {found.saves} ({share:.0%}){little}."


def _curve(plan: Plan) -> str:
    if not plan.power_curve or plan.infeasible is not None:
        return ""
    shown = _thinned(plan)
    width = len(str(shown[-1].n))
    lines = [f"{p.n:>{width}}  {p.power:.3f} |{'#' * round(_WIDTH * p.power)}" for p in shown]
    head = "Power by human fails (a saw-tooth: it rises where one more error is allowed)"
    return "\n".join([head, *lines])


def _thinned(plan: Plan) -> list[PowerPoint]:
    teeth = [[a, b] for a, b in pairwise(plan.power_curve) if b.max_errors > a.max_errors]
    step = max(1, -(-2 * len(teeth) // CURVE_ROWS))
    points = [point for tooth in teeth[::step] for point in tooth]
    if plan.first is not None:
        points += [p for p in plan.power_curve if p.n == plan.first.human_fail]
    points.append(plan.power_curve[-1])
    by_n = {p.n: p for p in points}
    return [by_n[n] for n in sorted(by_n)]


def next_text(found: NextItems, *, written: str) -> str:
    """Return the ids to label next, one a line after a head that says how they were drawn."""
    drawn = "drawn at random"
    if found.strata:
        aim = found.aim.replace("-", " ")
        drawn = f"drawn by the verdicts of {one_line(found.judge)} for the {aim}"
    lines = [f"{len(found.items)} items to label next, {drawn}:"]
    lines += [
        f"  {s.name}: {s.new} of {s.items - s.labelled} without a label "
        f"({s.items} in all, {s.labelled} labelled, {s.human_fail} of {s.resolved} human fails)"
        for s in found.strata
    ]
    lines += [one_line(found.sentence), *(f"note: {one_line(note)}" for note in found.notes)]
    where = f"design and weight of each item: {one_line(written)}"
    if found.strata:
        where += " (they tell the verdict: put them on the labels, do not show them to who labels)"
    lines.append(where)
    return "\n".join([*lines, "", *(one_line(item.item_id) for item in found.items)])
