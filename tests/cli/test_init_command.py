from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from judgekit.cli.init_command import Limits, limits_from_costs, unreachable
from judgekit.cli.main import run_cli
from judgekit.store.workspace import find_workspace

FILES = [
    ".gitignore",
    "annotations/examples/dataset.yaml",
    "annotations/examples/items.jsonl",
    "annotations/examples/labels.jsonl",
    "judgekit.yaml",
    "rubrics/my_rubric.yaml",
]


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())


def _files(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_init_writes_a_workspace_that_doctor_finds_fit(tmp_path: Path, capsys) -> None:
    assert run_cli(["init", "--workspace", str(tmp_path)]) == 0
    assert sorted(_files(tmp_path)) == FILES
    capsys.readouterr()
    assert run_cli(["doctor", "--workspace", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    assert not {f["level"] for f in found} & {"error", "stale"}


def test_init_without_a_terminal_asks_nothing_and_lists_what_it_wrote(tmp_path, capsys) -> None:
    assert run_cli(["init", "--workspace", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert sorted(said["written"]) == FILES
    assert said["limits"]["false_pass"] == 0.1
    assert said["warnings"] == []


@pytest.mark.parametrize("name", [name for name in FILES if name != ".gitignore"])
def test_init_overwrites_no_file_and_writes_none_beside_it(tmp_path, capsys, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    assert run_cli(["init", "--workspace", str(tmp_path)]) == 2
    assert _files(tmp_path) == {name: b"mine"}
    assert name in capsys.readouterr().err


def test_init_leaves_an_existing_gitignore_alone(tmp_path: Path, capsys) -> None:
    (tmp_path / ".gitignore").write_text("mine\n")
    assert run_cli(["init", "--workspace", str(tmp_path)]) == 0
    assert (tmp_path / ".gitignore").read_text() == "mine\n"
    assert "add .judgekit/ to .gitignore" in capsys.readouterr().err


def test_costs_given_on_the_command_line_shape_the_limits(tmp_path: Path) -> None:
    costs = ["--cost-false-pass", "5", "--cost-false-fail", "2"]
    assert run_cli(["init", "--workspace", str(tmp_path), *costs]) == 0
    policy = find_workspace(tmp_path).policy("default")
    assert (policy.max_false_pass_rate, policy.max_false_fail_rate) == (0.1, 0.25)


@pytest.mark.parametrize(
    ("costs", "limits"),
    [((100, 1), (0.1, 0.3)), ((1, 2), (0.2, 0.1)), ((3, 3), (0.1, 0.1)), ((None, 3), (0.1, 0.2))],
)
def test_the_dearer_error_gets_the_stricter_limit(costs, limits) -> None:
    found = limits_from_costs(*costs)
    assert (found.false_pass, found.false_fail) == limits


def test_a_cost_that_is_not_positive_is_refused(tmp_path: Path) -> None:
    assert run_cli(["init", "--workspace", str(tmp_path / "new"), "--cost-false-pass", "-1"]) == 2
    assert not (tmp_path / "new").exists()


def test_too_few_human_fails_for_a_limit_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    answers = ["fail"] * 20 + ["pass"] * 60
    path.write_text(
        "".join(
            json.dumps({"item_id": f"i{n}", "annotator": "ana", "label": answer}) + "\n"
            for n, answer in enumerate(answers)
        )
    )
    # ln(0.05 / 3) / ln(1 - 0.1) = 38.9: the rule of three, at the level of one look of three
    assert unreachable(path, Limits(false_pass=0.1, false_fail=0.1, sentence="")) == [
        "max_false_pass_rate 0.1 cannot be reached: 20 human fail labels, and even a judge "
        "without an error needs 39 on the holdout"
    ]


def test_the_next_step_works_from_where_the_user_stands(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_cli(["init", "--workspace", "my evals"]) == 0
    assert "next: `cd 'my evals'`, edit rubrics/my_rubric.yaml" in capsys.readouterr().err
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run_cli(["init"]) == 0
    assert "next: edit rubrics/my_rubric.yaml" in capsys.readouterr().err
