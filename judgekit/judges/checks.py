"""Check a reply that fits the schema: does it agree with itself, and do its quotes exist?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from judgekit.model.base import Record
from judgekit.model.rubric import Rubric

NO_QUOTE = "(no quote)"
"""Listed under `unsupported` where a failed criterion asks for a quote and none was given."""

_SAME = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "`": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"', "\u2033": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-",
        "\u00ad": None, "\u200b": None, "\ufeff": None,
    }
)  # fmt: skip
_SPACE = re.compile(r"\s+")
_EDGES = "'\" .\u2026"


class Answer(Record):
    """A reply that fits the schema; `passed` None = the judge abstained."""

    evidence: tuple[str, ...]
    passed_criteria: tuple[str, ...]
    failed_criteria: tuple[str, ...]
    failure_mode: str | None
    passed: bool | None


class Checked(Record):
    """What the checks found. `contradiction` makes the verdict invalid; `unsupported` is measured.

    `unsupported` lists the quotes found in no shown field; None = quotes were not checked.
    """

    contradiction: str | None = None
    unsupported: tuple[str, ...] | None = None


def check(answer: Answer, rubric: Rubric, shown: Sequence[str] | None) -> Checked:
    """Return what is wrong with an answer.

    Args:
        answer: the reply.
        rubric: criteria, pass rule and the ratio above which a quote counts as found.
        shown: the texts that the judge saw; None = unknown, quotes are not checked.
    """
    if answer.passed is None:
        return Checked()
    return Checked(
        contradiction=contradiction_in(answer, rubric),
        unsupported=None if shown is None else unsupported_in(answer, rubric, shown),
    )


def contradiction_in(answer: Answer, rubric: Rubric) -> str | None:
    """Return one sentence on how the answer contradicts itself, or None."""
    listed = answer.passed_criteria + answer.failed_criteria
    twice = sorted({name for name in listed if listed.count(name) > 1})
    if twice:
        return f"criterion {twice[0]!r} is listed more than once"
    missing = [name for name in rubric.criterion_ids if name not in listed]
    if missing:
        return f"criterion {missing[0]!r} is neither passed nor failed"
    if rubric.passes(frozenset(answer.passed_criteria)) != answer.passed:
        return f"passed is {answer.passed} but the pass rule gives {not answer.passed}"
    if answer.passed and answer.failure_mode is not None:
        return f"passed with failure_mode {answer.failure_mode!r}"
    if not answer.passed and answer.failure_mode is None:
        return "failed without a failure_mode"
    return None


def unsupported_in(answer: Answer, rubric: Rubric, shown: Sequence[str]) -> tuple[str, ...]:
    """Return the quotes that occur in no shown text, and `NO_QUOTE` where one was needed."""
    if not answer.evidence:
        absence = {c.id for c in rubric.criteria if c.absence}
        return () if set(answer.failed_criteria) <= absence else (NO_QUOTE,)
    texts = [normalised(text) for text in shown]
    ratio = rubric.evidence_min_ratio
    return tuple(quote for quote in answer.evidence if not occurs(quote, texts, ratio))


def normalised(text: str) -> str:
    """Return the text with case, white space, quotes and dashes made alike.

    Example:
        >>> normalised("\u201cRefund\u00a0 DUE\u201d")
        '"refund due"'
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SAME).casefold()
    return _SPACE.sub(" ", plain).strip()


def occurs(quote: str, texts: Sequence[str], min_ratio: float) -> bool:
    """Tell whether a quote occurs in one of the normalised texts, exactly or nearly.

    `min_ratio` in (0.5, 1] is the least similarity of the best matching stretch. A quote longer
    than the text is compared with the whole text.
    """
    wanted = normalised(quote).strip(_EDGES)
    if not wanted:
        return False
    if any(wanted in text for text in texts):
        return True
    from rapidfuzz import fuzz

    cutoff = min_ratio * 100
    return any(
        (fuzz.partial_ratio if len(wanted) <= len(text) else fuzz.ratio)(
            wanted, text, score_cutoff=cutoff
        )
        >= cutoff
        for text in texts
        if text
    )
