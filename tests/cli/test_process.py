"""`judgekit process` as a user meets it: the axes, the gate, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import run_cli

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
TAU = ROOT.parent / "shared/data/tau_airline_gpt4o"
RULES = "schema: 1\nname: synthetic\nfields: {answer: {compare: exact}}\n"


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = run_cli(["process", *map(str, words)])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def golden(name: str) -> dict[str, Any]:
    from judgekit.model.golden import Golden

    one = Golden.sealed(
        {
            "id": name,
            "input": {"question": name},
            "fields": {"answer": {"value": "right"}},
            "reviewers": ["synthetic"],
            "proposer": "synthetic-proposer",
            "approver": "synthetic-approver",
        }
    )
    return one.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def line(case: str, number: int, right: bool, **more: Any) -> dict[str, Any]:
    final = {"answer": "right" if right else "wrong"}
    return {"case_id": case, "number": number, "ending": "finished", "final": final, **more}


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def made_of(path: Path, **components: str) -> None:
    """Write beside a file of trials what it was made with."""
    from judgekit.model.agent import Limits, Scope, TrialSet
    from judgekit.store.trial_journal import set_path

    one = TrialSet(
        agent=path.stem,
        configuration=TrialSet.hash_of(dict(components)),
        components=dict(components),
        k=2,
        seed="1",
        limits=Limits(),
        scope=Scope(),
        machine="none",
    )
    set_path(path).write_text(one.model_dump_json(by_alias=True), encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Synthetic goldens, rules and trials of 60 cases; `new` costs more and is right more often."""
    monkeypatch.chdir(tmp_path)
    names = [f"c{i:02}" for i in range(60)]
    write(tmp_path / "goldens.jsonl", [golden(name) for name in names])
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    for file, right, cost in (("old", 30, 0.01), ("new", 57, 0.05), ("same", 30, 0.01)):
        rows = [
            line(name, number, i < right, cost_usd=cost)
            for i, name in enumerate(names)
            for number in (0, 1)
        ]
        write(tmp_path / f"{file}.trials.jsonl", rows)
    return tmp_path


FILES = ("--goldens", "goldens.jsonl", "--rules", "rules.yaml")


@pytest.mark.skipif(not TAU.is_dir(), reason="the shared extract tau_airline_gpt4o is not here")
def test_the_airline_trials_give_the_published_pass_rates_in_text_and_json(capsys) -> None:
    # reference.json: pass^k and pass@k of these 30 tasks, from tau-bench's own code
    reference = json.loads((TAU / "reference.json").read_text("utf-8"))
    words = (
        "--trials", TAU / "trajectories.jsonl", "--items", TAU / "items.jsonl",
        "--mapping", DATA / "mappings/tau_airline.yaml",
        "--rules", DATA / "scoring/tau_airline.yaml",
    )  # fmt: skip
    code, out, _ = run(capsys, *words, "--json")
    assert code == 0
    at_k = json.loads(out)["configurations"][0]["repeat"]["at_k"]
    assert [row["k"] for row in at_k] == [1, 2, 3, 4]
    for row in at_k:
        assert row["pass_hat"]["value"] == pytest.approx(reference[f"pass^{row['k']}"], abs=1e-6)
        assert row["pass_at"]["value"] == pytest.approx(reference[f"pass@{row['k']}"], abs=1e-6)
    code, text, _ = run(capsys, *words)
    shown = re.findall(r"^trajectories +(\d) +([\d.]+) \(.*?\) +([\d.]+) \(", text, re.M)
    assert shown == [
        ("1", "0.400", "0.400"),
        ("2", "0.217", "0.583"),
        ("3", "0.158", "0.708"),
        ("4", "0.133", "0.800"),
    ]
    assert "30 cases: this ranks configurations and certifies none" in text


def test_two_configurations_are_compared_with_a_curve(desk, capsys) -> None:
    code, out, _ = run(
        capsys, "--trials", "old.trials.jsonl", "--trials", "best=new.trials.jsonl", *FILES
    )
    assert code == 0
    assert "cliff: best against old is better by more than 0.05" in out
    assert "cheapest not inferior by 0.05: best" in out


def test_without_a_baseline_the_exit_is_0_and_json_has_one_object(desk, capsys) -> None:
    code, out, _ = run(capsys, "--trials", "old.trials.jsonl", *FILES, "--json")
    body = json.loads(out)
    assert (code, body["schema"], body["ranks_only"]) == (0, 1, True)
    assert "gates" not in body


@pytest.mark.parametrize("command", ["score", "process"])
def test_a_workspace_that_cannot_be_read_is_refused_and_not_taken_for_none(
    desk, capsys, command
) -> None:
    """Else its prices and rules would be left out of the figures without a word."""
    (desk / "judgekit.yaml").write_text("schema: 1\nprizes: {}\n")
    assert run_cli([command, "--trials", "old.trials.jsonl", *FILES]) == 2
    shown = capsys.readouterr()
    assert not shown.out
    assert f"where: {desk / 'judgekit.yaml'}:2" in shown.err


