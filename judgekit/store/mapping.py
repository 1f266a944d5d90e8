"""Mapping files: what the words of a foreign label or verdict file mean."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.store.formats.yaml_file import load_yaml

Answer = Literal["pass", "fail", "unsure"]
Scalar = str | int | float | bool
PASS_WORDS = frozenset({"pass", "passed", "true", "yes", "1", "correct"})
FAIL_WORDS = frozenset({"fail", "failed", "false", "no", "0", "incorrect"})
UNSURE_WORDS = frozenset({"unsure", "abstain", "abstained"})
UNSCORED_WORDS = ("unparsed", "garbage")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_RULE = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*([-+]?\d+(?:\.\d+)?)\s*\Z")


class Mapping(Record):
    """The meaning of a foreign file's words (`--mapping map.yaml`).

    `reference` names an annotator or a rule (`auto`, `adjudicated`, `agreement`, `majority`,
    `mean`, `each`). `pass_if` turns numbers into pass or fail, `positive` names the category (or
    categories) that mean pass; every other category then means fail. `where` keeps the items
    whose `id` or `metadata.<key>` matches a pattern such as `lr-real-*`. `order` keeps the
    verdicts given in one order. `criterion` pairs a verdict criterion with a label criterion
    (`{criterion of the verdicts: criterion of the labels}`).
    `unparsed` lists the verdict labels that are unscored, `not_applicable` the human labels that
    are dropped with that reason.

    Example:
        >>> Mapping(pass_if=">= 3").answer(4)
        'pass'
        >>> Mapping(positive="1").answer("tie")
        'fail'
    """

    name: str | None = None
    reference: str | None = None
    pass_if: str | None = None
    positive: str | tuple[str, ...] | None = None
    where: dict[str, Scalar] = Field(default_factory=dict)
    order: str | None = None
    criterion: dict[str, str] = Field(default_factory=dict)
    unparsed: tuple[str, ...] = UNSCORED_WORDS
    not_applicable: tuple[str, ...] = ()

    @field_validator("pass_if")
    @classmethod
    def _readable_rule(cls, value: str | None) -> str | None:
        if value is not None and _RULE.match(value) is None:
            raise ValueError('a comparison such as ">= 4"')
        return value

    @field_validator("positive", mode="before")
    @classmethod
    def _positive_text(cls, value: object) -> object:
        return label_text(value) if isinstance(value, bool | int | float) else value

    @field_validator("where")
    @classmethod
    def _known_fields(cls, value: dict[str, Scalar]) -> dict[str, Scalar]:
        for key in value:
            if key not in ("id", "group", "split") and not key.startswith("metadata."):
                raise ValueError("id, group, split or metadata.<key>")
        return value

    @property
    def positives(self) -> frozenset[str]:
        """Return the categories that mean pass, in lower case."""
        named = (self.positive,) if isinstance(self.positive, str) else self.positive or ()
        return frozenset(word.lower() for word in named)

    def answer(self, label: Scalar) -> Answer | None:
        """Return what a label means, or None where this mapping does not say."""
        return answer_of(label, pass_if=self.pass_if, positives=self.positives)

    def is_unscored(self, label: Scalar) -> bool:
        """Tell whether a verdict label means that no verdict was found."""
        return label_text(label).lower() in {word.lower() for word in self.unparsed}

    def selects_id(self, item_id: str) -> bool:
        """Tell whether `where` keeps this id; metadata patterns are not looked at."""
        return "id" not in self.where or _matches(item_id, self.where["id"])

    def selects(self, item: Item) -> bool:
        """Tell whether `where` keeps this item."""
        return all(_matches(_field(item, key), pattern) for key, pattern in self.where.items())

    def select(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """Return the items that `where` keeps, in order."""
        return tuple(item for item in items if self.selects(item))


def load_mapping(path: Path) -> Mapping:
    """Return the mapping in a YAML file.

    Raises:
        InputError: a key is unknown or a rule cannot be read; says file:line and key.
    """
    return load_yaml(path, Mapping)


def parse_pass_if(text: str) -> Callable[[float], bool]:
    """Return the comparison in `text`, such as ">= 4".

    Raises:
        InputError: it is no comparison with a number.

    Example:
        >>> parse_pass_if(">= 4")(4.0)
        True
    """
    match = _RULE.match(text)
    if match is None:
        raise InputError(
            "the pass rule cannot be read", found=repr(text), expected='a comparison such as ">= 4"'
        )
    compare, limit = _COMPARE[match.group(1)], float(match.group(2))
    return lambda number: compare(number, limit)


def answer_of(
    label: Scalar, *, pass_if: str | None = None, positives: frozenset[str] = frozenset()
) -> Answer | None:
    """Return pass, fail or unsure for a label, or None where its meaning is not known.

    A number goes through `pass_if`; a word through `positives`; without these the common words
    (pass, true, yes, 1, correct and their opposites) are read.
    """
    word = label_text(label).lower()
    if word in UNSURE_WORDS:
        return "unsure"
    number = number_of(label)
    if pass_if is not None and number is not None:
        return "pass" if parse_pass_if(pass_if)(number) else "fail"
    if positives:
        return "pass" if word in positives else "fail"
    return common_answer(label)


def common_answer(label: Scalar) -> Answer | None:
    """Return pass, fail or unsure for the common words, else None.

    Example:
        >>> common_answer("Yes"), common_answer(0), common_answer("tie")
        ('pass', 'fail', None)
    """
    word = label_text(label).lower()
    if word in PASS_WORDS:
        return "pass"
    if word in FAIL_WORDS:
        return "fail"
    return "unsure" if word in UNSURE_WORDS else None


def label_text(label: object) -> str:
    """Return a label as text: 1.0 and 1 are "1", True is "true"."""
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label).strip()


def number_of(label: object) -> float | None:
    """Return a label as a number, or None where it is a word."""
    if isinstance(label, bool):
        return None
    if isinstance(label, int | float):
        return float(label)
    if isinstance(label, str) and re.fullmatch(r"\s*[-+]?\d+(\.\d+)?\s*", label):
        return float(label)
    return None


def _field(item: Item, key: str) -> object:
    if key.startswith("metadata."):
        return item.metadata.get(key.removeprefix("metadata."))
    return item.group_key if key == "group" else getattr(item, key)


def _matches(value: object, pattern: Scalar) -> bool:
    return value is not None and fnmatchcase(label_text(value), label_text(pattern))
