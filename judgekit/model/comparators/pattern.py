"""A regular expression that the whole value, or a part of it, has to match."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator

from judgekit.model.comparators.base import Comparator, Decider, shown, where_present
from judgekit.model.regex import checked_regex, linear_regex


class Pattern(Comparator):
    r"""The found text matches `regex`, whatever value is expected.

    `where: whole` (the default) matches from end to end, `inside` anywhere. The syntax is RE2's,
    so that no text takes longer than its length: no look around, no back references, `\z` for the
    end of the text, and `\d`, `\w`, `\s` and `\b` mean ASCII.

    Example:
        >>> Pattern(kind="pattern", regex=r"R-[0-9]{5}").decide("any", "R-73044")
        True
    """

    kind: Literal["pattern"]
    regex: Annotated[str, AfterValidator(checked_regex)]
    where: Literal["whole", "inside"] = "whole"

    @cached_property
    def decide(self) -> Decider:
        """Return the fast form: only the found value is looked at."""
        compiled = linear_regex(self.regex)
        match = compiled.matches if self.where == "whole" else compiled.found_in

        def decide(_expected: Any, found: Any) -> bool:
            return match(found) if isinstance(found, str) else False

        return where_present(decide)

    def explain(self, expected: Any, found: Any) -> str:
        """Return whether the found text matches the pattern."""
        answer = "matches" if self.decide(expected, found) else "does not match"
        return f"{shown(found)} {answer} {self.regex!r}"
