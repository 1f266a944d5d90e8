"""`judgekit compare` and `judgekit estimate` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def recorded(folder: Path, *, unlabelled: int = 0, halves: bool = False) -> list[str]:
    """Write 200 items: `good` errs on 5 % of each class, `bad` on 30 %."""
    items, labels, verdicts = [], [], []
    for k in range(200 + unlabelled):
        name, human = f"i{k}", "pass" if k % 2 else "fail"
        items.append({"id": name, "output": name})
        if halves:
            items[-1]["split"] = "development" if k < 100 else "holdout"
        if k < 200:
            labels.append({"item_id": name, "annotator": "a", "label": human, "criterion": "c"})
        for judge, every in (("good", 20), ("bad", 3)):
            wrong = (k // 2) % every == 0
            answer = {"pass": "fail", "fail": "pass"}[human] if wrong else human
            verdicts.append({"item_id": name, "judge": judge, "label": answer})
    return [
        "--items", write(folder / "items.jsonl", items),
        "--labels", write(folder / "labels.jsonl", labels),
        "--verdicts", write(folder / "verdicts.jsonl", verdicts),
    ]  # fmt: skip


def test_compare_prints_text_json_and_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = recorded(tmp_path)
    page = tmp_path / "report.md"
    assert run_cli(["compare", *files, "--markdown", str(page)]) == 0
    assert capsys.readouterr().out.startswith("2 judges on the same items")
    assert page.read_text(encoding="utf-8").startswith("## 2 judges")
    assert run_cli(["compare", *files, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [one["judge"] for one in data["measured"]["candidates"]] == ["good", "bad"]
    assert data["choice"] is None


def test_compare_chooses_on_one_split_of_the_items_file_and_confirms_on_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    splits = ["--select-on", "development", "--confirm-on", "holdout"]
    command = ["compare", *recorded(tmp_path, halves=True), *splits, "--json"]
    assert run_cli([*command, "--max-false-pass-rate", "0.2"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["choice"]["winner"] == "good"
    assert data["confirmed"]["split"] == "holdout"
    assert data["confirmed"]["candidates"][0]["figures"]["n_pairs"] == 100
    assert [one["biased"] for one in data["measured"]["candidates"]] == [True, False]


@pytest.mark.parametrize(
    ("margin", "code"),
    [("0.6", 0), ("0.05", 1), ("0.25", 3)],
)
def test_compare_answers_the_margin_with_its_exit_code(
    tmp_path: Path, margin: str, code: int
) -> None:
    command = ["compare", *recorded(tmp_path), "--baseline", "good", "--margin", margin]
    assert run_cli(command) == code


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--judge", "good"], "two judges"),
        (["--margin", "0.05"], "margin needs to know"),
        (["--margin", "2", "--baseline", "good"], "--margin"),
        (["--baseline", "nobody"], "no judge 'nobody'"),
        (["--choose-by", "luck"], "--choose-by"),
        (["--cost", "good"], "a cost cannot be read"),
        (["--cost", "good=-1"], "a cost cannot be read"),
        (["--select-on", "development"], "go together"),
        (["--select-on", "train", "--confirm-on", "train"], "cannot be confirmed"),
        (["--select-on", "holdout", "--confirm-on", "development"], "is for confirming"),
        (["--select-on", "development", "--confirm-on", "holdout"], "no item is in split"),
    ],
)
def test_compare_refuses_what_it_cannot_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], message: str
) -> None:
    assert run_cli(["compare", *recorded(tmp_path), *more]) == 2
    assert message in capsys.readouterr().err


def test_estimate_uses_the_items_without_labels_as_outputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = recorded(tmp_path, unlabelled=300)
    page = tmp_path / "report.md"
    command = ["estimate", *files, "--judge", "good", "--assume", "random"]
    assert run_cli([*command, "--json", "--markdown", str(page)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["n_labelled"], data["n_outputs"]) == (200, 300)
    assert data["pass_rate"]["low"] < 0.5 < data["pass_rate"]["high"]
    assert data["pass_rate"]["value"] == pytest.approx(0.5, abs=0.02)
    assert "What these data cannot support" in page.read_text(encoding="utf-8")


def test_estimate_reads_outputs_from_a_file_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"item_id": f"o{k}", "judge": "good", "label": "pass"} for k in range(80)]
    rows += [{"item_id": f"p{k}", "judge": "good", "label": "fail"} for k in range(20)]
    outputs = write(tmp_path / "outputs.jsonl", rows)
    command = ["estimate", *recorded(tmp_path), "--judge", "good", "--outputs", outputs]
    assert run_cli([*command, "--assume", "label-shift"]) == 0
    # q .8, TPR and TNR .95: (.8 + .95 - 1)/.9
    assert capsys.readouterr().out.startswith("Pass rate 83.3%")


def test_estimate_never_guesses_the_assumption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = recorded(tmp_path, unlabelled=50)
    for more in ([], ["--assume", "best"]):
        assert run_cli(["estimate", *files, "--judge", "good", *more]) == 2
        assert "cannot be guessed" in capsys.readouterr().err
    assert run_cli(["estimate", *files, "--assume", "random"]) == 2
    assert "name it with --judge" in capsys.readouterr().err


def test_estimate_refuses_a_judge_that_may_know_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels, verdicts = [], []
    for k in range(120):
        answer = "pass" if (k // 2) % 2 else "fail"
        verdicts.append({"item_id": f"i{k}", "judge": "coin", "label": answer})
        if k < 80:
            human = "pass" if k % 2 else "fail"
            labels.append({"item_id": f"i{k}", "annotator": "a", "label": human})
    command = [
        "estimate", "--labels", write(tmp_path / "l.jsonl", labels),
        "--verdicts", write(tmp_path / "v.jsonl", verdicts), "--assume", "label-shift", "--json",
    ]  # fmt: skip
    assert run_cli(command) == 3
    data = json.loads(capsys.readouterr().out)
    assert "Youden's J" in data["refused"]
    assert "undefined" in data["pass_rate"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--margin", "nan"),
        ("--margin", "inf"),
        ("--epsilon", "nan"),
        ("--epsilon", "-inf"),
        ("--confidence", "0.9999999999999999"),
    ],
)
def test_a_number_that_is_none_is_bad_usage_and_never_a_bug(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    arguments = ["compare", *recorded(tmp_path), "--baseline", "good", option, value]
    assert run_cli(arguments) == 2
    assert capsys.readouterr().err.startswith(f"error: the value of {option} cannot be used")


def test_two_costs_of_one_judge_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ["--cost", "good=1", "--cost", "good=2"]
    assert run_cli(["compare", *recorded(tmp_path), *both]) == 2
    assert "judge 'good' has two costs" in capsys.readouterr().err


def test_the_help_of_compare_says_which_splits_are_used_by_default(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_cli(["compare", "--help"]) == 0
    page = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "choose on development, confirm on holdout, where both have items" in page
    assert "default: the policy's" not in page


def test_a_margin_that_is_neither_shown_nor_refuted_is_a_whole_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    margin = ["--baseline", "good", "--margin", "0.25", "--json"]
    run_cli(["compare", *recorded(tmp_path), *margin])
    said = capsys.readouterr().out
    assert "That bad is within 0.25 of good on false passes is neither shown nor refuted" in said
