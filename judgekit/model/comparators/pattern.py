"""A regular expression that the whole value, or a part of it, has to match."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Literal

from pydantic import field_validator

from judgekit.model.comparators.base import MISSING, Comparator, Decider

MAX_TEXT = 100_000
"""Longer texts are not searched: a pattern with nested repeats may take hours on them."""


class Pattern(Comparator):
    """The found text matches `regex`, whatever value is expected.

    `where: whole` (the default) matches from end to end, `inside` anywhere.

    Example:
        >>> Pattern(kind="pattern", regex=r"R-[0-9]{5}").decide("any", "R-73044")
        True
    """

    kind: Literal["pattern"]
    regex: str
    where: Literal["whole", "inside"] = "whole"

    @field_validator("regex")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return value

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: only the found value is looked at."""
        compiled = re.compile(self.regex)
        match = compiled.fullmatch if self.where == "whole" else compiled.search

        def decide(_expected: Any, found: Any) -> bool | None:
            if found is MISSING or not isinstance(found, str):
                return False
            return None if len(found) > MAX_TEXT else match(found) is not None

        return decide

    def explain(self, expected: Any, found: Any) -> str:
        """Return whether the found text matches the pattern."""
        answer = self.decide(expected, found)
        if answer is None:
            return f"the text has more than {MAX_TEXT} characters and is not searched"
        return f"{found!r:.80} {'matches' if answer else 'does not match'} {self.regex!r}"
