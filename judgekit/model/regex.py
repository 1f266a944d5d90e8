"""Regular expressions that cannot hang, by RE2: time linear in the text, whatever the pattern.

Patterns come from rules and schemas, texts from agents: `re` would take hours on `(a+)+b` and forty
letters. RE2's syntax has no look around and no back references, `\\z` is the end of the text, and
`\\d`, `\\w`, `\\s` and `\\b` mean ASCII (https://github.com/google/re2/wiki/Syntax).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(256)
def linear_regex(pattern: str, *, ignore_case: bool = False) -> LinearRegex:
    """Return the pattern, compiled once.

    Raises:
        ValueError: it is no regular expression of RE2; the message says why.
    """
    return LinearRegex(pattern, ignore_case=ignore_case)


def checked_regex(pattern: str) -> str:
    """Return the pattern as it stands, for validators.

    Raises:
        ValueError: as `linear_regex`.
    """
    linear_regex(pattern)
    return pattern


class LinearRegex:
    """One pattern, and what texts have of it; any text is read, lone surrogates too.

    Example:
        >>> LinearRegex("(a+)+b").matches("a" * 5000), LinearRegex("b+").first_in("abbc")
        (False, 'bb')
    """

    def __init__(self, pattern: str, *, ignore_case: bool = False) -> None:
        import re2

        options = re2.Options()
        options.log_errors = False
        options.case_sensitive = not ignore_case
        try:
            self._compiled: Any = re2.compile(pattern.encode("utf-8"), options)
        except (re2.error, UnicodeEncodeError) as error:
            raise ValueError(f"not a regular expression (RE2 syntax): {_reason(error)}") from None

    def matches(self, text: str) -> bool:
        """Tell whether the whole text matches."""
        return self._compiled.fullmatch(_bytes(text)) is not None

    def found_in(self, text: str) -> bool:
        """Tell whether a part of the text matches."""
        return self._compiled.search(_bytes(text)) is not None

    def first_in(self, text: str) -> str | None:
        """Return the first part of the text that matches, None where none does."""
        found = self._compiled.search(_bytes(text))
        return None if found is None else found.group(0).decode("utf-8", "surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _reason(error: Exception) -> str:
    told = error.args[0] if error.args else error
    return told.decode("utf-8", "replace") if isinstance(told, bytes) else str(error)
