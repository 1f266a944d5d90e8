"""What whoever signs an approval is told beside it."""

from __future__ import annotations

import re

from judgekit.approval.record import Approval

_DATE = re.compile(r"(?<!\d)(20\d{2}-?(0[1-9]|1[0-2])-?([0-2]\d|3[01])|\d{4})(?!\d)")


def is_dated(model: str) -> bool:
    """Tell whether a model name carries its date, so that it cannot change under its name.

    Example:
        >>> is_dated("some-model-2025-04-14"), is_dated("some-model-latest")
        (True, False)
    """
    return _DATE.search(model) is not None


def signing_warnings(approval: Approval, model: str | None) -> tuple[str, ...]:
    """Return what is weak about an approval, one sentence each.

    Args:
        approval: the signed block.
        model: the model that the judge asks for, None where it asks none.
    """
    found = []
    pinned = "weights" in approval.components
    if model and not pinned and not is_dated(model):
        found.append(f"model {model!r} carries no date: the provider may change it silently")
    if approval.self_approved:
        found.append(f"{approval.approver!r} also gave labels: recorded as self_approved")
    if approval.allow_synthetic:
        found.append("labels of origin model or synthetic were relied on: the lock says so")
    if approval.expires_at is None:
        found.append("this approval does not expire (policy: expires_after_days)")
    return tuple(found)
