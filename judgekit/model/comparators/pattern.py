"""A regular expression that the whole value, or a part of it, has to match."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, Literal

from pydantic import field_validator

from judgekit.model.comparators.base import Comparator, Decider, shown, where_present
from judgekit.model.safe_regex import MAX_TEXT, safe_regex


class Pattern(Comparator):
    """The found text matches `regex`, whatever value is expected.

    `where: whole` (the default) matches from end to end, `inside` anywhere. A pattern that may
    take hours (repeats within repeats) is run so that it cannot; where that is not possible (look
    around and back references), or the text is over 100,000 characters, the answer is undecided.

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
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return value

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: only the found value is looked at."""
        compiled = safe_regex(self.regex)
        match = compiled.matches if self.where == "whole" else compiled.found_in

        def decide(_expected: Any, found: Any) -> bool | None:
            return match(found) if isinstance(found, str) else False

        return where_present(decide)

    def explain(self, expected: Any, found: Any) -> str:
        """Return whether the found text matches the pattern."""
        answer = self.decide(expected, found)
        if answer is not None:
            return f"{shown(found)} {'matches' if answer else 'does not match'} {self.regex!r}"
        if len(found) > MAX_TEXT:
            return f"the text has more than {MAX_TEXT} characters and is not searched"
        return f"{self.regex!r} might take hours on {len(found)} characters and is not tried"
