"""The ways to fold a text that text, name and list comparisons share."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Return the text in NFKC, case folded, with runs of white space as one blank.

    Example:
        >>> fold(" ＡＣＭＥ  Straße ")
        'acme strasse'
    """
    if text.isascii():
        return " ".join(text.split()).lower()
    # Folding case may undo the normal form ("ΐ"), so it is made once more: then fold(fold(x)) is x.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())


def without_accents(text: str) -> str:
    """Return the text without combining marks: é becomes e, but ø and ł are letters of their own.

    Example:
        >>> without_accents("Zoë Łuczak")
        'Zoe Łuczak'
    """
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    bare = "".join(part for part in parts if not unicodedata.combining(part))
    return unicodedata.normalize("NFC", bare)


def without_punctuation(text: str, put: str = " ") -> str:
    """Return the text with each punctuation mark or symbol replaced by `put`.

    Example:
        >>> without_punctuation("a.b, c!").split()
        ['a', 'b', 'c']
    """
    return "".join(put if unicodedata.category(part)[0] in "PS" else part for part in text)
