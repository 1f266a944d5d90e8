"""Similar text: an edit-distance ratio over a stated threshold."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from judgekit.model.comparators.base import Comparator, Unreadable
from judgekit.model.comparators.words import fold

MAX_TEXT = 100_000
"""Longer texts (characters) are not compared: the time grows with the product of the lengths."""


class Similarity(Comparator):
    """The folded texts are at least `threshold` alike, in [0, 1]. The threshold has no default.

    `measure` is one of rapidfuzz's: `indel` (normalised insert-delete similarity) or
    `token_sort` (the same after sorting the words). Texts over 100,000 characters are undecided.

    Example:
        >>> near = Similarity(kind="similarity", threshold=0.9)
        >>> near.decide("lamp, desk model", "Lamp, desk model.")
        True
    """

    kind: Literal["similarity"]
    threshold: float = Field(gt=0, le=1)
    measure: Literal["indel", "token_sort"] = "indel"

    def read(self, value: Any) -> str:
        """Return the folded text.

        Raises:
            Unreadable: the value is no text, or too long.
        """
        if not isinstance(value, str):
            raise Unreadable(f"a text was expected, not {type(value).__name__}")
        if len(value) > MAX_TEXT:
            reason = f"the text has more than {MAX_TEXT} characters and is not compared"
            raise Unreadable(reason, undecided=True)
        text = fold(value)
        return text if self.measure == "indel" else " ".join(sorted(text.split()))

    def same(self, expected: Any, found: Any) -> bool:
        """Tell whether the similarity reaches the threshold."""
        return self.similarity(expected, found) >= self.threshold

    def similarity(self, one: str, other: str) -> float:
        """Return the similarity of two folded texts in [0, 1]; two empty texts are alike."""
        from rapidfuzz.distance import Indel

        # Not 1 - distance / length: 1 - 0.8 is a little less than 0.2, and 0.2 a likely threshold.
        length = len(one) + len(other)
        return (length - Indel.distance(one, other)) / length if length else 1.0

    def explain(self, expected: Any, found: Any) -> str:
        """Return the similarity beside the threshold."""
        try:
            share = self.similarity(self.read(expected), self.read(found))
        except Unreadable as why:
            return why.reason
        sign = "at least" if share >= self.threshold else "below"
        return f"similarity {share:.3f}, {sign} {self.threshold:g}"
