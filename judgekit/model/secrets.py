"""Take secrets out of what is written: values of named variables, and what looks like a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SCRUBBED = "<secret>"
_NAMES = re.compile(r"key|token|secret|password|passwd|credential|authorization|cookie", re.I)
_PATTERNS = re.compile(
    r"(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"
    r"|(?:gh[pousr]|glpat|xox[abprs])[-_][A-Za-z0-9_-]{16,}"
    r"|AKIA[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{12,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"
)
_LEAST = 6


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of variables whose name says that they hold a secret, longest first.

    Values of fewer than six characters are left out: they would be found everywhere.
    """
    found = {
        value for name, value in environment.items() if _NAMES.search(name) and len(value) >= _LEAST
    }
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def scrub(value: Any, secrets: tuple[str, ...] = ()) -> Any:
    """Return a JSON value without secrets: known values, things that look like keys, and the values
    of fields whose name says that they hold one.

    Example:
        >>> scrub({"password": "hunter22", "note": "Bearer abcdefghijkl1234"})
        {'password': '<secret>', 'note': 'Bearer <secret>'}
    """
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, SCRUBBED)
        return _PATTERNS.sub(SCRUBBED, value)
    if isinstance(value, Mapping):
        return {key: _field(str(key), part, secrets) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [scrub(part, secrets) for part in value]
    return value


def _field(name: str, part: Any, secrets: tuple[str, ...]) -> Any:
    named = _NAMES.search(name) and not re.search(r"tokens?$", name, re.I)
    if isinstance(part, str) and part and (named or re.fullmatch(r"(\w+_)?token", name, re.I)):
        return SCRUBBED
    return scrub(part, secrets)
