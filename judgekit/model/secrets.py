"""Take secrets out of what is written: values of named variables, and what looks like a key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote

SCRUBBED = "<secret>"
_VARIABLES = re.compile(r"key|token|secret|passw|credential|auth|cookie|dsn", re.I)
_FIELDS = re.compile(
    r"(?:^|_|-)(?:api|access|secret|private|auth|signing|encryption)[_-]?key$"
    r"|passw(?:or)?d|passphrase|secret|credential|authorization|cookie|^(?:\w+[_-])?token$",
    re.I,
)
_PLACES = re.compile(r"(?:next|prev|previous|page|continuation|sync)[_-]?token$", re.I)
_PATTERNS = re.compile(
    r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}"
    r"|(?<![A-Za-z0-9])(?:gh[pousr]|github_pat|glpat|xox[abeprs]|hf|npm|pypi)[-_][A-Za-z0-9_-]{16,}"
    r"|(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{12,}"
    r"|(?<=Basic )[A-Za-z0-9+/=]{12,}"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"
)
_LEAST = 6
_ORDINARY = re.compile(
    r"production|staging|development|testing|default|enabled|disabled|warning|verbose"
    r"|/.*|[0-9.]{1,8}",
    re.I | re.S,
)


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of variables whose name says that they hold a secret, longest first.

    What `hidden_values` leaves out would be found everywhere.
    """
    found = {value for name, value in environment.items() if _VARIABLES.search(name)}
    return hidden_values(found)


def hidden_values(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values that can be told from ordinary text, longest first.

    Those of fewer than six characters, words of settings, paths and short numbers are left out.

    Example:
        >>> hidden_values(["eu", "production", "hunter22", "/run/key.sock"])
        ('hunter22',)
    """
    found = {one for one in values if len(one) >= _LEAST and not _ORDINARY.fullmatch(one)}
    return tuple(sorted(found, key=lambda one: (-len(one), one)))


def scrub(value: Any, secrets: tuple[str, ...] = ()) -> Any:
    """Return a JSON value without secrets: known values, things that look like keys, and the values
    of fields whose name says that they hold one (keys of paging are none).

    Example:
        >>> scrub({"password": "hunter22", "note": "Bearer abcdefghijkl1234"})
        {'password': '<secret>', 'note': 'Bearer <secret>'}
    """
    if isinstance(value, str):
        return _PATTERNS.sub(SCRUBBED, without(value, secrets))
    if isinstance(value, Mapping):
        return {_key(key, secrets): _field(str(key), part, secrets) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [scrub(part, secrets) for part in value]
    return value


def without(value: Any, secrets: tuple[str, ...]) -> Any:
    """Return a JSON value without these values, also as URLs and JSON texts write them.

    Example:
        >>> without({"said": "the key is hunter22"}, ("hunter22",))
        {'said': 'the key is <secret>'}
    """
    if not secrets:
        return value
    if isinstance(value, str):
        for secret in secrets:
            for written in (secret, _quoted(secret), *_escaped(secret)):
                value = value.replace(written, SCRUBBED)
        return value
    if isinstance(value, Mapping):
        return {without(key, secrets): without(part, secrets) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without(part, secrets) for part in value]
    return value


def _quoted(secret: str) -> str:
    return quote(secret.encode("utf-8", "surrogateescape"), safe="")


@lru_cache(256)
def _escaped(secret: str) -> tuple[str, ...]:
    """Return how JSON texts write a value, where that is not how it stands."""
    texts = {json.dumps(secret, ensure_ascii=ascii_alone)[1:-1] for ascii_alone in (True, False)}
    return tuple(sorted(texts - {secret}, key=len, reverse=True))


def _key(key: Any, secrets: tuple[str, ...]) -> Any:
    return scrub(key, secrets) if isinstance(key, str) else key


def _field(name: str, part: Any, secrets: tuple[str, ...]) -> Any:
    if _FIELDS.search(name) and not _PLACES.search(name):
        return _blanked(part)
    return scrub(part, secrets)


def _blanked(part: Any) -> Any:
    """Return a named secret without what it holds: its shape, its yes and no, and its gaps stay."""
    if isinstance(part, Mapping):
        return {key: _blanked(one) for key, one in part.items()}
    if isinstance(part, list | tuple):
        return [_blanked(one) for one in part]
    return part if part is None or isinstance(part, bool) or part == "" else SCRUBBED
