"""What a judge says about the cases: shown beside the report, never in its headline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from judgekit.errors import InputError
from judgekit.model.verdict import Verdict
from judgekit.process.process_records import Advisory
from judgekit.process.rates import share

# fmt: off
_SIZES = frozenset({
    "air", "ap", "base", "chat", "distill", "eu", "fast", "flash", "global", "high",
    "instant", "instruct", "it", "large", "latest", "lite", "low", "max", "medium", "mini",
    "model", "nano", "next", "online", "plus", "preview", "pro", "small", "thinking", "turbo",
    "ultra", "us",
})
# fmt: on
"""Words that name a size, a variant or a place, and no family."""


def advisory(
    judge: str, verdicts: Sequence[Verdict], models: Sequence[str], groups: Mapping[str, str]
) -> Advisory:
    """Return a judge's pass rate over its scored verdicts, with the unscored counted.

    `groups` are the cases that were tried and their cluster keys; verdicts of others are left out
    and counted. `models` are those of the candidate; one of the judge's own family is named,
    because a judge may prefer its own kind.

    Raises:
        InputError: no verdict is of a case that was tried.
    """
    here = [one for one in verdicts if one.item_id in groups]
    if not here:
        raise InputError(
            f"no verdict of {judge!r} is of a case that was tried",
            found=f"{len(verdicts)} verdicts, of {verdicts[0].item_id!r} first" if verdicts else "",
            expected="verdicts whose item_id is the id of a case",
        )
    scored = [one for one in here if one.status == "scored" and one.passed is not None]
    model = next((one.model for one in verdicts if one.model), None)
    rows = [(groups[one.item_id], bool(one.passed)) for one in scored]
    return Advisory(
        judge=judge,
        model=model,
        pass_rate=share(rows, "no scored verdict"),
        unscored=len(here) - len(scored),
        elsewhere=len(verdicts) - len(here),
        own_family=tuple(one for one in models if model and same_family(one, model)),
    )


def same_family(one: str, other: str) -> bool:
    """Tell whether two models share a word of their names that is no size, version or variant.

    It would rather flag too much: a fine-tune that names its base is of the base's family. Two
    families of one maker are not known to be related.

    Example:
        >>> same_family("us.openai.gpt-4.1-mini", "gpt-4o"), same_family("gpt-4o", "claude-4")
        (True, False)
    """
    return bool(_words(one) & _words(other))


def _words(model: str) -> frozenset[str]:
    """Return the words of a model's name without a publisher's path and without sizes."""
    name = model.rpartition("/")[2].lower()
    words = (word for word in re.split(r"[^a-z]+", name) if len(word) > 1)
    found = frozenset(words) - _SIZES
    return found or frozenset({re.split(r"[^a-z]", name)[0] or name})
