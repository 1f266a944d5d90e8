"""An older `score --json` beside the present one: only under the same rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.errors import InputError

if TYPE_CHECKING:
    from judgekit.model.scoring import ScoringRules

_SHOWN = ("correct", "all_fields_correct", "critical_fields_correct", "state_correct")


def read_baseline(path: Path, rules: ScoringRules) -> dict[str, Any]:
    """Return the headline figures of an older report.

    Raises:
        InputError: the file is no score report.
        UsageError: it was scored under other rules; says which and what of it was loosened.
    """
    from judgekit.process.rules_diff import refuse_other_rules
    from judgekit.store.files import read_bytes

    try:
        body = json.loads(read_bytes(path))
        older = body["rules_body"]
        figures = {name: body[name] for name in _SHOWN}
        refuse_other_rules(older, rules.body, f"{path.name!r}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{path.name!r} is no score report",
            where=str(path),
            found=f"{type(error).__name__}: {error}",
            expected="what `judgekit score --json` printed",
        ) from error
    return {"n_trials": body.get("n_trials"), "cases_hash": body.get("cases_hash"), **figures}
