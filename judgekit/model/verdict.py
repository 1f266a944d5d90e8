"""A verdict: a grader's answer about one item."""

from __future__ import annotations

import re
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from judgekit.errors import FailureKind
from judgekit.model.base import Record, TypedRecord

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Status = Literal["scored", "abstained", "invalid", "failed"]


class Usage(TypedRecord):
    """Tokens of one attempt. None = the provider did not say."""

    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    cache_write_tokens: int | None = Field(default=None, ge=0)
    reasoning_tokens: int | None = Field(default=None, ge=0)


class Attempt(Record):
    """One request that was sent, whatever came back; failed ones are paid too.

    `cost_usd` None = unknown price or unknown usage (not zero). `kind` is None when a reply was
    read, else the failure kind.
    """

    kind: FailureKind | None = None
    http_status: int | None = None
    usage: Usage = Usage()
    cost_usd: float | None = Field(default=None, ge=0)
    latency_s: float = Field(default=0.0, ge=0)
    finish_reason: str | None = None
    message: str | None = None


class Verdict(Record):
    """A grader's answer about one item.

    Only status `scored` enters rates; then `passed` is a bool. Under any other status `passed` is
    None and `reason` says why. `unsupported` lists the quotes that were not found in a shown
    field; None where quotes were not checked.
    """

    item_id: str
    grader: str
    fingerprint: str
    item_hash: str
    regrade: int = Field(default=0, ge=0)
    status: Status
    passed: bool | None = None
    evidence: tuple[str, ...] = ()
    passed_criteria: tuple[str, ...] = ()
    failed_criteria: tuple[str, ...] = ()
    failure_mode: str | None = None
    reason: str | None = None
    kind: FailureKind | None = None
    unsupported: tuple[str, ...] | None = None
    reasked: int = Field(default=0, ge=0)
    model: str | None = None
    finish_reason: str | None = None
    sent: dict[str, Any] = Field(default_factory=dict)
    raw: str | None = None
    attempts: tuple[Attempt, ...] = ()
    cost_usd: float | None = Field(default=None, ge=0)
    latency_s: float | None = Field(default=None, ge=0)
    criterion: str | None = None
    order: str | None = None
    score: float | None = None

    @model_validator(mode="after")
    def _status_rules(self) -> Self:
        if (self.status == "scored") != (self.passed is not None):
            raise ValueError("passed is set exactly when status is 'scored'")
        if (self.status == "failed") != (self.kind is not None):
            raise ValueError("kind is set exactly when status is 'failed'")
        if self.status in ("invalid", "failed") and not self.reason:
            raise ValueError(f"status {self.status!r} needs a reason")
        return self

    def in_utf8(self) -> Verdict:
        """Return the verdict with U+FFFD for what UTF-8 cannot carry: a grader may say anything."""
        return Verdict.model_validate(in_utf8(self.model_dump()))


def in_utf8(value: Any) -> Any:
    """Return a JSON value with U+FFFD for the lone surrogates that UTF-8 cannot carry."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return [in_utf8(part) for part in value]
    if isinstance(value, dict):
        return {in_utf8(key): in_utf8(part) for key, part in value.items()}
    return value
