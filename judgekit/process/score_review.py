"""What people should look at: suspicions, unusual shapes, values that code could not decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from judgekit.model.case import Case
from judgekit.model.item import Item
from judgekit.model.review import REVIEW_KEY, SUSPECTED_KEY, TO_CHECK
from judgekit.model.trial import Trial, TrialKey
from judgekit.model.trial_score import TrialScore
from judgekit.process.score_records import Anomaly
from judgekit.store.files import atomic_lines


def write_score_review(
    path: Path,
    scored: Iterable[tuple[Case, Trial, TrialScore]],
    unusual: Sequence[Anomaly] = (),
) -> int:
    """Write the trials that people should look at, one item a line; return how many.

    The reasons are the question: the context shows them. `unusual` names sizes of trials that are
    far from their case's past. `judgekit label --review` opens the file.
    """
    shapes: dict[TrialKey, list[str]] = {}
    for one in unusual:
        reason = f"unusual shape: {one.size} {one.value:g}, usually {one.usual:g}"
        shapes.setdefault((one.case, one.number), []).append(reason)
    n = 0

    def lines() -> Iterator[str]:
        nonlocal n
        for case, trial, score in scored:
            why = [*_reasons(score), *shapes.get(score.key, ())]
            if why:
                n += 1
                item = _item(case, trial, score, why)
                yield item.model_dump_json(exclude_none=True, exclude_defaults=True)

    atomic_lines(path, lines())
    return n


def _reasons(score: TrialScore) -> Iterator[str]:
    for fault in score.faults:
        if fault.severity == "suspicion":
            yield f"{fault.kind}: {fault.reason}"
    if score.ending == "infrastructure":
        return
    for one in score.fields.outcomes if score.fields is not None else ():
        if one.decision == "undecided":
            yield f"undecided: {one.field}: {one.reason}"
    for argument in score.arguments.findings if score.arguments is not None else ():
        if argument.status == "undecided":
            yield f"undecided: {argument.tool}.{argument.key}: {argument.reason}"
    for difference in score.state.differences if score.state is not None else ():
        if difference.kind == "undecided":
            yield f"undecided: {difference.reason}"


def _item(case: Case, trial: Trial, score: TrialScore, why: list[str]) -> Item:
    said = [one.content for one in trial.messages if one.role == "assistant" and one.content]
    given = {} if case.context is None else {"context": case.context}
    return Item.model_validate(
        {
            "id": f"{score.case_id}#{score.number}",
            "group": score.group,
            "input": case.input,
            "context": {TO_CHECK: "\n".join(why), **given},
            "output": said[-1] if said else trial.final,
            "trial": trial.in_utf8(),
            "metadata": {"case": score.case_id, REVIEW_KEY: why, SUSPECTED_KEY: True},
        }
    )
