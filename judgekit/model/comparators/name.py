"""Names of people: order, hyphens and particles by choice."""

from __future__ import annotations

from typing import Any, Literal

from judgekit.model.comparators.base import Comparator, Unreadable
from judgekit.model.comparators.words import fold, without_accents, without_punctuation

PARTICLES = (
    "af", "al", "av", "ben", "bin", "d", "da", "das", "de", "degli", "dei", "del", "della", "den",
    "der", "di", "do", "dos", "du", "el", "ibn", "la", "las", "le", "los", "op", "ten", "ter",
    "van", "vande", "vander", "von", "y", "zu", "zum", "zur",
)  # fmt: skip
"""Words inside a family name that registers keep or leave out."""


class Name(Comparator):
    """The same person's name.

    `order: any` (the default) reads "Doe, Jane" and "Jane Doe" as one; `as_written` only undoes
    the comma. `hyphens` True holds Anne-Marie and Anne Marie apart. `particles: required` (the
    default) wants van, de, von ... as written; `optional` leaves them out on both sides. Accents
    count unless `accents` is False. Titles and initials are never guessed.

    Example:
        >>> Name(kind="name").decide("Doe, Anne-Marie", "Anne Marie Doe")
        True
        >>> optional = Name(kind="name", particles="optional")
        >>> optional.decide("Ludwig van Beethoven", "Ludwig Beethoven")
        True
    """

    kind: Literal["name"]
    order: Literal["any", "as_written"] = "any"
    hyphens: bool = False
    particles: Literal["required", "optional"] = "required"
    accents: bool = True

    def read(self, value: Any) -> tuple[str, ...]:
        """Return the parts of the name, sorted where their order does not count.

        Raises:
            Unreadable: the value is no text, or no name is left in it.
        """
        if not isinstance(value, str):
            raise Unreadable(f"a name was expected, not {type(value).__name__}")
        parts = self._parts(fold(value))
        if self.particles == "optional":
            parts = [part for part in parts if part not in PARTICLES] or parts
        if not parts:
            raise Unreadable("a name was expected, not an empty text")
        return tuple(sorted(parts)) if self.order == "any" else tuple(parts)

    def _parts(self, text: str) -> list[str]:
        if not self.accents:
            text = fold(without_accents(text))
        last, comma, first = text.partition(",")
        if comma and "," not in first:
            text = f"{first} {last}"
        for dash in "‐‑‒–—":
            text = text.replace(dash, "-")
        if self.hyphens:
            pieces = text.split()
            return [piece for piece in (without_outer(piece) for piece in pieces) if piece]
        return without_punctuation(text.replace("'", "").replace("’", "")).split()

    def rule(self) -> str:
        """Return the options as words."""
        return f" (order {self.order}, particles {self.particles})"


def without_outer(piece: str) -> str:
    """Return a part of a name without dots, quotes and commas; hyphens inside it stay."""
    kept = "-".join(without_punctuation(part, "") for part in piece.split("-"))
    return kept.strip("-")
