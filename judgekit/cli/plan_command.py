"""`judgekit plan`: how many items to label, and which ones next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson, flag, unusable_value
from judgekit.cli.output import emit_json, print_text, say
from judgekit.errors import UsageError

if TYPE_CHECKING:
    from judgekit.calibration.next_items import NextItems
    from judgekit.calibration.plan import Plan
    from judgekit.store.workspace import Workspace

INFEASIBLE = 1
ASSUMED_PART = 5

Limit = Annotated[
    float | None, typer.Option("--limit", help="Most false passes allowed, such as 0.05.")
]
ExpectedRate = Annotated[
    float | None,
    typer.Option("--expected-rate", help="Rate you expect (default: a fifth of the limit)."),
]
Power = Annotated[
    float | None, typer.Option("--power", help="Chance to be approved at that rate (0.8).")
]
FailShare = Annotated[
    float | None, typer.Option("--fail-share", help="Share of items that people fail.")
]
FalseFailRate = Annotated[
    float | None,
    typer.Option(
        "--false-fail-rate",
        help="Expected false-fail rate (0.1); only for drawing by the verdict.",
    ),
]
GroupSize = Annotated[
    float | None, typer.Option("--group-size", help="Human fails in a group, on average (1).")
]
Rho = Annotated[
    float | None, typer.Option("--rho", help="Correlation of errors within a group, ICC (0.3).")
]
Looks = Annotated[int | None, typer.Option("--looks", help="Planned looks at the holdout (1).")]
Confidence = Annotated[
    float | None, typer.Option("--confidence", help="Of the decision's bound (0.95).")
]
Assurance = Annotated[
    float | None,
    typer.Option("--assurance", help="Chance that the items hold enough human fails (0.9)."),
]
Next = Annotated[
    int | None, typer.Option("--next", help="Name the next N items of a dataset to label.")
]
Judge = Annotated[
    str | None, typer.Option("--judge", help="With --next: whose verdicts to draw by.")
]
AimOption = Annotated[
    str | None,
    typer.Option(
        "--aim", help="With --next: false-pass-rate (default) or pass-rate, what to learn of."
    ),
]
Design = Annotated[
    str | None, typer.Option("--design", help="With --next: by-verdict (default) or random.")
]
Seed = Annotated[str | None, typer.Option("--seed", help="With --next: seed of the draw (1).")]
Criterion = Annotated[
    str | None, typer.Option("--criterion", help="With --next: one criterion as the unit.")
]
DatasetName = Annotated[
    str | None, typer.Option("--dataset", help="With --next: a folder in annotations/.")
]
SplitName = Annotated[
    str | None, typer.Option("--split", help="With --next: this split (default: the policy's).")
]
WorkspacePath = Annotated[
    Path | None, typer.Option("--workspace", help="With --next: the folder with judgekit.yaml.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="With --next: write ids, designs and weights here."),
]

_NEXT_ONLY = ("judge", "aim", "design", "seed", "criterion", "dataset", "split", "workspace", "out")
_PLAN_ONLY = (
    "expected_rate", "power", "fail_share", "false_fail_rate", "group_size", "rho", "looks",
    "confidence", "assurance",
)  # fmt: skip


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(plan_command)


def plan_command(
    limit: Limit = None,
    expected_rate: ExpectedRate = None,
    power: Power = None,
    fail_share: FailShare = None,
    false_fail_rate: FalseFailRate = None,
    group_size: GroupSize = None,
    rho: Rho = None,
    looks: Looks = None,
    confidence: Confidence = None,
    assurance: Assurance = None,
    next_: Next = None,
    judge: Judge = None,
    aim: AimOption = None,
    design: Design = None,
    seed: Seed = None,
    criterion: Criterion = None,
    dataset: DatasetName = None,
    split: SplitName = None,
    workspace: WorkspacePath = None,
    out: Out = None,
    as_json: AsJson = False,
) -> int:
    """Say how many items to label before a judge can be approved, and which ones next; 1 where no
    number would do."""
    given = {k: v for k, v in locals().items() if v is not None and k != "as_json"}
    _check(given)
    _check_out(out)
    plan = _plan(given) if "limit" in given else None
    found, path = _next(given) if "next_" in given else (None, None)
    if as_json:
        emit_json(_object(plan, found, path))
    else:
        _print(plan, found, path)
    return INFEASIBLE if plan is not None and plan.infeasible is not None else 0


def _check(given: dict[str, Any]) -> None:
    if "limit" not in given and "next_" not in given:
        raise UsageError(
            "nothing to plan", expected="--limit RATE, or --next N in a workspace",
            mend="judgekit plan --limit 0.05 --expected-rate 0.01 --fail-share 0.2",
        )  # fmt: skip
    needed = {"limit": _PLAN_ONLY, "next_": _NEXT_ONLY}
    for key, options in needed.items():
        stray = [name for name in options if name in given and key not in given]
        if stray:
            raise UsageError(f"{flag(stray[0])} needs {flag(key)}")
    if given.get("next_", 1) < 1:
        raise UsageError(
            "the value of --next cannot be used", found=str(given["next_"]), expected="at least 1"
        )


def _check_out(out: Path | None) -> None:
    if out is not None and out.is_dir():
        raise UsageError(
            "--out is a folder, and a list is one file", found=str(out),
            expected="the path of a file", mend=f"--out {out / 'next.jsonl'}",
        )  # fmt: skip


def _plan(given: dict[str, Any]) -> Plan:
    from pydantic import ValidationError

    from judgekit.calibration.plan import PlanRequest, make_plan

    asked = {name: given[name] for name in ("limit", *_PLAN_ONLY) if name in given}
    if "expected_rate" not in asked:
        asked["expected_rate"] = round(asked["limit"] / ASSUMED_PART, 12)
    try:
        request = PlanRequest(**asked)
    except ValidationError as error:
        raise unusable_value(error) from error
    if "expected_rate" not in given:
        say(f"no --expected-rate: a fifth of the limit, {request.expected_rate:g}, is assumed")
    return make_plan(request)


def _next(given: dict[str, Any]) -> tuple[NextItems, Path]:
    from judgekit.calibration.next_items import AIMS, DESIGNS, next_items, random_items
    from judgekit.cli.calibrate_inputs import Options, chosen_dataset, dataset_requests
    from judgekit.store.workspace import find_workspace

    aim, design = given.get("aim", AIMS[0]), given.get("design", DESIGNS[0])
    for kind, value, known in (("aim", aim, AIMS), ("design", design, DESIGNS)):
        if value not in known:
            raise UsageError(f"there is no {kind} {value!r}", expected=" or ".join(known))
    place = find_workspace(given.get("workspace"))
    kept = {name: given[name] for name in ("dataset", "split", "criterion") if name in given}
    data = chosen_dataset(Options(**kept), place)
    judges = (given["judge"],) if "judge" in given else ()
    for name in judges:
        place.grader(name)
    requests = dataset_requests(Options(judges=judges, **kept), place, data)
    if len(requests) != 1:
        raise UsageError(
            "several judges have verdicts, and a list is drawn by those of one",
            found=", ".join(request.judge for request in requests),
            mend=f"add --judge {requests[0].judge}",
        )
    request, n, seed = requests[0], given["next_"], given.get("seed", "1")
    if design == "random":
        found = random_items(request, dataset=data.name, n=n, seed=seed)
    else:
        found = next_items(request, dataset=data.name, n=n, aim=aim, seed=seed)
    return found, _written(found, place, given.get("out"))


def _written(found: NextItems, place: Workspace, out: Path | None) -> Path:
    from judgekit.model.canonical import canonical_json
    from judgekit.store.files import atomic_write

    path = out or place.state_dir / "next" / f"{found.dataset}-{found.judge}.jsonl"
    lines = [
        canonical_json(item.model_dump(mode="json", exclude_none=True)) + "\n"
        for item in found.items
    ]
    atomic_write(path, "".join(lines).encode("utf-8"))
    return path


def _object(plan: Plan | None, found: NextItems | None, path: Path | None) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if plan is not None:
        asked = plan.model_dump(mode="json")
        shown |= {**asked.pop("request"), **asked}
    if found is not None:
        shown["next"] = {**found.model_dump(mode="json"), "written": str(path)}
    return shown


def _print(plan: Plan | None, found: NextItems | None, path: Path | None) -> None:
    from judgekit.render.plan_text import next_text, plan_text

    if plan is not None:
        print_text(plan_text(plan))
    if found is not None:
        print_text(("\n" if plan is not None else "") + next_text(found, written=str(path)))
