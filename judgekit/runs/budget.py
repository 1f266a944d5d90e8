"""What a run may cost: an estimate before it starts, and a ceiling while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pydantic import Field

from judgekit.errors import BudgetExceeded, InputError
from judgekit.model.base import Record
from judgekit.model.grader import Grader
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.store.journal import finished_keys, verdict_key

CostEstimate = Callable[[Grader, Item], float | None]
"""The expected cost of one verdict in US dollars; 0.0 = free, None = unknown."""


class GraderPlan(Record):
    """What one grader still has to do. `cost_usd` None = no price is known."""

    grader: str
    n: int = Field(ge=0)
    cached: int = Field(ge=0)
    to_run: int = Field(ge=0)
    cost_usd: float | None = Field(default=None, ge=0)


class RunPlan(Record):
    """What a run would do and cost."""

    graders: tuple[GraderPlan, ...]

    @property
    def to_run(self) -> int:
        """Return how many verdicts would be asked for."""
        return sum(g.to_run for g in self.graders)

    @property
    def cost_usd(self) -> float | None:
        """Return the expected cost, or None where some price is unknown."""
        costs = [g.cost_usd for g in self.graders]
        return None if None in costs else sum(cost or 0.0 for cost in costs)


def plan_run(
    graders: Sequence[Grader],
    items: Sequence[Item],
    *,
    journal_dir: Path,
    regrade: int = 0,
    estimate: CostEstimate | None = None,
) -> RunPlan:
    """Return what `run` with the same arguments would ask for and cost; nothing is sent."""
    return RunPlan(
        graders=tuple(_plan_grader(g, items, journal_dir, regrade, estimate) for g in graders)
    )


def _plan_grader(
    grader: Grader,
    items: Sequence[Item],
    journal_dir: Path,
    regrade: int,
    estimate: CostEstimate | None,
) -> GraderPlan:
    done = finished_keys(journal_path(journal_dir, grader.name), grader.fingerprint.value)
    pending = [
        item
        for item in items
        for number in range(regrade + 1)
        if verdict_key(item.id, hash_of(item), number) not in done
    ]
    n = len(items) * (regrade + 1)
    return GraderPlan(
        grader=grader.name,
        n=n,
        cached=n - len(pending),
        to_run=len(pending),
        cost_usd=_total(grader, pending, estimate),
    )


def _total(grader: Grader, pending: Iterable[Item], estimate: CostEstimate | None) -> float | None:
    total = 0.0
    for item in pending:
        cost = estimate(grader, item) if estimate is not None else None
        if cost is None:
            return None
        total += cost
    return total


def hash_of(item: Item) -> str:
    """Return the item's content hash, or an empty text where its content has none."""
    try:
        return item.content_hash
    except InputError:
        return ""


def journal_path(journal_dir: Path, grader_name: str) -> Path:
    """Return the journal of one grader."""
    return journal_dir / f"{grader_name}.jsonl"


class Budget:
    """Keep the money spent and promised at or below a ceiling.

    Each verdict's expected cost is held back before it is asked for and replaced by what was paid.
    The dearest verdict so far is held back where that is more than the estimate, so that the
    ceiling is passed by no more than what the verdicts in flight cost beyond the dearest before.

    Args:
        max_cost: the ceiling in US dollars; None = no ceiling.
        estimate: the expected cost of one verdict.
    """

    def __init__(self, max_cost: float | None, estimate: CostEstimate | None) -> None:
        self.max_cost = max_cost
        self.spent = 0.0
        self.exhausted = False
        self._held = 0.0
        self._dearest: dict[str, float] = {}
        self._estimate = estimate

    def hold(self, grader: Grader, item: Item) -> float | None:
        """Hold back one verdict's cost and return it, or None where the rest does not allow it.

        Raises:
            BudgetExceeded: there is a ceiling and no price is known.
        """
        if self.max_cost is None:
            return 0.0
        cost = self._estimate(grader, item) if self._estimate is not None else None
        if cost is None:
            raise unknown_price(grader.name)
        cost = max(cost, self._dearest.get(grader.name, 0.0))
        if self.exhausted or self.spent + self._held + cost > self.max_cost:
            self.exhausted = self.exhausted or cost > 0
            return None if cost > 0 else 0.0
        self._held += cost
        return cost

    def settle(self, grader: Grader, held: float, verdict: Verdict) -> None:
        """Replace what was held by what was paid; an unknown cost counts as what was held."""
        paid = verdict_cost(verdict)
        self._held = max(0.0, self._held - held)
        self.spent += held if paid is None else paid
        if paid is not None:
            self._dearest[grader.name] = max(self._dearest.get(grader.name, 0.0), paid)

    def give_back(self, held: float) -> None:
        """Free what was held for a verdict that was interrupted; it may have been paid."""
        self._held = max(0.0, self._held - held)


def verdict_cost(verdict: Verdict) -> float | None:
    """Return what a verdict's attempts cost in US dollars, or None where some cost is unknown."""
    if not verdict.attempts:
        return verdict.cost_usd or 0.0
    costs = [attempt.cost_usd for attempt in verdict.attempts]
    return None if None in costs else sum(cost or 0.0 for cost in costs)


def unknown_price(grader_name: str) -> BudgetExceeded:
    """Return the refusal to start under a budget that cannot be watched."""
    return BudgetExceeded(
        f"the price of grader {grader_name!r} is unknown, so --max-cost cannot be kept",
        where=f"judgekit.yaml: graders.{grader_name}",
        mend="add the model under `prices:` in judgekit.yaml, or run without --max-cost",
    )
