"""What `judgekit compare` reads: the judges of calibration, on one split or on two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from judgekit.cli.options import unusable_value
from judgekit.errors import InputError, UsageError
from judgekit.model.base import Record

if TYPE_CHECKING:
    from judgekit.calibration.calibrate import CalibrationRequest
    from judgekit.calibration.comparison import ComparisonReport
    from judgekit.calibration.looks import LookLedger
    from judgekit.cli.calibrate_inputs import Options
    from judgekit.store.dataset import Dataset

Requests = tuple["CalibrationRequest", ...]
DEVELOPMENT, HOLDOUT = "development", "holdout"


class CompareOptions(Record, allow_inf_nan=True):
    """The options of one `judgekit compare` that `calibrate` has not, unchecked."""

    select_on: str | None = None
    confirm_on: str | None = None
    choose_by: str = "youden"
    baseline: str | None = None
    margin: float | None = None
    costs: tuple[str, ...] = ()
    epsilon: float = 0.1


def comparison(options: Options, asked: CompareOptions) -> ComparisonReport:
    """Return the comparison that the options ask for.

    Raises:
        UsageError: options do not fit together or a number is out of range.
        InputError: a file, a split or a judge's verdicts are not there.
    """
    from pydantic import ValidationError

    from judgekit.calibration.compare import ComparisonRequest, compare

    _check(options, asked)
    requests, confirm_on, ledger = _requests(options, asked)
    given: dict[str, Any] = asked.model_dump(exclude={"select_on", "confirm_on", "costs"})
    try:
        request = ComparisonRequest(
            **given, requests=requests, confirm_on=confirm_on, costs=_costs(asked.costs)
        )
    except ValidationError as error:
        raise unusable_value(error) from error
    return compare(request, ledger=ledger)


def _check(options: Options, asked: CompareOptions) -> None:
    if (asked.select_on is None) != (asked.confirm_on is None):
        raise UsageError("--select-on and --confirm-on go together")
    if asked.select_on is not None and asked.select_on == asked.confirm_on:
        raise UsageError(
            "a judge cannot be confirmed on the split that it was chosen on",
            found=asked.select_on,
            expected="--select-on development --confirm-on holdout",
        )
    if asked.select_on == HOLDOUT:
        raise UsageError(
            "the holdout is for confirming: choosing on it looks at every judge there",
            expected="--select-on development --confirm-on holdout",
        )
    if asked.select_on is not None and options.split is not None:
        raise UsageError("--split does not go with --select-on and --confirm-on")


def _costs(given: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in given:
        name, sign, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not sign or not name or not math.isfinite(value) or value < 0:
            raise UsageError(
                "a cost cannot be read", found=text, expected="--cost JUDGE=USD, such as judge=2.50"
            )
        if found.setdefault(name, value) != value:
            raise UsageError(f"judge {name!r} has two costs", found=f"{found[name]:g}, {value:g}")
    return found


def _requests(
    options: Options, asked: CompareOptions
) -> tuple[Requests, Requests | None, LookLedger | None]:
    if options.labels or options.verdicts or options.items:
        return (*_of_files(options, asked), None)
    from judgekit.calibration.looks import LookLedger
    from judgekit.cli.calibrate_inputs import chosen_dataset, dataset_requests
    from judgekit.store.workspace import find_workspace

    place = find_workspace(options.workspace)
    data = chosen_dataset(options, place)
    ledger = LookLedger(data.folder / "looks.jsonl")
    select_on, confirm_on = _splits(options, asked, data)

    def of(split: str) -> Requests:
        return dataset_requests(options.model_copy(update={"split": split}), place, data)

    if confirm_on is None:
        return of(select_on), None, ledger
    return _same_judges(of(select_on), of(confirm_on), ledger)


def _splits(options: Options, asked: CompareOptions, data: Dataset) -> tuple[str, str | None]:
    """Return the splits: those asked for, else development and holdout where both have items."""
    if asked.select_on is not None:
        return asked.select_on, asked.confirm_on
    if options.split is not None:
        return options.split, None
    present = set(data.split_of.values())
    if {DEVELOPMENT, HOLDOUT} <= present:
        return DEVELOPMENT, HOLDOUT
    return "all", None


def _same_judges(
    first: Requests, second: Requests, ledger: LookLedger
) -> tuple[Requests, Requests, LookLedger]:
    """Keep the judges with verdicts on both splits: no other could be confirmed."""
    both = {one.judge for one in first} & {one.judge for one in second}
    lost = sorted({one.judge for one in (*first, *second)} - both)
    if lost:
        from judgekit.cli.output import say

        say(f"left out, no verdicts on one of the splits: {', '.join(lost)}")
    kept = tuple(tuple(one for one in side if one.judge in both) for side in (first, second))
    return kept[0], kept[1], ledger


def _of_files(options: Options, asked: CompareOptions) -> tuple[Requests, Requests | None]:
    from judgekit.cli.calibrate_inputs import file_requests

    requests = file_requests(options)
    if asked.select_on is None or asked.confirm_on is None:
        return requests, None
    return _on_split(requests, asked.select_on), _on_split(requests, asked.confirm_on)


def _on_split(requests: Requests, split: str) -> Requests:
    """Return the requests on the items that their file puts into a split."""
    items = requests[0].items if requests else None
    within = frozenset(item.id for item in items or () if item.split == split)
    if not within:
        raise InputError(
            f"no item is in split {split!r}",
            found="no items file" if items is None else f"{len(items)} items",
            expected="--items with a `split` in each row, the same for all items of a group",
            mend="or make it a dataset with `splits:` in dataset.yaml",
        )
    _refuse_divided(items or ())
    return tuple(one.model_copy(update={"within": within, "split": split}) for one in requests)


def _refuse_divided(items: Sequence[Any]) -> None:
    seen: dict[str, str | None] = {}
    for item in items:
        if seen.setdefault(item.group_key, item.split) != item.split:
            raise InputError(
                f"the group {item.group_key!r} lies in two splits",
                expected="each group in one split, else nothing is confirmed on unseen items",
            )
