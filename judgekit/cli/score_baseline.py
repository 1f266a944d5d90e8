"""An older `score --json` beside the present one: only under the same rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.errors import InputError

if TYPE_CHECKING:
    from judgekit.model.scoring import ScoringRules


def read_baseline(path: Path, rules: ScoringRules) -> dict[str, Any]:
    """Return the headline figures of an older report.

    Raises:
        InputError: the file is no score report.
        UsageError: it was scored under other rules; says which and what of it was loosened.
    """
    from judgekit.process.rules_diff import refuse_other_rules
    from judgekit.process.score_records import BaselineReport
    from judgekit.store.files import read_bytes

    try:
        older = BaselineReport.model_validate(json.loads(read_bytes(path)))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"{path.name!r} is no score report",
            where=str(path),
            found=f"{type(error).__name__}: {error}".splitlines()[0],
            expected="what `judgekit score --json` printed",
        ) from error
    refuse_other_rules(older.rules_body, rules.body, f"{path.name!r}")
    return older.model_dump(mode="json", exclude={"rules_body"})
