from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    evidence: list[str]
    passed_criteria: list[Literal["polite", "correct"]]
    failed_criteria: list[Literal["polite", "correct"]]
    failure_mode: Literal["rude"] | None
    passed: bool


@pytest.fixture
def reply_model() -> type[BaseModel]:
    return Verdict