def test_the_gate_refuses_what_is_not_recorded(desk, capsys) -> None:
    code, out, err = run(
        capsys, "--trials", "new.trials.jsonl", "--baseline", "old.trials.jsonl", *FILES
    )
    assert (code, out) == (2, "")
    assert "say --changed unrecorded" in err


def test_the_gate_refuses_unlike_configurations_and_names_what_to_say(desk, capsys) -> None:
    made_of(desk / "old.trials.jsonl", source="a", prompt="1")
    made_of(desk / "new.trials.jsonl", source="a", prompt="2")
    words = ("--trials", "new.trials.jsonl", "--baseline", "old.trials.jsonl", *FILES)
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "--changed prompt" in err
    code, _, err = run(capsys, *words, "--changed", "source", "--changed", "prompt")
    assert code == 2
    assert "source did not change" in err


def test_the_gate_exits_1_where_a_metric_is_worse_and_names_the_change(desk, capsys) -> None:
    made_of(desk / "old.trials.jsonl", source="a", prompt="1")
    made_of(desk / "new.trials.jsonl", source="a", prompt="2")
    words = ("--trials", "new.trials.jsonl", "--baseline", "old.trials.jsonl", *FILES)
    code, out, _ = run(capsys, *words, "--changed", "prompt")
    assert code == 1
    assert re.search(r"^pass@1 .* better", out, re.M)
    assert re.search(r"^cost +x 5\.000 .* worse", out, re.M)
    assert "changed: prompt" in out
    code, out, _ = run(capsys, *words, "--changed", "prompt", "--without", "cost", "--json")
    body = json.loads(out)
    assert [m["outcome"] for m in body["gates"][0]["metrics"]] == [
        "better", "not_recorded", "not_recorded", "same", "not_gated", "not_recorded",
    ]  # fmt: skip
    assert code == body["gates"][0]["exit_code"] == 0


def test_the_gate_exits_0_where_nothing_is_worse(desk, capsys) -> None:
    for name in ("old", "same"):
        made_of(desk / f"{name}.trials.jsonl", source="a")
    code, out, _ = run(
        capsys, "--trials", "same.trials.jsonl", "--baseline", "old.trials.jsonl", *FILES,
        "--margin", "0.10",
    )  # fmt: skip
    assert (code, "same against old: no worse" in out) == (0, True)


def test_every_configuration_is_gated_and_the_worst_answer_counts(desk, capsys) -> None:
    for name in ("old", "same", "new"):
        made_of(desk / f"{name}.trials.jsonl", source="a")
    code, out, _ = run(
        capsys, "--trials", "same.trials.jsonl", "--trials", "new.trials.jsonl",
        "--baseline", "old.trials.jsonl", *FILES, "--margin", "0.10", "--json",
    )  # fmt: skip
    assert [gate["exit_code"] for gate in json.loads(out)["gates"]] == [0, 1]
    assert code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there are no trials"),
        (("--trials", "none.jsonl", *FILES), "none.jsonl"),
        (("--trials", "old.trials.jsonl", *FILES, "--changed", "x"), "--changed needs --baseline"),
        (("--trials", "old.trials.jsonl", *FILES, "--without", "cost"), "--without needs"),
        (("--trials", "old.trials.jsonl", *FILES, "--margin", "-0.1"), "--margin is no share"),
        (("--trials", "old.trials.jsonl", *FILES, "--margin", "nan"), "--margin is no share"),
        (("--trials", "old.trials.jsonl", *FILES, "--ratio-margin", "-2"), "is no growth"),
        (
            ("--trials", "old.trials.jsonl", "--trials", "./old.trials.jsonl", *FILES),
            "--trials NAME=FILE",
        ),
    ],
)
def test_what_cannot_be_used_is_one_message_and_exit_2(desk, capsys, words, said) -> None:
    code, out, err = run(capsys, *words, "--html", "report.html")
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert not (desk / "report.html").exists()


def test_trials_of_a_case_that_is_not_among_the_goldens_are_refused(desk, capsys) -> None:
    write(desk / "odd.jsonl", [line("elsewhere", 0, True)])
    code, _, err = run(capsys, "--trials", "odd.jsonl", *FILES)
    assert code == 2
    assert "'elsewhere', which is not among the cases" in err


def test_a_judges_verdicts_are_shown_apart_as_advisory(desk, capsys) -> None:
    rows = [{"item_id": f"c{i:02}", "judge": "j", "label": "pass"} for i in range(5)]
    write(desk / "verdicts.jsonl", rows)
    code, out, _ = run(
        capsys, "--trials", "old.trials.jsonl", *FILES, "--advisory", "verdicts.jsonl", "--json"
    )
    body = json.loads(out)
    assert code == 0
    assert body["advisory"][0]["pass_rate"]["value"] == 1.0
    assert body["configurations"][0]["repeat"]["pass_at_1"]["value"] == 0.5


def test_the_html_report_is_written_whole(desk, capsys) -> None:
    code, _, err = run(
        capsys, "--trials", "old.trials.jsonl", "--trials", "new.trials.jsonl", *FILES,
        "--html", "report.html",
    )  # fmt: skip
    page = (desk / "report.html").read_text("utf-8")
    assert (code, "wrote report.html" in err) == (0, True)
    assert page.rstrip().endswith("</html>")
    assert "<svg" in page
