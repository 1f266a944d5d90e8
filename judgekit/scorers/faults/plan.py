"""The plan that the agent made, against what it did."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector
from judgekit.scorers.trajectory.alignment import align_names


@detector
def off_plan(seen: Seen) -> Iterator[Fault]:
    """Find planned calls that were not made in their order, and calls that were not planned.

    A call that is made again because it failed was planned once; ignored tools are left out.
    """
    if seen.trial.plan is None:
        return
    plan = [tool for tool in seen.trial.plan if tool not in seen.rules.tools.ignore]
    calls = [call for call in seen.matched_calls if not seen.is_retry(call.position)]
    made = [call.name for call in calls]
    for left_out, unplanned in align_names(plan, made):
        for place in left_out:
            tool = plan[place]
            late = tool in made and made.count(tool) >= plan.count(tool)
            how = "not called in its turn" if late else "not called"
            yield Fault(kind="off_plan", tool=tool, reason=f"{tool} was planned and {how}")
        for place in unplanned:
            yield Fault(
                kind="off_plan",
                tool=made[place],
                position=calls[place].position,
                reason=f"{made[place]} was called at a place where it was not planned",
            )
