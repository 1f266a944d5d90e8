"""`judgekit show`: one item with all verdicts and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson, WorkspacePath
from judgekit.cli.output import emit_json, print_text, say
from judgekit.errors import JudgekitError

if TYPE_CHECKING:
    from judgekit.model.item import Item
    from judgekit.store.dataset import Dataset
    from judgekit.store.workspace import Workspace

_FIELDS = ("input", "output", "output_1", "output_2", "context", "reference", "trial")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show")(show_command)


def show_command(
    item_id: Annotated[str, typer.Argument(metavar="ITEM", help="The item's id.")],
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="A folder in annotations/.")
    ] = None,
    workspace: WorkspacePath = None,
    as_json: AsJson = False,
) -> int:
    """Show one item with all verdicts and labels."""
    from judgekit.cli.run_command import select_items
    from judgekit.store.workspace import find_workspace

    place = find_workspace(workspace)
    data = place.dataset(dataset)
    item = select_items(data.items, only=(item_id,), limit=None)[0]
    labels = [
        x.model_dump(mode="json", exclude_none=True) for x in data.labels if x.item_id == item_id
    ]
    shown = {
        "item": item.model_dump(mode="json", exclude_none=True),
        "split": data.split_of[item.id],
        "labels": labels,
        "verdicts": _verdicts(place, data, item),
    }
    if as_json:
        emit_json(shown)
    else:
        print_text(_text(shown))
    return 0


def _verdicts(workspace: Workspace, dataset: Dataset, item: Item) -> list[dict[str, Any]]:
    """Return the verdicts by grader, each grader's current ones before its older ones."""
    rows = []
    for name in workspace.settings.graders:
        fingerprint = _fingerprint(workspace, name)
        own = []
        for verdict in _of_grader(workspace, name, dataset, item):
            current = (
                None
                if fingerprint is None
                else verdict["fingerprint"] == fingerprint
                and verdict["item_hash"] in ("", item.content_hash)
            )
            own.append({**verdict, "current": current})
        rows += sorted(own, key=lambda verdict: verdict["current"] is False)
    return rows


def _fingerprint(workspace: Workspace, name: str) -> str | None:
    from judgekit.wiring import build_grader

    try:
        return build_grader(workspace, name).fingerprint.value
    except JudgekitError as error:
        say(f"grader {name!r} cannot be built, so its verdicts are shown unchecked: {error}")
        return None


def _of_grader(
    workspace: Workspace, name: str, dataset: Dataset, item: Item
) -> list[dict[str, Any]]:
    from judgekit.wiring import all_verdicts

    verdicts = all_verdicts(workspace, name, dataset)
    return [
        v.model_dump(mode="json", exclude_defaults=True) for v in verdicts if v.item_id == item.id
    ]


def _text(shown: dict[str, Any]) -> str:
    item = shown["item"]
    lines = [f"item {item['id']} (split: {shown['split'] or 'none'})"]
    lines += [f"{name}: {_plain(item[name])}" for name in _FIELDS if name in item]
    lines.append(f"labels: {len(shown['labels'])}")
    lines += [f"  {_label_line(label)}" for label in shown["labels"]]
    lines.append(f"verdicts: {len(shown['verdicts'])}")
    lines += [line for verdict in shown["verdicts"] for line in _verdict_lines(verdict)]
    return "\n".join(lines)


def _label_line(label: dict[str, Any]) -> str:
    note = f" - {label['note']}" if label.get("note") else ""
    mode = f" ({label['failure_mode']})" if label.get("failure_mode") else ""
    return f"{label['annotator']}, {label['criterion']}: {label['label']}{mode}{note}"


def _verdict_lines(verdict: dict[str, Any]) -> list[str]:
    answer = verdict["status"]
    if answer == "scored":
        answer = "pass" if verdict["passed"] else "fail"
    regrade = f" (regrade {verdict['regrade']})" if verdict.get("regrade") else ""
    stale = " [of an older fingerprint or item]" if verdict["current"] is False else ""
    mode = f" ({verdict['failure_mode']})" if verdict.get("failure_mode") else ""
    lines = [f"  {verdict['grader']}: {answer}{mode}{regrade}{stale}"]
    if verdict.get("failed_criteria"):
        lines.append(f"    failed criteria: {', '.join(verdict['failed_criteria'])}")
    if verdict.get("reason"):
        lines.append(f"    reason: {verdict['reason']}")
    lines += [f"    quote: {quote}" for quote in verdict.get("evidence", ())]
    return lines


def _plain(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
