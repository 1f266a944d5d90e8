"""The keys of the Adjudicate page: buttons, legend and guard are all made from these."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.model.label import OVERALL
from judgekit.store.label_store import Cause, Confidence, LabelSchema
from parts.bindings import DIGITS, Binding, digit_modes

EXCLUDE = Binding("x", "Exclude", "exclude")
BACK = Binding("b", "Back", "back")
NO_MODE = Binding("0", "No failure mode", "")
NO_CAUSE = Binding("0", "No cause", "")
NOTE_KEY = "n"
NEXT_FIELD = Binding("j", "Next field", "field")
GUIDELINE = Binding("w", "Guideline should change", "guideline")
UNDO = Binding("u", "Undo last", "undo")
LATER = Binding("z", "Later", "later")
GUIDELINES = Binding("d", "Guidelines", "guidelines")
LEAVE = Binding("Escape", "Leave", "leave")
AGAIN = Binding("o", "Decide again", "again")
MORE = Binding("v", "More answers", "more")
AT_ONCE = len(DIGITS) - 1
"""So many answers have a digit at one time; the last digit is for another answer."""
KEEP = Binding("k", "Keep what is stored", "keep")
MINE = Binding("y", "Store mine as a newer decision", "mine")

CAUSE_WORDS: dict[Cause, str] = {
    "ambiguous_item": "Ambiguous item",
    "guideline_gap": "Guideline gap",
    "slip": "Slip",
    "edge_case": "Edge case",
    "taste": "Taste",
}
CAUSES = tuple(Binding(word[0].lower(), word, cause) for cause, word in CAUSE_WORDS.items())
CONFIDENCES: tuple[tuple[Confidence, Binding], ...] = (
    ("high", Binding("h", "High", "high")),
    ("medium", Binding("m", "Medium", "medium")),
    ("low", Binding("l", "Low", "low")),
)
_LABEL_KEYS = {"pass": "p", "fail": "f", "output_1": "1", "output_2": "2", "tie": "t"}
_LABEL_WORDS = {"output_1": "First is better", "output_2": "Second is better"}


def label_word(label: str | None) -> str:
    """Return an answer in words."""
    if label is None:
        return "No answer"
    return _LABEL_WORDS.get(label, label.replace("_", " ").capitalize())


def field_word(field: str) -> str:
    """Return a field's name in words, as it stands in a sentence."""
    return "the whole item" if field == OVERALL else field.replace("_", " ")


def choices_of(letters: Sequence[str], first: int = 0) -> list[Binding]:
    """Return a digit for each answer, the next one for another answer, and x to exclude.

    With two answers `3` is another one, whether or not both are there. Of more than eight, those
    from `first` on have the digits, and the others a button only.
    """
    held = letters[first : first + AT_ONCE]
    digits = dict(zip(held, DIGITS, strict=False))
    found = [Binding(digits.get(letter, ""), f"{letter} is right", letter) for letter in letters]
    other = DIGITS[min(max(2, len(letters)), AT_ONCE)]
    return [*found, Binding(other, "Other", "other"), EXCLUDE]


def labels_of(schema: LabelSchema, field: str) -> list[Binding]:
    """Return the answers that `Other` may give to a field, each with its key."""
    labels = schema.labels if field == OVERALL else schema.criterion_labels
    free = iter(digit for digit in DIGITS if digit not in "12")
    return [
        Binding(_LABEL_KEYS.get(label) or next(free, ""), label_word(label), label)
        for label in labels
    ]


def modes_of(schema: LabelSchema) -> list[Binding]:
    """Return a digit for each of the first nine failure modes, and 0 for none."""
    return [*digit_modes(schema), NO_MODE]


def legend_rows(
    letters: Sequence[str], first: int = 0, *, n_fields: int = 2
) -> list[tuple[str, str]]:
    """Return key and word of everything that a key does, in the order of the page."""
    choices = [binding for binding in choices_of(letters, first) if binding.key]
    rows = [(binding.key, binding.word) for binding in choices]
    if len(letters) > AT_ONCE:
        *held, other, exclude = choices
        span = f"{held[0].value} to {held[-1].value} is right"
        rows = [(f"{held[0].key}–{held[-1].key}", span), (MORE.key, MORE.word)]
        rows += [(binding.key, binding.word) for binding in (other, exclude)]
    rows.append((" ".join(binding.key for binding in CAUSES), "Cause, saves"))
    rows.append((NO_CAUSE.key, "Save without a cause"))
    rows.append((" ".join(binding.key for _, binding in CONFIDENCES), "Confidence"))
    more = [GUIDELINE, *([NEXT_FIELD] if n_fields > 1 else []), BACK, LATER, UNDO, GUIDELINES]
    rows += [(binding.key, binding.word) for binding in more]
    return [*rows, (NOTE_KEY, "Note"), ("Ctrl+Enter", "Leave the note, or exclude")]
