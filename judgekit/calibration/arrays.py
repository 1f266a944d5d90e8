"""Calibrate from arrays in memory: a million pairs in seconds, counted and never looped over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from judgekit.calibration.arrival import Arrivals
from judgekit.calibration.assemble import judge_all
from judgekit.calibration.calibrate import has_limits
from judgekit.calibration.design import Sampling
from judgekit.calibration.human import HumanAgreement
from judgekit.calibration.report import CalibrationReport
from judgekit.calibration.subject import Heading, Subject
from judgekit.calibration.tables import Tables, count_tables, counts_by_group
from judgekit.errors import UsageError
from judgekit.model.canonical import bytes_hash
from judgekit.model.label import OVERALL
from judgekit.model.policy import Policy
from judgekit.stats.confusion import PASS_FAIL
from judgekit.stats.estimate import Undefined

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ONE_LABEL = Undefined(undefined="no item was labelled by two people: there is no human ceiling")


def calibrate_arrays(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    groups: Sequence[object] | ArrayLike | None = None,
    policy: Policy | None = None,
    name: str = "judge",
    judge_pass_share: float | None = None,
) -> CalibrationReport:
    """Return the report of one judge from arrays, decision included.

    Args:
        human: (n,) 1 or True = pass, 0 or False = fail; -1 = people did not settle it.
        judge: (n,) the judge's answers in the same way; -1 = not scored.
        groups: (n,) the cluster key of each item, None = every item on its own.
        policy: the limits; without limits there are numbers and no decision.
        name: how the report calls the judge.
        judge_pass_share: the share of passes among all verdicts, where the labels were drawn by
            verdict (caps then stay undecided); None = a random sample.

    Raises:
        UsageError: the arrays differ in length, are empty or hold other values.

    Example:
        >>> report = calibrate_arrays([1] * 60 + [0] * 60, [1] * 60 + [0] * 60,
        ...                           policy=Policy(max_false_pass_rate=0.05))
        >>> report.decision
        'approved'
    """
    sampling = _sampling(judge_pass_share)
    heading = heading_for(name, policy)
    subject = _subject(_answers(human), _answers(judge), groups, heading, sampling)
    return judge_all((subject,), None, datetime.now(UTC))[0]


def _subject(
    first: Any,
    second: Any,
    groups: Sequence[object] | ArrayLike | None,
    heading: Heading,
    sampling: Sampling,
) -> Subject:
    """Return what is to be judged from (n,) positions of the human and the judge's answers."""
    if len(first) != len(second) or not len(first):
        raise UsageError(
            "human and judge answers must be two arrays of one length",
            found=f"{len(first)} and {len(second)}",
        )
    codes, n_groups = group_codes(groups, len(first))
    unscored = int(((second < 0) & (first >= 0)).sum())
    return counted_subject(
        heading,
        count_tables(PASS_FAIL, human=first, judge=second, group=codes, n_groups=n_groups),
        hashes=lambda: (bytes_hash(first.tobytes()), bytes_hash(second.tobytes())),
        sampling=sampling,
        without_answer=lambda: counts_by_group(second < 0, codes, n_groups),
        all_verdicts=False,
        unscored={"invalid": unscored} if unscored else {},
    )


def _answers(values: ArrayLike) -> Any:
    """Return positions in (pass, fail), -1 for no answer."""
    import numpy as np

    given = np.asarray(values)
    if given.ndim != 1 or given.dtype.kind not in "biuf":
        raise UsageError(
            "answers must be one array of numbers", expected="1 = pass, 0 = fail, -1 = no answer"
        )
    if not np.isin(given, (-1, 0, 1)).all():
        raise UsageError("an answer is none of 1 (pass), 0 (fail) and -1 (no answer)")
    signed = given.astype(np.int64)
    return np.where(signed < 0, -1, 1 - signed)


def group_codes(groups: Sequence[object] | ArrayLike | None, n: int) -> tuple[Any, int]:
    """Return (n,) codes of groups in [0, G) and G.

    Raises:
        UsageError: there is not one group for each item.
    """
    import numpy as np

    if groups is None:
        return np.arange(n), n
    keys = np.asarray(groups)
    if keys.shape != (n,):
        raise UsageError("groups must name one group for each item", found=str(keys.shape))
    if keys.dtype.kind in "biu":
        found, codes = np.unique(keys, return_inverse=True)
        return codes, len(found)
    position: dict[object, int] = {}
    listed = (position.setdefault(key, len(position)) for key in keys.tolist())
    codes = np.fromiter(listed, dtype=np.int64, count=n)
    return codes, len(position)


def heading_for(name: str, policy: Policy | None, **more: Any) -> Heading:
    """Return who is judged, under a policy's limits where it sets any."""
    rules = policy or Policy()
    given: dict[str, Any] = {"fingerprint": "", "unit": OVERALL, "kind": "recorded", **more}
    return Heading(
        judge=name,
        policy=rules if policy is not None and has_limits(rules) else None,
        confidence=rules.confidence,
        max_looks=rules.max_looks,
        allow_synthetic=rules.allow_synthetic,
        **given,
    )


def counted_subject(
    heading: Heading,
    tables: Tables,
    *,
    hashes: Callable[[], tuple[str, str]],
    unscored: dict[str, int],
    sampling: Sampling,
    **more: Any,
) -> Subject:
    """Return a subject that is only counts: one label an item, no texts and no failure modes."""
    alone = HumanAgreement(kappa=ONE_LABEL, agreement=ONE_LABEL, ac1=ONE_LABEL)
    return Subject(
        heading=heading,
        tables=tables,
        sampling=sampling,
        humans=lambda _: alone,
        hashes=hashes,
        items=set,
        arrivals=lambda: Arrivals(refused="the order of arrival is not known"),
        unscored=unscored,
        **more,
    )


def _sampling(judge_pass_share: float | None) -> Sampling:
    if judge_pass_share is None:
        return Sampling()
    return Sampling(
        kind="by_verdict", declared=True, judge_pass_share=judge_pass_share, source="as given"
    )
