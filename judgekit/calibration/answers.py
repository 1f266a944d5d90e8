"""Read a human label as an answer: pass, fail, unsure, not applicable, or a category."""

from __future__ import annotations

from collections.abc import Callable

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.label import Label

PASS, FAIL, UNSURE, NOT_APPLICABLE = "pass", "fail", "unsure", "not_applicable"
_WORDS = {
    "pass": PASS,
    "true": PASS,
    "yes": PASS,
    "1": PASS,
    "correct": PASS,
    "fail": FAIL,
    "false": FAIL,
    "no": FAIL,
    "0": FAIL,
    "incorrect": FAIL,
    "unsure": UNSURE,
}


class Reading(Record):
    """How labels are read: a threshold for numbers, the category that passes, what to leave out.

    With neither, the common words for pass and fail are read and any other word is refused,
    unless `categories` lists the words that are compared as they stand.
    """

    pass_if: Callable[[float], bool] | None = None
    positive: str | None = None
    not_applicable: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def answer(self, label: Label) -> str:
        """Return the answer that a label gives.

        Raises:
            InputError: the label cannot be read; the message names it and what would read it.
        """
        word = _word(label.label)
        if word in self.not_applicable:
            return NOT_APPLICABLE
        if word == UNSURE:
            return UNSURE
        if self.categories:
            return word if word in self.categories else _refuse(label, self.categories)
        if self.pass_if is not None:
            return PASS if self.pass_if(self.number(label)) else FAIL
        if self.positive is not None:
            return PASS if word == self.positive else FAIL
        return _WORDS.get(word.lower()) or _refuse(label, (PASS, FAIL, UNSURE))

    def number(self, label: Label) -> float:
        """Return the label as a number.

        Raises:
            InputError: it is not one.
        """
        try:
            return float(label.label)
        except ValueError:
            return float(_refuse(label, ("a number",)))

    def left_out(self, label: Label) -> str | None:
        """Return the reason why a label gives no answer, or None."""
        word = _word(label.label)
        if word in self.not_applicable:
            return NOT_APPLICABLE
        return UNSURE if word == UNSURE else None


def _word(value: str | float | int | bool) -> str:
    if isinstance(value, bool):
        return PASS if value else FAIL
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _refuse(label: Label, expected: tuple[str, ...]) -> str:
    raise InputError(
        f"the label {label.label!r} by {label.annotator!r} cannot be read",
        where=f"item {label.item_id!r}" + (f", line {label.line}" if label.line else ""),
        found=str(label.label),
        expected=", ".join(expected),
        mend="say what passes with --pass-if '>= 4', --positive NAME or a --mapping file",
    )
