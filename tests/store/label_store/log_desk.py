"""A project with error analysis and goldens in every state, and what its files say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from label_workspace import case, give, open_desk

from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_files.mirror import EventMirror
from judgekit.store.label_store import (
    Decided,
    GoldenSaved,
    LabelStore,
    LogEvent,
    Proposed,
    open_label_store,
)
from judgekit.store.workspace import Workspace

SECRET = "secret of ann"


@contextmanager
def opened(url: str, workspace: Workspace) -> Iterator[LabelStore]:
    mirror = EventMirror(workspace.annotations_dir)
    with open_label_store(url, workspace.root, mirror=mirror) as store:
        yield store


def finish(store: LabelStore, case_id: str, expert: str, value: Any, *, rev: int = 0) -> None:
    body = {"value": value}
    drafted = store.goldens.save("desk", case_id, body, expert=expert, rev_seen=rev)
    assert isinstance(drafted, GoldenSaved)
    done = store.goldens.save("desk", case_id, body, expert=expert, rev_seen=rev + 1, done=True)
    assert isinstance(done, GoldenSaved)


def analyse(store: LabelStore) -> None:
    """Two people read traces, note, group, merge, and take a step back."""
    codes = store.codes
    codes.add_note("desk", case(1), "nö \u2028 =1+1 \U0001f600", author="eva", op_id="n1")
    codes.add_note("desk", case(2), "rude", author="ben", op_id="n2")
    codes.mark_read("desk", case(3), author="eva", op_id="r3")
    codes.edit_note("desk", "n2", "rather rude", actor="ben", op_id="e2")
    codes.new_code("desk", "tone", actor="eva", op_id="m1")
    codes.new_code("desk", "style", actor="ben", op_id="m2")
    codes.assign("desk", ["n1", "n2"], "m1", actor="eva", op_id="a1")
    codes.merge("desk", "m1", "m2", actor="ben", op_id="g1")
    codes.undo("desk", actor="ben", op_id="u1")


def promote_and_fill_in(store: LabelStore) -> None:
    """A candidate is approved, filled in by two, settled, sent back, proposed again; one waits."""
    made = store.proposals.propose(
        "golden_candidate", case(1), {"item_id": case(1)}, proposer="eva", project="desk"
    )
    approve(store, made)
    store.goldens.ask("desk", [case(1)], actor="lea")
    finish(store, case(1), "ann", 1)
    store.goldens.reopen("desk", case(1), expert="ann")
    finish(store, case(1), "ann", 2, rev=3)
    finish(store, case(1), "bob", 3)
    for rev, value in enumerate((4, 5)):
        settled = store.goldens.resolve(
            "desk", case(1), "/fields/a", decision="redefine", reason="policy", actor="bob",
            rev_seen=rev, value={"value": value},
        )  # fmt: skip
        assert settled is not None
    golden = {"golden": {"id": case(1)}}
    made = store.proposals.propose("golden", case(1), golden, proposer="ann", project="desk")
    assert isinstance(made, Proposed)
    store.proposals.send_back(made.proposal.id, approver="lea", reason="the amount")
    store.proposals.propose("golden", case(1), golden, proposer="bob", project="desk", note="2nd")
    finish(store, case(2), "ann", SECRET)
    finish(store, case(3), "ann", "old")
    store.goldens.reopen("desk", case(3), expert="ann")
    finish(store, case(3), "bob", "of bob")


def approve(store: LabelStore, made: object) -> None:
    assert isinstance(made, Proposed)
    one = made.proposal
    decided = store.proposals.approve(one.id, approver="lea", payload_hash=one.payload_hash)
    assert isinstance(decided, Decided)


def worked(store: LabelStore, workspace: Workspace) -> None:
    open_desk(store, workspace)
    give(store, "ana", "pass", case(1), case(2))
    analyse(store)
    promote_and_fill_in(store)


def standing(store: LabelStore) -> dict[str, Any]:
    """Return all that people see, without the numbers that one database gives."""
    proposals = store.proposals.list(state=None, project="desk")
    viewers = ("ann", "bob", "eve")
    return {
        "book": store.codes.book("desk"),
        "cases": {who: store.goldens.cases("desk", who) for who in viewers},
        "both": store.goldens.both("desk", case(1)),
        "proposals": [one.model_dump(exclude={"id"}) for one in proposals],
        "labels": store.events.current("desk"),
    }


def files_in(workspace: Workspace) -> dict[str, bytes]:
    folder = workspace.annotations_dir / "desk" / "events"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def log_file(workspace: Workspace, name: str) -> Path:
    return workspace.annotations_dir / "desk" / "events" / f"{name}.jsonl"


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def take_in(store: LabelStore, workspace: Workspace) -> int:
    folder = workspace.annotations_dir / "desk"
    plan = plan_import(store, "desk", folder, kind="events", actor="lea")
    return apply_import(store, plan, actor="lea").n_new


def fresh(url: str, workspace: Workspace) -> list[LogEvent]:
    """Fill the files, and return what an empty database would take."""
    with opened(url, workspace) as store:
        worked(store, workspace)
        return [*store.events.since(project="desk"), *store.events.reviews(project="desk")]
