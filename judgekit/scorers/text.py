"""Scorers of text: a pattern that must occur, texts that must not."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.errors import UsageError
from judgekit.model.item import Item
from judgekit.model.regex import LinearRegex, linear_regex
from judgekit.scorers.base import Outcome, scorer
from judgekit.scorers.paths import text_at


@scorer
def pattern(
    item: Item, *, regex: str, field: str = "output", failure_mode: str | None = None
) -> Outcome:
    """Pass when the regular expression (RE2 syntax) occurs in the field."""
    found = _compiled(regex).first_in(text_at(item, field))
    if found is not None:
        return Outcome(passed=True, evidence=(found,))
    return Outcome(passed=False, failure_mode=failure_mode)


@scorer
def forbidden_text(
    item: Item, *, texts: Sequence[str], field: str = "output", failure_mode: str | None = None
) -> Outcome:
    """Pass when none of the texts occurs in the field, whatever their case."""
    shown = text_at(item, field).casefold()
    wanted = (texts,) if isinstance(texts, str) else tuple(texts)
    found = tuple(text for text in wanted if text.casefold() in shown)
    return Outcome(passed=not found, evidence=found, failure_mode=failure_mode if found else None)


def _compiled(regex: str) -> LinearRegex:
    try:
        return linear_regex(regex)
    except ValueError as error:
        raise UsageError(f"{regex!r} is {error}") from error
