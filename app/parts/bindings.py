"""The keys of the Label page: the buttons, the legend and the guard are all made from these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.store.label_store import UNSURE, LabelSchema

DIGITS = "123456789"
LOOK = {"pass": ":blue[**✓ Pass**]", "fail": ":orange[**✗ Fail**]"}
"""How pass and fail look on every button: a colour of the theme, a mark and the word."""


@dataclass(frozen=True)
class Binding:
    """One key. `key` is empty for what has a button only."""

    key: str
    word: str
    value: str


_LABELS = {
    "pass": Binding("p", "Pass", "pass"),
    "fail": Binding("f", "Fail", "fail"),
    "output_1": Binding("1", "First", "output_1"),
    "output_2": Binding("2", "Second", "output_2"),
    "tie": Binding("t", "Tie", "tie"),
}
UNSURE_KEY = Binding("n", "Unsure", UNSURE)
SKIP = Binding("s", "Skip", "skip")
UNDO = Binding("u", "Undo", "undo")
NOTE = Binding("m", "Note", "note")
GUIDELINES = Binding("g", "Guidelines", "guidelines")
PAUSE = Binding("b", "Pause", "pause")
RESUME = Binding("b", "Resume", "resume")
JUMP = Binding("i", "Go to item", "jump")
LEAVE = Binding("j", "Next unlabelled", "leave")
CRITERIA = Binding("k", "Criteria: arrows, Space", "criteria")
REVEAL = Binding("v", "Judges' verdicts", "reveal")
EVIDENCE = Binding("e", "Evidence", "evidence")


def label_bindings(schema: LabelSchema) -> list[Binding]:
    """Return a binding for each answer of the schema; other answers than ours get digits."""
    free = iter(digit for digit in DIGITS if digit not in "12" or "output_1" not in schema.labels)
    return [
        _LABELS.get(label) or Binding(next(free, ""), label.capitalize(), label)
        for label in schema.labels
    ]


def mode_bindings(schema: LabelSchema) -> list[Binding]:
    """Return a digit for each of the first nine failure modes; the others have a button only."""
    return digit_modes(schema) if "fail" in schema.labels else []


def digit_modes(schema: LabelSchema) -> list[Binding]:
    """Return the schema's failure modes in order, the first nine with their digits."""
    return [
        Binding(DIGITS[index] if index < len(DIGITS) else "", mode.id.replace("_", " "), mode.id)
        for index, mode in enumerate(schema.failure_modes)
    ]


def legend(schema: LabelSchema) -> list[tuple[str, str]]:
    """Return key and word of everything that a key does, in the order of the page."""
    modes = [binding.key for binding in mode_bindings(schema) if binding.key]
    rows = [(binding.key, binding.word) for binding in label_bindings(schema) if binding.key]
    if modes:
        span = modes[0] if len(modes) == 1 else f"{modes[0]}–{modes[-1]}"
        rows.append((span, "Failure mode, after Fail"))
    rows += [(b.key, b.word) for b in (UNSURE_KEY, SKIP, UNDO, NOTE)]
    rows += [
        ("Esc", "Leave note or text, take Fail back, close guidelines"),
        (EVIDENCE.key, "Evidence: arrows, Shift, Enter"),
    ]
    if schema.ask_criteria:
        rows.append((CRITERIA.key, CRITERIA.word))
    return [*rows, *((b.key, b.word) for b in (GUIDELINES, PAUSE, JUMP))]


def guarded_keys(bindings: Sequence[Binding]) -> list[str]:
    """Return the keys that the status line watches."""
    return [binding.key for binding in bindings if binding.key]
