"""`judgekit run`: graders over a dataset, once, with a journal and a budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.options import AsJson, WorkspacePath
from judgekit.cli.output import emit_json, print_text, say
from judgekit.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judgekit.model.grader import Grader
    from judgekit.model.item import Item
    from judgekit.runs.budget import CostEstimate, RunPlan
    from judgekit.runs.report import RunReport

FAILED, INCONCLUSIVE = 5, 3


Graders = Annotated[
    list[str] | None, typer.Option("--grader", help="A grader of judgekit.yaml; repeatable.")
]
DatasetName = Annotated[str | None, typer.Option("--dataset", help="A folder in annotations/.")]
SplitName = Annotated[str | None, typer.Option("--split", help="Only items of this split.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N items.")]
Items = Annotated[list[str] | None, typer.Option("--item", help="Only this item; repeatable.")]
ShowPrompt = Annotated[
    bool,
    typer.Option("--show-prompt", help="Print the exact request (of the first item) and stop."),
]
Regrade = Annotated[int, typer.Option("--regrade", min=0, help="Grade each item N more times.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", min=0, help="Stop before this many US dollars.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the estimate and stop.")]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, max=1024, help="Items in flight.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run_command)


def run_command(
    grader: Graders = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    split: SplitName = None,
    limit: Limit = None,
    item: Items = None,
    show_prompt: ShowPrompt = False,
    regrade: Regrade = 0,
    max_cost: MaxCost = None,
    dry_run: DryRun = False,
    concurrency: Concurrency = 16,
    as_json: AsJson = False,
) -> int:
    """Run graders over a dataset; a second run resumes and asks nothing twice."""
    from judgekit.store.workspace import find_workspace
    from judgekit.wiring import build_graders, cost_estimator, journal_dir, run_names

    place = find_workspace(workspace)
    names = run_names(place, grader or ())
    data = place.dataset(dataset)
    items = select_items(data.items_of(split), only=item or (), limit=limit)
    graders = build_graders(place, names)
    if show_prompt:
        return _show_prompts(graders, items if item or limit else items[:1], as_json=as_json)
    session = _Session(
        graders,
        items,
        journal_dir=journal_dir(place),
        estimate=cost_estimator(place),
        regrade=regrade,
        max_cost=max_cost,
        concurrency=concurrency,
    )
    return session.run(dry_run=dry_run, as_json=as_json)


def select_items(
    items: Sequence[Item], *, only: Sequence[str], limit: int | None
) -> tuple[Item, ...]:
    """Return the items named in `only` (all where empty), at most `limit`.

    Raises:
        InputError: an id is not there, or nothing is left.
    """
    known = {item.id: item for item in items}
    for name in only:
        if name not in known:
            raise _unknown_item(name, known)
    chosen = tuple(known[name] for name in dict.fromkeys(only)) if only else tuple(items)
    if not chosen:
        raise InputError("there are no items to grade", expected="at least one item")
    return chosen[:limit]


def _unknown_item(name: str, known: dict[str, Item]) -> InputError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return InputError(
        f"there is no item {name!r} among {len(known)} items",
        mend=f"did you mean {near[0]!r}?" if near else None,
    )


def _show_prompts(graders: Sequence[Grader], items: Sequence[Item], *, as_json: bool) -> int:
    import json

    prompts = [
        {"grader": g.name, "item_id": item.id, "request": show(item)}
        for g in graders
        if (show := getattr(g, "show_prompt", None)) is not None
        for item in items
    ]
    if not prompts:
        raise UsageError("none of these graders sends a prompt", expected="a judge (--grader NAME)")
    if as_json:
        requests = [{**p, "request": json.loads(p["request"])} for p in prompts]
        emit_json({"prompts": requests})
        return 0
    for prompt in prompts:
        say(f"request of {prompt['grader']} for item {prompt['item_id']}:")
        print_text(prompt["request"])
    return 0


class _Session:
    """One run from the command line: plan, checks, run, report."""

    def __init__(
        self,
        graders: Sequence[Grader],
        items: Sequence[Item],
        *,
        journal_dir: Path,
        estimate: CostEstimate,
        regrade: int,
        max_cost: float | None,
        concurrency: int,
    ) -> None:
        self._journal_dir = journal_dir
        self._estimate = estimate
        self._graders = graders
        self._items = items
        self._regrade = regrade
        self._max_cost = max_cost
        self._concurrency = concurrency

    def run(self, *, dry_run: bool, as_json: bool) -> int:
        """Print the estimate, run unless it is a dry run, report and return the exit code."""
        plan = self._plan()
        say(plan_text(plan))
        if dry_run:
            if as_json:
                emit_json({"dry_run": True, "plan": _plan_object(plan)})
            return 0
        self._check(plan)
        report = self._run()
        if as_json:
            emit_json({"plan": _plan_object(plan), **report.model_dump(mode="json")})
        else:
            print_text(report_text(report))
        return exit_code(report)

    def _plan(self) -> RunPlan:
        from judgekit.runs.budget import plan_run

        return plan_run(
            self._graders,
            self._items,
            journal_dir=self._journal_dir,
            regrade=self._regrade,
            estimate=self._estimate,
        )

    def _check(self, plan: RunPlan) -> None:
        from judgekit.runs.budget import unknown_price
        from judgekit.wiring import require_credentials

        waiting = {g.grader for g in plan.graders if g.to_run}
        for part in plan.graders:
            if self._max_cost is not None and part.to_run and part.cost_usd is None:
                raise unknown_price(part.grader)
        require_credentials([g for g in self._graders if g.name in waiting])
        if self._max_cost is not None and (plan.cost_usd or 0) > self._max_cost:
            say(f"the estimate is above --max-cost {self._max_cost:g}: the run will stop there")

    def _run(self) -> RunReport:
        import asyncio

        return asyncio.run(self._graded())

    async def _graded(self) -> RunReport:
        from judgekit.cli.progress import ProgressLine
        from judgekit.runs.runner import run

        line = ProgressLine()
        try:
            return await run(
                self._graders,
                self._items,
                journal_dir=self._journal_dir,
                regrade=self._regrade,
                concurrency=self._concurrency,
                max_cost=self._max_cost,
                estimate=self._estimate,
                on_progress=line,
            )
        finally:
            line.close()
            for grader in self._graders:
                await grader.aclose()


def exit_code(report: RunReport) -> int:
    """Return 0 where everything was graded, 5 where something failed, 3 where nothing scored."""
    if report.n_failed:
        return FAILED
    return 0 if report.n_scored else INCONCLUSIVE


def _plan_object(plan: RunPlan) -> dict[str, object]:
    return {**plan.model_dump(mode="json"), "to_run": plan.to_run, "cost_usd": plan.cost_usd}


def plan_text(plan: RunPlan) -> str:
    """Return the estimate, one line for each grader."""
    lines = [
        f"{g.grader}: {g.to_run} of {g.n} to run ({g.cached} cached), estimated cost "
        + ("unknown" if g.cost_usd is None else f"{g.cost_usd:.4f} USD")
        for g in plan.graders
    ]
    return "\n".join(lines)


def report_text(report: RunReport) -> str:
    """Return the report, one line for each grader, and what to do about failures."""
    lines = []
    for g in report.graders:
        cost = "cost unknown" if g.cost_usd is None else f"{g.cost_usd:.4f} USD"
        if g.cost_usd is not None and g.unpriced_attempts:
            cost = f"at least {cost} ({g.unpriced_attempts} attempts without a known cost)"
        failed = "".join(f", {n} failed ({kind})" for kind, n in g.failed.items())
        lines.append(
            f"{g.grader}: {g.n} verdicts: {g.scored} scored, {g.abstained} abstained, "
            f"{g.invalid} invalid{failed}; {g.cached} cached; {cost}; {g.wall_s:.1f} s"
        )
        for kind, reason in g.reasons.items():
            what = f"failed ({kind})" if kind in g.failed else kind
            lines.append(f"  first {what}: item {reason}")
    if report.stopped == "budget":
        lines.append("stopped at --max-cost; raise it and run again to finish the rest")
    elif report.n_failed:
        own = {kind for g in report.graders for kind in g.failed} == {"grader"}
        first = "mend the grader or its items, then " if own else ""
        lines.append(f"{first}run the same command again: only what failed is asked again")
    return "\n".join(lines)
