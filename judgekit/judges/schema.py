"""The verdict schema of a rubric: evidence first, the answer last (DESIGN section 3)."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from judgekit.model.rubric import Rubric

_CONFIG = ConfigDict(extra="forbid", strict=True)


def verdict_model(rubric: Rubric) -> type[BaseModel]:
    """Return the model of a reply: evidence, passed and failed criteria, failure mode, passed.

    Every field is required, no other key is taken, ids come from the rubric, and `passed` may be
    null only where the rubric allows abstaining.
    """
    return _model(rubric.criterion_ids, rubric.failure_mode_ids, rubric.abstain)


@cache
def _model(criteria: tuple[str, ...], modes: tuple[str, ...], abstain: bool) -> type[BaseModel]:
    criterion: Any = Literal[criteria]
    mode: Any = Literal[modes]
    passed: Any = bool | None if abstain else bool
    fields: dict[str, Any] = {
        "evidence": (list[str], ...),
        "passed_criteria": (list[criterion], ...),
        "failed_criteria": (list[criterion], ...),
        "failure_mode": (mode | None, ...),
        "passed": (passed, ...),
    }
    return create_model("Verdict", __config__=_CONFIG, **fields)


def misfit(error: ValidationError) -> str:
    """Return one sentence on the first thing that does not fit the schema."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"])) or "reply"
    return f"the reply does not fit the schema: {where}: {first['msg']}"
