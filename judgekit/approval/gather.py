"""Calibrate a grader on a dataset and collect what an approval would rest on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path

from judgekit.approval.evidence import Evidence
from judgekit.approval.record import Approval
from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.calibration.looks import Look, LookLedger
from judgekit.calibration.report import CalibrationReport
from judgekit.errors import ApprovalError, InputError
from judgekit.model.base import Record
from judgekit.model.fingerprint import Fingerprint
from judgekit.model.grader import GraderKind
from judgekit.model.policy import Policy
from judgekit.model.rubric import Rubric
from judgekit.model.verdict import Verdict
from judgekit.store.dataset import Dataset
from judgekit.store.journal import read_verdict_journal

LOOKS_FILE = "looks.jsonl"


class Candidate(Record):
    """A grader as approval sees it: its name, what it is and what it would send."""

    judge: str
    kind: GraderKind
    fingerprint: Fingerprint
    rubric: Rubric | None = None
    app_version: str | None = None


class ReadingLedger(LookLedger):
    """A ledger that counts a look and never records one: verifying is not looking."""

    def _alone(self) -> AbstractContextManager[None]:
        return nullcontext()

    def _append(self, look: Look) -> None:
        del look


def gather(
    candidate: Candidate,
    dataset: Dataset,
    verdicts: Sequence[Verdict],
    policy: Policy,
    *,
    reference: str = "auto",
    criterion: str | None = None,
    record_look: bool = True,
    now: datetime | None = None,
) -> Evidence:
    """Return the evidence of one calibration on the policy's split.

    `record_look` false leaves the ledger of looks as it is.

    Raises:
        InputError: the split holds no items, or nothing can be paired.
    """
    items = dataset.items_of(policy.split)
    if not items:
        raise InputError(
            f"dataset {dataset.name!r} has no items in split {policy.split!r}",
            where=str(dataset.folder),
            mend="declare splits in dataset.yaml",
        )
    within = frozenset(item.id for item in items)
    chosen = tuple(v for v in verdicts if v.item_id in within and v.regrade == 0)
    request = _request(candidate, dataset, chosen, policy, reference, criterion)
    ledger = (LookLedger if record_look else ReadingLedger)(ledger_path(dataset.folder))
    report = calibrate(request, ledger=ledger, now=now)
    return _evidence(candidate, dataset, chosen, policy, report, within)


def _request(
    candidate: Candidate,
    dataset: Dataset,
    verdicts: tuple[Verdict, ...],
    policy: Policy,
    reference: str,
    criterion: str | None,
) -> CalibrationRequest:
    return CalibrationRequest(
        judge=candidate.judge,
        fingerprint=candidate.fingerprint.value,
        labels=dataset.labels,
        verdicts=verdicts,
        items=dataset.items,
        kind=candidate.kind,
        rule=reference,
        criterion=criterion,
        rubric=candidate.rubric,
        policy=policy,
        split=policy.split,
        within=frozenset(item.id for item in dataset.items_of(policy.split)),
        synthetic=dataset.synthetic,
        design=dataset.design,
    )


def kept_verdicts(dataset_folder: Path, approval: Approval) -> tuple[Verdict, ...]:
    """Return the verdicts that `approve` kept beside the labels, of the approved fingerprint.

    Raises:
        ApprovalError: the file is absent.
        InputError: a line is not a verdict.
    """
    path = dataset_folder / "verdicts" / f"{approval.judge}.jsonl"
    if not path.is_file():
        raise ApprovalError(
            f"the verdicts that {approval.judge!r} was approved on are not there",
            where=str(path),
            mend="restore the file from git",
        )
    return read_verdict_journal(path, approval.fingerprint)


def ledger_path(dataset_folder: Path) -> Path:
    """Return where the looks at a dataset's holdout are recorded."""
    return dataset_folder / LOOKS_FILE


def _evidence(
    candidate: Candidate,
    dataset: Dataset,
    verdicts: tuple[Verdict, ...],
    policy: Policy,
    report: CalibrationReport,
    within: frozenset[str],
) -> Evidence:
    labels = [label for label in dataset.labels if label.item_id in within]
    designs = {label.design or dataset.design for label in labels} - {None}
    return Evidence(
        kind=candidate.kind,
        fingerprint=candidate.fingerprint,
        report=report.to_json(),
        policy=policy,
        items=tuple(item for item in dataset.items if item.id in within),
        verdicts=verdicts,
        dataset=dataset.folder.name,
        split=policy.split,
        rubric=candidate.rubric.name if candidate.rubric else None,
        looks=report.looks.used if report.looks else 0,
        labels_hash=report.labels_hash,
        verdicts_hash=report.verdicts_hash,
        origins=report.origins,
        annotators=tuple(sorted({label.annotator for label in labels})),
        designs=tuple(sorted(str(design) for design in designs)),
        dataset_synthetic=dataset.synthetic,
        app_version=candidate.app_version,
    )
