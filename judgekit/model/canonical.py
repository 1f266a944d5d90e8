"""Canonical JSON and content hashes: the same content gives the same bytes everywhere."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

from judgekit.errors import InputError


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys, no spaces, no NaN and text kept as Unicode.

    Raises:
        InputError: the value holds NaN, an infinity, a lone surrogate or a non-JSON type.

    Example:
        >>> canonical_json({"b": 1, "a": "é"})
        '{"a":"é","b":1}'
    """
    try:
        text = json.dumps(
            value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )
        text.encode("utf-8")
    except (ValueError, TypeError) as error:
        raise InputError(f"value has no canonical JSON: {error}") from error
    return text


def content_hash(value: Any) -> str:
    """Return `sha256:<hex>` of the canonical JSON of `value`.

    Example:
        >>> content_hash({"a": 1})[:15]
        'sha256:015abd7f'
    """
    return "sha256:" + hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()


def bytes_hash(data: bytes) -> str:
    """Return `sha256:<hex>` of raw bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def unit_interval(*parts: str) -> float:
    """Return a stable number in [0, 1) from the parts: the seed of splits and orders."""
    digest = hashlib.sha256("\x1f".join(parts).encode("utf-8")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def is_finite(value: object) -> bool:
    """Tell whether a number is finite; anything that is not a number is not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
