"""Hostile words on the pages of judges: item texts, notes, failure modes, rationales, slices."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor

EVIL = "<img src=x onerror=alert(1)> ![](http://example.org/x.png) [a](javascript:alert(1)) $x$"
RUBRIC = """schema: 1
name: desk
task: Decide.
criteria: [{id: right, description: It is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""
HOSTILE_SETTINGS = """schema: 1
dataset: hostile
graders:
  loose: {provider: recorded, verdicts: recorded.jsonl}
  other: {provider: recorded, verdicts: recorded.jsonl}
label:
  people: {eve: {roles: [engineer]}}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., AppServer]) -> AppServer:
    return serve(hostile_workspace(tmp_path_factory.mktemp("desk")), "--rubric", "desk")


def hostile_workspace(root: Path) -> Path:
    """A workspace whose texts, notes, failure modes and rationales try to become markup."""
    folder = root / "annotations" / "hostile"
    folder.mkdir(parents=True)
    ids = [f"h{n}" for n in range(3)]
    items = [
        {"id": i, "input": f"{EVIL} {i}", "output": EVIL, "metadata": {"s": EVIL}} for i in ids
    ]
    items[0]["metadata"] = {"s": "plain"}
    said = {"annotator": "ann", "failure_mode": EVIL, "note": EVIL, "evidence": ["onerror"]}
    labels = [{"item_id": i, "label": "fail", **said} for i in ids]
    verdicts = [{"item_id": i, "judge": "loose", "label": "pass", "raw": f"{EVIL} a"} for i in ids]
    verdicts += [{"item_id": i, "judge": "other", "label": "fail", "raw": f"{EVIL} b"} for i in ids]
    write(folder / "items.jsonl", items)
    write(folder / "labels.jsonl", labels)
    write(root / "recorded.jsonl", verdicts)
    (root / "judgekit.yaml").write_text(HOSTILE_SETTINGS, encoding="utf-8")
    (root / "rubrics").mkdir()
    (root / "rubrics" / "desk.yaml").write_text(RUBRIC, encoding="utf-8")
    return root


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_hostile_text_is_inert_on_the_pages_of_judges(visit: Callable[..., Visitor]) -> None:
    """D5: rationale, notes, failure modes, item texts and slices are words; nothing is asked of
    the host that they name."""
    eve = visit()
    eve.open("/disagreements?user=eve&judge=loose&against=other&cell=false+pass")
    eve.expect_text("Case 1 of 3")
    eve.expect_text(EVIL, ".st-key-rationale")
    eve.expect_text(EVIL, ".st-key-case")
    eve.expect_inert(".stMain")
    eve.open("/calibrate?user=eve&slice=s")
    eve.expect_text("What this rests on")
    eve.expect_text(EVIL, ".st-key-overview")
    for region in (".st-key-overview", ".st-key-people", ".st-key-hashes"):
        eve.expect_inert(region)
    assert eve.page.locator(".stMain img, .stMain script, .stMain iframe").count() == 0
    assert (eve.external, eve.dialogs) == ([], [])
