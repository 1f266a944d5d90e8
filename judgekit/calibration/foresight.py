"""What a look would show and cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime

from judgekit.calibration.calibrate import CalibrationRequest, calibrate_family
from judgekit.calibration.looks import Look, LookLedger
from judgekit.calibration.report import CalibrationReport
from judgekit.model.base import Record

Families = Sequence[tuple[CalibrationRequest, ...]]


class ForeseeingLedger(LookLedger):
    """A ledger that keeps new looks in memory: it counts them as the real one would."""

    def __init__(self, recorded: LookLedger) -> None:
        super().__init__(recorded.path)
        self.added: list[Look] = []

    def read(self) -> tuple[Look, ...]:
        """Return the looks of the file and those that would be added to it."""
        return (*super().read(), *self.added)

    def _alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _append(self, look: Look) -> None:
        self.added.append(look)


class Foresight(Record):
    """What calibrating would show; `new_looks` names the judges whose look would be recorded.

    With none of them, `reports` are what calibrating returns and cost nothing. Otherwise they must
    not be shown before the looks are spent. `looks_left` is what remains before, None where no
    holdout is looked at.
    """

    reports: tuple[CalibrationReport, ...]
    new_looks: tuple[str, ...]
    looks_left: int | None = None


def foresee(families: Families, ledger: LookLedger, *, now: datetime | None = None) -> Foresight:
    """Return what `calibrate_family` would return and which looks it would record; write nothing.

    Raises:
        CriterionMismatch: as `calibrate`.
        InputError: as `calibrate`.
    """
    memory, at = ForeseeingLedger(ledger), now or datetime.now(UTC)
    reports = tuple(
        report for one in families for report in calibrate_family(one, ledger=memory, now=at)
    )
    states = [report.looks for report in reports if report.looks is not None]
    new = tuple(look.judge for look in memory.added)
    left = None
    if states:
        left = max(0, states[-1].max_looks - states[-1].used + len(new))
    return Foresight(reports=reports, new_looks=new, looks_left=left)
