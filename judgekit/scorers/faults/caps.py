"""Hard limits of one trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from judgekit.model.trial import Span, Trial
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import Seen, detector


@detector
def over_cap(seen: Seen) -> Iterator[Fault]:
    """Find what exceeds a cap of the rules; what was not recorded is a suspicion.

    Tokens of which a part was not recorded exceed a cap where the known part alone does.
    """
    sizes = trial_sizes(seen.trial)
    for name, limit in seen.rules.caps.model_dump(exclude_none=True).items():
        size = sizes[name]
        known = _known_tokens(seen.trial, name) if size is None else None
        if known is not None and known > limit:
            yield Fault(
                kind="over_cap", reason=f"{name} at least {known:g} is above the cap {limit:g}"
            )
        elif size is None:
            yield Fault(
                kind="over_cap",
                severity="suspicion",
                reason=f"{name} has the cap {limit:g} and was not recorded",
            )
        elif size > limit:
            yield Fault(kind="over_cap", reason=f"{name} {size:g} is above the cap {limit:g}")


def trial_sizes(trial: Trial) -> dict[str, float | None]:
    """Return the sizes of a trial by the names of the caps; None where it was not recorded."""
    models = trial.model_calls
    usages = None if models is None else [call.usage for call in models]
    return {
        "calls": len(trial.calls),
        "model_calls": None if models is None else len(models),
        "depth": None if trial.spans is None else span_depth(trial.spans),
        "input_tokens": None if usages is None else _total(one.input_tokens for one in usages),
        "output_tokens": None if usages is None else _total(one.output_tokens for one in usages),
        "latency_s": trial.latency_s,
        "cost_usd": trial.cost_usd,
    }


def span_depth(spans: Iterable[Span]) -> int:
    """Return how deep spans are nested: 1 for spans without a parent, 0 without spans.

    A span whose parent is unknown, or that is its own ancestor, counts as one without a parent.
    """
    parents = {span.id: span.parent for span in spans}
    return max((_depth(span, parents) for span in parents), default=0)


def _depth(span: str, parents: dict[str, str | None]) -> int:
    seen = {span}
    depth = 1
    parent = parents[span]
    while parent is not None and parent in parents and parent not in seen:
        seen.add(parent)
        depth += 1
        parent = parents[parent]
    return depth


def _known_tokens(trial: Trial, name: str) -> int | None:
    if trial.model_calls is None or not name.endswith("_tokens"):
        return None
    return sum(getattr(call.usage, name) or 0 for call in trial.model_calls)


def _total(counts: Iterable[int | None]) -> int | None:
    listed = list(counts)
    known = [count for count in listed if count is not None]
    return sum(known) if len(known) == len(listed) else None
