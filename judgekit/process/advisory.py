"""What a judge says about the cases: shown beside the report, never in its headline."""

from __future__ import annotations

import re
from collections.abc import Sequence

from judgekit.model.verdict import Verdict
from judgekit.process.process_records import Advisory
from judgekit.process.rates import share


def advisory(judge: str, verdicts: Sequence[Verdict], models: Sequence[str]) -> Advisory:
    """Return a judge's pass rate over its scored verdicts, with the unscored counted.

    `models` are those of the candidate; one of the judge's own family is named, because a judge
    may prefer its own kind.
    """
    scored = [one for one in verdicts if one.status == "scored" and one.passed is not None]
    model = next((one.model for one in verdicts if one.model), None)
    return Advisory(
        judge=judge,
        model=model,
        pass_rate=share([(one.item_id, bool(one.passed)) for one in scored], "no scored verdict"),
        unscored=len(verdicts) - len(scored),
        own_family=tuple(one for one in models if model and family(one) == family(model)),
    )


def family(model: str) -> str:
    """Return the family of a model: the first word of its name, without a publisher's prefix.

    Example:
        >>> family("openai/gpt-4.1-mini-2025-04-14"), family("claude-haiku-4-5")
        ('gpt', 'claude')
    """
    name = model.rpartition("/")[2].lower()
    return re.split(r"[-_.:\d]", name, maxsplit=1)[0] or name
