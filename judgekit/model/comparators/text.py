"""Normalised text: the same words, however they are typed."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

from judgekit.model.comparators.base import Comparator, Unreadable
from judgekit.model.comparators.words import fold, without_accents, without_punctuation


class TextComparator(Comparator):
    """The same text after Unicode NFKC; by choice also case, spaces, punctuation and accents.

    By default case and runs of white space do not count, punctuation and accents do.

    Example:
        >>> bare = TextComparator(kind="text", accents=False, punctuation=False)
        >>> bare.decide("Café, Zürich", "cafe zurich")
        True
    """

    kind: Literal["text"]
    case: bool = False
    spaces: bool = False
    punctuation: bool = True
    accents: bool = True

    def read(self, value: Any) -> str:
        """Return the folded text.

        Raises:
            Unreadable: the value is no text.
        """
        if not isinstance(value, str):
            raise Unreadable(f"a text was expected, not {type(value).__name__}")
        if not self.case and not self.spaces and self.punctuation and self.accents:
            return fold(value)
        return self._by_choice(value)

    def _by_choice(self, value: str) -> str:
        text = unicodedata.normalize("NFKC", value)
        if not self.accents:
            text = without_accents(text)
        if not self.punctuation:
            text = without_punctuation(text)
        if not self.case:
            text = unicodedata.normalize("NFKC", text.casefold())
            text = text if self.accents else without_accents(text)
        return text if self.spaces else " ".join(text.split())

    def rule(self) -> str:
        """Return what does not count."""
        counts = {
            "case": self.case,
            "spaces": self.spaces,
            "punctuation": self.punctuation,
            "accents": self.accents,
        }
        ignored = [name for name, kept in counts.items() if not kept]
        return f" ({', '.join(ignored)} not counted)" if ignored else ""
