"""What `judgekit estimate` reads: one judge's calibration and its verdicts on outputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from judgekit.calibration.calibrate import CalibrationRequest
    from judgekit.calibration.estimate import Assumption, EstimateReport
    from judgekit.cli.calibrate_inputs import Options
    from judgekit.model.verdict import Verdict
    from judgekit.store.dataset import Dataset
    from judgekit.store.workspace import Workspace

ASSUMPTIONS: tuple[Assumption, ...] = ("random", "label-shift")


def estimation(options: Options, assume: str | None, outputs: str | None) -> EstimateReport:
    """Return the estimate that the options ask for.

    Raises:
        UsageError: no assumption is stated, or several judges and none is named.
        InputError: a file, a dataset or the judge's verdicts are not there.
    """
    known = _assumption(assume)
    if options.labels or options.verdicts or options.items:
        return _of_files(options, known, outputs)
    return _of_dataset(options, known, outputs)


def _assumption(given: str | None) -> Assumption:
    for name in ASSUMPTIONS:
        if given == name:
            return name
    raise UsageError(
        "how the labelled items relate to the outputs must be stated: it cannot be guessed",
        found="no --assume" if given is None else f"--assume {given}",
        expected="--assume random (the labels are a random sample of these outputs) or "
        "--assume label-shift (another mix of good and bad, but the judge errs as often on each)",
    )


def _one(requests: Sequence[CalibrationRequest]) -> CalibrationRequest:
    if len(requests) != 1:
        names = ", ".join(one.judge for one in requests)
        raise UsageError(
            "a pass rate is estimated with one judge", found=names, mend="name it with --judge"
        )
    return requests[0]


def _of_files(options: Options, assume: Assumption, outputs: str | None) -> EstimateReport:
    from judgekit.calibration.estimate import EstimateRequest, estimate
    from judgekit.cli.calibrate_inputs import file_requests, read_mapping
    from judgekit.store.recorded import read_verdicts

    request = _one(file_requests(options))
    if outputs is None:
        return estimate(EstimateRequest(calibration=request, assume=assume))
    found = read_verdicts(
        Path(outputs),
        judges=(request.judge,) if options.judges else None,
        mapping=read_mapping(options),
        lenient=options.lenient,
    )
    if options.judges == () and len(found.verdicts) > 1:
        raise UsageError(
            "a pass rate is estimated with one judge",
            where=outputs,
            found=", ".join(found.verdicts),
            mend="name it with --judge",
        )
    return estimate(
        EstimateRequest(
            calibration=request,
            assume=assume,
            outputs=next(iter(found.verdicts.values())),
            output_items=request.items,
        )
    )


def _of_dataset(options: Options, assume: Assumption, outputs: str | None) -> EstimateReport:
    from judgekit.calibration.estimate import EstimateRequest, estimate
    from judgekit.calibration.looks import LookLedger
    from judgekit.cli.calibrate_inputs import chosen_dataset, dataset_requests
    from judgekit.store.workspace import find_workspace

    place = find_workspace(options.workspace)
    data = chosen_dataset(options, place)
    chosen = options.model_copy(update={"split": options.split or _split(data)})
    request = _one(dataset_requests(chosen, place, data))
    # Outputs of the same dataset may lie in any split: what is not labelled was in no choice.
    source = data if outputs is None else place.dataset(outputs)
    found = _verdicts(place, request, source)
    if outputs is None:
        labelled = {label.item_id for label in data.labels}
        found = tuple(verdict for verdict in found if verdict.item_id not in labelled)
    if not found:
        raise InputError(
            f"judge {request.judge!r} has no verdict on unlabelled outputs",
            where=f"dataset {source.name!r}",
            mend=f"judgekit run --grader {request.judge} --dataset {source.name}",
        )
    return estimate(
        EstimateRequest(
            calibration=request, assume=assume, outputs=found, output_items=source.items
        ),
        ledger=LookLedger(data.folder / "looks.jsonl"),
    )


def _split(data: Dataset) -> str:
    """Return the holdout where there is one: items that shaped the judge flatter it."""
    return "holdout" if "holdout" in data.split_of.values() else "all"


def _verdicts(place: Workspace, request: CalibrationRequest, data: Dataset) -> tuple[Verdict, ...]:
    from judgekit.cli.calibrate_inputs import verdicts_of

    found = verdicts_of(place, request.judge, request.fingerprint, data)
    ids = {item.id for item in data.items}
    return tuple(verdict for verdict in found if verdict.item_id in ids and not verdict.regrade)
