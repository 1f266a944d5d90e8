"""`judgekit calibrate` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def recorded(folder: Path, cells: dict[tuple[str, str], int], judges: int = 1) -> list[str]:
    labels, verdicts, number = [], [], 0
    for (human, judge), n in cells.items():
        for _ in range(n):
            number += 1
            item = f"i{number}"
            labels.append({"item_id": item, "annotator": "a", "label": human, "criterion": "c"})
            verdicts += [{"item_id": item, "judge": f"j{k}", "label": judge} for k in range(judges)]
    return [
        "calibrate",
        "--labels", write(folder / "labels.jsonl", labels),
        "--verdicts", write(folder / "verdicts.jsonl", verdicts),
    ]  # fmt: skip


LIMITS = ["--max-false-pass-rate", "0.1", "--max-false-fail-rate", "0.25", "--min-kappa", "0.55"]
PERFECT = {("pass", "pass"): 100, ("fail", "fail"): 100}


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (PERFECT, 0),
        ({("pass", "pass"): 95, ("fail", "pass"): 5}, 1),
        ({("pass", "pass"): 5, ("fail", "fail"): 5}, 3),
    ],
)
def test_the_exit_code_follows_the_decision(
    tmp_path: Path, cells: dict[tuple[str, str], int], code: int
) -> None:
    assert run_cli(recorded(tmp_path, cells) + LIMITS) == code


def test_json_is_one_object_and_several_judges_a_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli([*recorded(tmp_path, PERFECT), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["judge"], data["decision"]) == (1, "j0", None)
    assert run_cli([*recorded(tmp_path, PERFECT, judges=2), *LIMITS, "--json"]) == 0
    several = json.loads(capsys.readouterr().out)
    assert [one["judge"] for one in several["judges"]] == ["j0", "j1"]


def test_a_page_is_written_where_asked(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert run_cli([*recorded(tmp_path, PERFECT), "--html", str(page)]) == 0
    assert "<html" in page.read_text(encoding="utf-8")


def test_numbers_are_read_with_pass_if(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = [{"item_id": f"i{k}", "annotator": "a", "label": k % 5} for k in range(20)]
    verdicts = [{"item_id": f"i{k}", "judge": "j", "score": k % 5} for k in range(20)]
    command = [
        "calibrate", "--labels", write(tmp_path / "l.jsonl", labels),
        "--verdicts", write(tmp_path / "v.jsonl", verdicts), "--pass-if", ">= 3", "--json",
    ]  # fmt: skip
    assert run_cli(command) == 0
    assert json.loads(capsys.readouterr().out)["confusion"]["human_pass_judge_pass"] == 8


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--max-false-pass-rate", "1.5"], "--max-false-pass-rate"),
        (["--reference", "nobody"], "neither a rule nor an annotator"),
        (["--criterion", "other"], "no label is about"),
        (["--pass-if", "about 4"], "pass rule"),
        (["--judge", "nobody"], "nobody"),
    ],
)
def test_bad_input_is_exit_2_and_names_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert run_cli(recorded(tmp_path, PERFECT) + more) == 2
    assert message in capsys.readouterr().err


def test_labels_alone_are_not_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(recorded(tmp_path, PERFECT)[:3]) == 2
    assert "both labels and verdicts" in capsys.readouterr().err
