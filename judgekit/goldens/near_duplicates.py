"""Texts that are nearly the same: a hint for a reader, never a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from judgekit.model.base import Record

NEAR = 0.9
LONGEST = 4_000
"""Characters compared of each text; two texts that differ only later still look alike."""


class Similar(Record):
    """Another text like the one asked about; `ratio` in [0, 1], 1 = same words."""

    id: str
    ratio: float = Field(ge=0, le=1)


def near_duplicates(
    text: str, others: Mapping[str, str], *, min_ratio: float = NEAR, limit: int = 5
) -> tuple[Similar, ...]:
    """Return the texts of `others` that share at least `min_ratio` with `text`, nearest first.

    The ratio is rapidfuzz's token sort ratio over case-folded words: word order does not count,
    what the words mean does not either. At most `limit` are returned. An empty text is like none.

    Example:
        >>> near_duplicates("refund not paid", {"a": "Refund  not paid!", "b": "wrong city"})
        (Similar(id='a', ratio=1.0),)
    """
    from rapidfuzz import process

    shown = _words(text)
    if not shown:
        return ()
    found = process.extract(
        shown,
        {key: words for key, value in others.items() if (words := _words(value))},
        scorer=_scorer(),
        score_cutoff=100 * min_ratio,
        limit=limit,
    )
    return tuple(Similar(id=key, ratio=score / 100) for _, score, key in found)


def _words(text: str) -> str:
    from rapidfuzz.utils import default_process

    return str(default_process(text[:LONGEST].casefold()))


def _scorer() -> Any:
    from rapidfuzz.fuzz import token_sort_ratio

    return token_sort_ratio
