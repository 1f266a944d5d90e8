"""Read a human label as an answer: pass, fail, unsure, not applicable, or a category."""

from __future__ import annotations

from collections.abc import Callable

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.label import Label
from judgekit.store.mapping import UNSURE_WORDS, common_answer, label_text, number_of

PASS, FAIL, UNSURE, NOT_APPLICABLE = "pass", "fail", "unsure", "not_applicable"


class Reading(Record):
    """How labels are read: a threshold for numbers, the words that pass, what to leave out.

    `positives` and `not_applicable` are in lower case.

    With neither, the common words for pass and fail are read and any other word is refused,
    unless `categories` lists the words that are compared as they stand.
    """

    pass_if: Callable[[float], bool] | None = None
    positives: frozenset[str] = frozenset()
    not_applicable: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def answer(self, label: Label) -> str:
        """Return the answer that a label gives.

        Raises:
            InputError: the label cannot be read; the message names it and what would read it.
        """
        out = self.left_out(label)
        if out is not None:
            return out
        word = label_text(label.label)
        if self.categories:
            return word if word in self.categories else _refuse(label, self.categories)
        if self.pass_if is not None and number_of(label.label) is not None:
            return PASS if self.pass_if(self.number(label)) else FAIL
        if self.positives:
            return PASS if word.lower() in self.positives else FAIL
        return common_answer(label.label) or _refuse(label, (PASS, FAIL, UNSURE))

    def number(self, label: Label) -> float:
        """Return the label as a number.

        Raises:
            InputError: it is not one.
        """
        number = number_of(label.label)
        return number if number is not None else float(_refuse(label, ("a number",)))

    def left_out(self, label: Label) -> str | None:
        """Return the reason why a label gives no answer, or None."""
        word = label_text(label.label).lower()
        if word in self.not_applicable:
            return NOT_APPLICABLE
        return UNSURE if word in UNSURE_WORDS else None


def _refuse(label: Label, expected: tuple[str, ...]) -> str:
    raise InputError(
        f"the label {label.label!r} by {label.annotator!r} cannot be read",
        where=f"item {label.item_id!r}" + (f", line {label.line}" if label.line else ""),
        found=str(label.label),
        expected=", ".join(expected),
        mend="say what passes with --pass-if '>= 4', --positive NAME or a --mapping file",
    )
