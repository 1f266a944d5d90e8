"""`judgekit plan` as a user meets it: the sizes, and the items to label next."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli
from judgekit.store.readers import read_labels

SETTINGS = """\
schema: 1
dataset: desk
graders:
  strict: {provider: recorded, verdicts: strict.jsonl}
policies:
  default: {max_false_pass_rate: 0.1, split: all}
gate: {policy: default}
"""
N = 400


def verdict_of(k: int) -> str:
    return "fail" if k % 4 == 0 else "pass"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return write(tmp_path, labelled=80)


def write(root: Path, *, labelled: int, design: str = "random", unscored: int = 0) -> Path:
    items = [{"id": f"i{k}", "output": f"text {k}", "input": "q"} for k in range(N)]
    labels = [
        {"item_id": f"i{k}", "annotator": "ann", "label": "fail" if k % 8 == 0 else "pass"}
        for k in range(labelled)
    ]
    verdicts = [
        {"item_id": f"i{k}", "judge": "strict", "label": verdict_of(k)} for k in range(N - unscored)
    ]
    verdicts += [
        {"item_id": f"i{k}", "judge": "strict", "label": "garbage"} for k in range(N - unscored, N)
    ]
    files = {
        "judgekit.yaml": SETTINGS,
        "annotations/desk/dataset.yaml": f"schema: 1\nname: desk\ndesign: {design}\n",
        "annotations/desk/items.jsonl": lines(items),
        "annotations/desk/labels.jsonl": lines(labels),
        "strict.jsonl": lines(verdicts),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def plan(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = run_cli(["plan", "--json", *arguments])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def next_of(
    capsys: pytest.CaptureFixture[str], workspace: Path, n: int, *more: str
) -> dict[str, Any]:
    arguments = ["--workspace", str(workspace), "--next", str(n), *more]
    code, answer, _ = plan(capsys, *arguments)
    assert code == 0
    found: dict[str, Any] = answer["next"]
    return found


def test_the_plan_gives_the_known_sizes_as_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer, _ = plan(
        capsys, "--limit", "0.05", "--expected-rate", "0.01", "--fail-share", "0.2"
    )
    assert code == 0
    assert answer["schema"] == 1
    assert (answer["n_first"], answer["n_stable"]) == (124, 124)
    assert [size["human_fail"] for size in answer["least"]] == [59, 93, 124, 153]
    assert answer["first"]["items"] == 620
    assert answer["power_curve"][-1]["power"] > 0.8
    assert {"n", "max_errors", "power"} == set(answer["power_curve"][0])
    assert answer["limit"] == 0.05


def test_the_plan_is_readable_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["plan", "--limit", "0.05"]) == 0
    said = capsys.readouterr()
    assert "Label 124 human fails; from 124 on every number has the power." in said.out
    assert said.err == "no --expected-rate: a fifth of the limit, 0.01, is assumed\n"
    assert said.out.isascii()


def test_an_infeasible_plan_is_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer, _ = plan(capsys, "--limit", "0.05", "--expected-rate", "0.05")
    assert code == 1
    assert answer["infeasible"] == "the expected rate 0.05 is not below the limit 0.05"
    assert answer["n_first"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to plan"),
        (["--limit", "nan"], "the value of --limit cannot be used"),
        (["--limit", "1.5"], "the value of --limit cannot be used"),
        (["--limit", "inf"], "the value of --limit cannot be used"),
        (["--limit", "x"], "Invalid value for '--limit'"),
        (["--limit", "0.1", "--looks", "0"], "the value of --looks cannot be used"),
        (
            ["--limit", "0.1", "--confidence", "0.9999999999999999"],
            "the value of --confidence cannot be used",
        ),
        (["--limit", "0.1", "--confidence", "0.4"], "the value of --confidence cannot be used"),
        (["--limit", "0.1", "--fail-share", "0"], "the value of --fail-share cannot be used"),
        (["--limit", "0.1", "--rho", "-1"], "the value of --rho cannot be used"),
        (["--limit", "0.1", "--expected-rate", "2"], "the value of --expected-rate cannot be used"),
        (["--looks", "3", "--next", "5"], "--looks needs --limit"),
        (["--limit", "0.1", "--judge", "strict"], "--judge needs --next"),
        (["--next", "0"], "the value of --next cannot be used"),
        (["--next", "5", "--aim", "kappa"], "there is no aim 'kappa'"),
        (["--next", "5", "--design", "lucky"], "there is no design 'lucky'"),
    ],
)
def test_bad_values_are_exit_2_with_one_message(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert run_cli(["plan", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


def test_next_names_unlabelled_items_with_their_design_and_weight(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = next_of(capsys, workspace, 40)
    names = [item["item_id"] for item in found["items"]]
    assert len(set(names)) == 40
    assert all(int(name[1:]) >= 80 for name in names)
    for item in found["items"]:
        assert item["design"] == f"stratified:judge_{verdict_of(int(item['item_id'][1:]))}"
    drawn = Counter(item["design"] for item in found["items"])
    for stratum in found["strata"]:
        assert stratum["new"] == drawn[f"stratified:{stratum['name']}"]
        weights = {i["weight"] for i in found["items"] if i["design"].endswith(stratum["name"])}
        assert weights <= {stratum["items"] / (stratum["labelled"] + stratum["new"])}
    passed, failed = found["strata"]
    assert (passed["items"], passed["labelled"], passed["human_fail"]) == (300, 60, 0)
    assert (failed["items"], failed["labelled"], failed["human_fail"]) == (100, 20, 10)
    assert passed["rate"] == pytest.approx(0.5 / 61)
    assert failed["rate"] == pytest.approx(10.5 / 21)


def test_next_goes_to_judge_passes_for_the_false_pass_rate_and_elsewhere_for_the_pass_rate(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = next_of(capsys, workspace, 40)
    product = next_of(capsys, workspace, 40, "--aim", "pass-rate")
    assert [s["new"] for s in gate["strata"]] == [40, 0]
    assert product["strata"][1]["new"] > product["strata"][0]["new"]
    assert gate["saves"] > 0
    assert gate["worth_at_random"] == pytest.approx(40 + gate["saves"], abs=0.51)


def test_next_is_repeatable_grows_at_its_end_and_follows_the_seed(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = next_of(capsys, workspace, 30)
    again = next_of(capsys, workspace, 30)
    other = next_of(capsys, workspace, 30, "--seed", "2")
    longer = next_of(capsys, workspace, 60)
    ids = {item["item_id"] for item in first["items"]}
    assert first == again
    assert ids != {item["item_id"] for item in other["items"]}
    assert ids < {item["item_id"] for item in longer["items"]}


def test_the_written_list_becomes_labels_that_carry_design_and_weight(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = workspace / "next.jsonl"
    found = next_of(capsys, workspace, 12, "--out", str(out))
    assert found["written"] == str(out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows == found["items"]
    labelled = workspace / "labelled.jsonl"
    labelled.write_text(lines([{**row, "annotator": "ann", "label": "pass"} for row in rows]))
    labels = read_labels(labelled).labels
    assert [(x.item_id, x.design, x.weight) for x in labels] == [
        (row["item_id"], row["design"], row["weight"]) for row in rows
    ]
    shown = next_of(capsys, workspace, 12)
    assert shown["written"].endswith(".judgekit/next/desk-strict.jsonl")


def test_the_weights_of_a_labelled_list_sum_to_the_items_of_its_stratum(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = next_of(capsys, workspace, 100, "--aim", "pass-rate")
    for stratum in found["strata"]:
        labels = stratum["labelled"] + stratum["new"]
        assert stratum["weight"] * labels == pytest.approx(stratum["items"])


def test_the_console_mixes_the_verdicts_among_the_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = write(tmp_path, labelled=0)
    assert run_cli(["plan", "--workspace", str(workspace), "--next", "40"]) == 0
    head, _, ids = capsys.readouterr().out.partition("\n\n")
    verdicts = [verdict_of(int(name[1:])) for name in ids.split()]
    assert len(verdicts) == 40
    assert verdicts != sorted(verdicts)
    assert verdicts != sorted(verdicts, reverse=True)
    assert "40 items to label next" in head
    assert "do not show them" in head


def test_without_labels_every_verdict_gets_half_and_no_saving_is_claimed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = next_of(capsys, write(tmp_path, labelled=0), 30)
    assert [s["new"] for s in found["strata"]] == [15, 15]
    assert found["saves"] is None
    assert found["worth_at_random"]["undefined"].startswith("there is no label yet")
    assert found["sentence"].startswith("What this list saves cannot be said")


def test_a_list_that_saves_little_says_so(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = next_of(capsys, workspace, 3, "--aim", "pass-rate")
    rest = next_of(capsys, workspace, 1_000)
    assert len(rest["items"]) == N - 80
    assert rest["saves"] == 0
    assert "saves little" in rest["sentence"]
    assert rest["notes"] == ["only 320 items with a verdict are without a label"]
    assert found["asked"] == 3


def test_targeted_and_unscored_items_are_in_no_stratum_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = next_of(capsys, write(tmp_path, labelled=80, design="targeted", unscored=40), 30)
    assert sum(s["items"] for s in found["strata"]) == N - 80 - 40
    assert [s["labelled"] for s in found["strata"]] == [0, 0]
    assert (found["targeted"], found["unscored"]) == (80, 40)
    assert len(found["notes"]) == 2


def test_a_random_list_carries_no_weights_and_takes_items_without_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = write(tmp_path, labelled=80, unscored=200)
    found = next_of(capsys, workspace, 200, "--design", "random")
    names = [int(item["item_id"][1:]) for item in found["items"]]
    assert len(set(names)) == 200
    assert min(names) >= 80
    assert max(names) >= 200
    assert {item["design"] for item in found["items"]} == {"random"}
    assert (found["strata"], found["saves"], found["notes"]) == ([], 0, [])
    row = json.loads(Path(found["written"]).read_text().splitlines()[0])
    assert row == {"design": "random", "item_id": found["items"][0]["item_id"]}
    write(tmp_path, labelled=N)
    arguments = ["--workspace", str(workspace), "--next", "5", "--design", "random"]
    assert plan(capsys, *arguments)[1]["error"]["message"] == "every item has a label already"


@pytest.mark.parametrize("verdict", ["pass", "fail"])
def test_a_judge_with_one_answer_has_one_stratum(
    workspace: Path, capsys: pytest.CaptureFixture[str], verdict: str
) -> None:
    rows = [{"item_id": f"i{k}", "judge": "strict", "label": verdict} for k in range(N)]
    (workspace / "strict.jsonl").write_text(lines(rows))
    found = next_of(capsys, workspace, 20)
    assert {item["design"] for item in found["items"]} == {f"stratified:judge_{verdict}"}
    assert sorted(s["new"] for s in found["strata"]) == [0, 20]
    assert found["sentence"].endswith("no label of these strata bears on the aim.")


def test_a_list_that_only_fills_a_floor_sends_the_user_to_a_random_draw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = write(tmp_path, labelled=0)
    passes = [k for k in range(N) if verdict_of(k) == "pass"][:60]
    fails = [k for k in range(N) if verdict_of(k) == "fail"][:9]
    labels = [{"item_id": f"i{k}", "annotator": "ann", "label": "pass"} for k in passes]
    labels += [{"item_id": f"i{k}", "annotator": "ann", "label": "fail"} for k in fails]
    (workspace / "annotations/desk/labels.jsonl").write_text(lines(labels))
    (workspace / "annotations/desk/dataset.yaml").write_text("schema: 1\nname: desk\n")
    found = next_of(capsys, workspace, 1)
    assert [s["new"] for s in found["strata"]] == [0, 1]
    assert found["sentence"].endswith("use --design random instead.")
    note = "69 earlier labels declare no design and count as drawn at random"
    assert found["notes"] == [note]


def test_a_criterion_is_a_unit_of_its_own(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = [
        {"item_id": f"i{k}", "annotator": "ann", "label": "pass", "criterion": "tone"}
        for k in range(100, 130)
    ]
    path = workspace / "annotations/desk/labels.jsonl"
    path.write_text(path.read_text() + lines(about))
    found = next_of(capsys, workspace, 20, "--criterion", "tone")
    assert found["unit"] == "tone"
    assert sum(s["labelled"] for s in found["strata"]) == 30
    arguments = ["--workspace", str(workspace), "--next", "5"]
    code, answer, _ = plan(capsys, *arguments)
    assert (code, answer["error"]["type"]) == (2, "CriterionMismatch")


def test_several_judges_with_verdicts_need_one_name(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = "graders:\n  lax: {provider: recorded, verdicts: strict.jsonl}\n"
    settings = workspace / "judgekit.yaml"
    settings.write_text(settings.read_text().replace("graders:\n", more))
    arguments = ["--workspace", str(workspace), "--next", "5"]
    code, answer, _ = plan(capsys, *arguments)
    assert (code, answer["error"]["found"]) == (2, "lax, strict")
    assert len(next_of(capsys, workspace, 5, "--judge", "lax")["items"]) == 5
    assert plan(capsys, *arguments, "--judge", "lux")[0] == 2


def test_labels_of_a_list_are_reweighted_by_calibrate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = write(tmp_path, labelled=0)
    labels: list[dict[str, Any]] = []
    for n in (60, 60):
        found = next_of(capsys, workspace, n)
        labels += [
            {
                **item,
                "annotator": "ann",
                "label": "fail" if int(item["item_id"][1:]) % 3 else "pass",
            }
            for item in found["items"]
        ]
        (workspace / "annotations/desk/labels.jsonl").write_text(lines(labels))
    run_cli(["calibrate", "--json", "--workspace", str(workspace)])
    answer = json.loads(capsys.readouterr().out)
    rate = answer["false_pass_rate"]
    assert rate["low"] <= 0.75 <= rate["high"]  # 2 of 3 are human fails, whatever the judge says
    assert "reweighted" in rate["method"]


def test_next_refuses_without_verdicts_and_when_all_is_labelled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, labelled=N)
    arguments = ["--workspace", str(tmp_path), "--next", "5"]
    code, answer, _ = plan(capsys, *arguments)
    assert (code, answer["error"]["type"]) == (2, "InputError")
    assert answer["error"]["message"].startswith("every item with a verdict of 'strict'")
    write(tmp_path, labelled=10, unscored=N)
    code, answer, _ = plan(capsys, *arguments)
    assert (code, answer["error"]["mend"]) == (2, "judgekit run --grader strict")
    other = '{"item_id": "elsewhere", "judge": "strict", "label": "pass"}\n'
    (tmp_path / "strict.jsonl").write_text(other)
    code, answer, _ = plan(capsys, *arguments)
    assert (code, answer["error"]["type"]) == (2, "NoVerdicts")


def test_next_and_limit_go_together_in_one_object(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer, _ = plan(capsys, "--limit", "0.1", "--workspace", str(workspace), "--next", "5")
    assert code == 0
    assert answer["n_first"] == 61  # binom.cdf(2, 61, 0.1) <= 0.05, binom.cdf(2, 61, 0.02) = 0.88
    assert len(answer["next"]["items"]) == 5


def test_a_folder_as_out_is_named_and_a_file_is_proposed(
    workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--workspace", str(workspace), "--next", "3", "--out", str(workspace)]
    code, answer, _ = plan(capsys, *arguments)
    assert code == 2
    assert answer["error"]["message"] == "--out is a folder, and a list is one file"
    assert answer["error"]["found"] == str(workspace)


def test_a_power_near_one_is_not_shown_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["plan", "--limit", "0.05", "--power", "0.9999999"]) == 0
    assert "power 0.9999999, confidence 0.95" in capsys.readouterr().out
