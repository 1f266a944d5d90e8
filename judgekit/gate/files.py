"""Files the gate reads and writes: the baseline and the review file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgekit.errors import InputError
from judgekit.gate.report import GATE_SCHEMA, GateReport
from judgekit.model.canonical import is_finite
from judgekit.model.item import Item
from judgekit.model.review import REVIEW_KEY


def read_baseline(path: Path) -> float:
    """Return the pass rate in [0, 1] of an earlier gate's `--json` output.

    Raises:
        InputError: no such file, not JSON, another schema, or no pass rate in it.
    """
    mend = "judgekit gate --json > FILE on the version to compare with"
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"the baseline cannot be read: {error.strerror}", where=str(path), mend=mend
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError("the baseline is not JSON", where=str(path), mend=mend) from error
    known = isinstance(data, dict) and data.get("schema") == GATE_SCHEMA
    known = known and data.get("outcome") not in ("not_approved", "outage")
    rate: Any = data.get("pass_rate") if known else None
    if not is_finite(rate):
        raise InputError(
            "the baseline holds no pass rate of a gate",
            where=str(path),
            expected=f'"schema": {GATE_SCHEMA} and "pass_rate"',
            mend=mend,
        )
    if not 0 <= float(rate) <= 1:
        raise InputError(f"the baseline's pass rate is {rate}", where=str(path))
    return float(rate)


def write_review(path: Path, report: GateReport, items: Sequence[Item]) -> int:
    """Write the items that people should look at, one JSON line each; return how many.

    Every item that was neither passed nor failed goes there, and with an inconclusive gate the
    failed ones too. A line is the item as it was read, with the reasons under
    `metadata.judgekit_review`, so that it is an items file again.
    """
    from judgekit.store.files import atomic_write

    outcomes = {"review", "outage"} | ({"failed"} if report.outcome == "inconclusive" else set())
    wanted = {r.item_id: r for r in report.items if r.outcome in outcomes}
    lines = []
    for item in items:
        if item.id in wanted:
            result = wanted[item.id]
            why = [*result.reasons, *(f"{name}: failed" for name in result.failed_by)]
            metadata = {**item.metadata, REVIEW_KEY: why}
            line = item.model_copy(update={"metadata": metadata})
            lines.append(line.model_dump_json(exclude_none=True, exclude_defaults=True))
    atomic_write(path, "".join(line + "\n" for line in lines).encode("utf-8"))
    return len(lines)
