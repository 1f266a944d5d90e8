"""Requests about slices of the items, each of which may be approved on its own."""

from __future__ import annotations

from collections import defaultdict

from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.errors import UsageError
from judgekit.model.item import Item

NO_VALUE = "(none)"


def sliced(request: CalibrationRequest, key: str) -> tuple[CalibrationRequest, ...]:
    """Return one request for each value that `metadata.<key>` has among the labelled, judged
    items; items without the key are a slice of their own.

    Raises:
        UsageError: no items are given, or none of them has the key.
    """
    name = key.removeprefix("metadata.")
    if request.items is None:
        raise UsageError("slices need the items' metadata", mend="add --items FILE")
    if not any(name in item.metadata for item in request.items):
        known = sorted({field for item in request.items for field in item.metadata})
        raise UsageError(
            f"no item has the metadata {name!r}",
            found=", ".join(known) or "no metadata",
            mend="name a key of the items' metadata with --slice",
        )
    return tuple(
        request.model_copy(update={"within": frozenset(ids), "slice": f"{name}={value}"})
        for value, ids in sorted(_by_value(request, request.items, name).items())
    )


def _by_value(
    request: CalibrationRequest, items: tuple[Item, ...], name: str
) -> dict[str, set[str]]:
    """Return the ids by value, of the values that have something to compare."""
    found: dict[str, set[str]] = defaultdict(set)
    for item in items:
        if request.within is None or item.id in request.within:
            found[str(item.metadata.get(name, NO_VALUE))].add(item.id)
    used = {x.item_id for x in request.labels} & {v.item_id for v in request.verdicts}
    return {value: ids for value, ids in found.items() if ids & used}
