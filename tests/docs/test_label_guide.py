"""The `judgekit labels` commands of the guide to labelling run as written, one after the other."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from judgekit.cli.main import run_cli

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "label-items.md"
COMMANDS = re.findall(r"^    judgekit (labels .*)$", GUIDE.read_text(encoding="utf-8"), re.M)
RUBRIC = """\
schema: 1
name: reply_ok
task: Decide whether the reply may be sent.
criteria: [{id: tone, description: The reply is polite.}]
failure_modes: [{id: rude, description: The reply is rude.}]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "annotations" / "replies"
    folder.mkdir(parents=True)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "judgekit.yaml").write_text("schema: 1\n")
    (tmp_path / "rubrics" / "reply_ok.yaml").write_text(RUBRIC)
    (folder / "dataset.yaml").write_text("schema: 1\nname: replies\nguideline: v1\n")
    rows = "".join(json.dumps({"id": f"i{n}", "output": "Hello."}) + "\n" for n in range(5))
    (folder / "items.jsonl").write_text(rows)
    (folder / "guideline.md").write_text("Read it twice.\n")
    (tmp_path / "fresh.jsonl").write_text('{"id": "i9", "output": "Go away."}\n')
    (tmp_path / "theirs.csv").write_text("item_id,rater,human_label\ni0,zoe,pass\ni9,zoe,fail\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_of_the_guide_run_in_their_order(here: Path) -> None:
    assert len(COMMANDS) == 9
    for command in COMMANDS:
        assert run_cli(shlex.split(command)) == 0, command
    folder = here / "annotations" / "replies"
    rows = [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
    assert [(row["item_id"], row["label"], row.get("design")) for row in rows] == [
        ("i0", "pass", None),
        ("i9", "fail", None),
    ]
    assert (here / "labels.csv").is_file()
    assert (here / "copy" / "events" / "zoe.jsonl").read_bytes() == (
        folder / "events" / "zoe.jsonl"
    ).read_bytes()
