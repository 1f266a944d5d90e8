"""The same trials scored before and after a change of the annotation, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from judgekit.model.base import Record
from judgekit.model.trial_score import TrialScore
from judgekit.process.score_records import HEADLINE, ScoreReport


class ScoreChange(Record):
    """One answer about one trial that changed; None stands for no answer."""

    case: str
    number: int
    what: str
    before: Any
    after: Any


class Regrade(NamedTuple):
    """The same trials under older goldens: their report, and every answer that changed since."""

    before: ScoreReport
    changes: tuple[ScoreChange, ...]

    def headline(self) -> dict[str, Any]:
        """Return the headline figures under the older goldens as plain JSON."""
        return self.before.model_dump(mode="json", include=set(HEADLINE))


def score_changes(
    before: Sequence[TrialScore], after: Sequence[TrialScore]
) -> tuple[ScoreChange, ...]:
    """Return every answer that changed, trial by trial; trials are paired by case and number.

    A trial that is only on one side changes from or to None as a whole.
    """
    old = {score.key: score for score in before}
    new = {score.key: score for score in after}
    found: list[ScoreChange] = []
    for key in dict.fromkeys([*old, *new]):
        one, other = _answers(old.get(key)), _answers(new.get(key))
        found += [
            ScoreChange(
                case=key[0], number=key[1], what=what, before=one.get(what), after=other.get(what)
            )
            for what in dict.fromkeys([*one, *other])
            if one.get(what) != other.get(what)
        ]
    return tuple(found)


def _answers(score: TrialScore | None) -> dict[str, Any]:
    if score is None:
        return {}
    return dict(_each(score))


def _each(score: TrialScore) -> Iterator[tuple[str, Any]]:
    yield "correct by checks", score.checks_passed
    for one in score.fields.outcomes if score.fields is not None else ():
        yield f"field {one.field}", one.decision
    if score.path is not None:
        yield "path", score.path.passed
    for found in score.arguments.findings if score.arguments is not None else ():
        yield f"argument {found.tool}.{found.key} of call {found.call + 1}", found.status
    if score.state is not None:
        yield "state", score.state.passed
    for kind in dict.fromkeys(fault.kind for fault in score.faults):
        yield f"fault {kind}", sum(fault.kind == kind for fault in score.faults)
