"""`judgekit score` from the command line: figures, reasons, comparisons, and bad input."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.demo_workspace import PARTS, copy_example
from judgekit.cli.main import run_cli

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from agents.refund_desk import run

ROOT = Path(__file__).resolve().parents[2]
CASES = "annotations/refund_desk/goldens.jsonl"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the example workspace with recorded trials of the right agent."""
    root = copy_example(tmp_path / "desk")
    monkeypatch.chdir(root)
    record(root, None, "trials.jsonl")
    return root


def record(root: Path, fault: str | None, name: str) -> None:
    state = json.loads((root / "agents/refund_desk_state.json").read_text())
    lines = []
    for text in (root / CASES).read_text().splitlines():
        golden = json.loads(text)
        request = {"input": golden["input"], "state": state, "settings": {"fault": fault}}
        facts = {"case_id": golden["id"], "number": 0, "state_before": state, "ending": "finished"}
        lines.append(json.dumps({**run(request), **facts}))
    (root / name).write_text("\n".join(lines) + "\n")


def score(*options: str) -> int:
    return run_cli(["score", "--trials", "trials.jsonl", "--rules", "refund_desk", *options])


def as_json(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    capsys.readouterr()
    assert score("--json", *options) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_right_agent_is_right_in_every_case(place: Path, capsys) -> None:
    found = as_json(capsys)
    assert (found["correct"]["value"], found["correct"]["n"]) == (1.0, 10)
    assert found["faults"] == []
    assert found["rules_hash"].startswith("sha256:")


def test_every_share_of_the_report_has_its_n_and_an_interval_or_a_reason(
    place: Path, capsys
) -> None:
    record(place, "wrong_date", "trials.jsonl")
    found = as_json(capsys)
    shares: list[dict[str, Any]] = []

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            if "method" in value or "undefined" in value:
                shares.append(value)
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(found)
    assert len(shares) > 50
    for one in shares:
        assert one["n"] >= 0
        reason = one.get("undefined") or one.get("status")
        assert reason or one["low"] <= one["value"] <= one["high"]


def test_explain_says_why_each_value_matched_or_not(place: Path, capsys) -> None:
    record(place, "wrong_date", "trials.jsonl")
    assert score("--explain", "--case", "teapot") == 0
    out = capsys.readouterr().out
    assert "teapot trial 0: fails" in out
    assert "field amount (critical): match" in out
    assert "argument check_refund_policy.date: wrong, '2026-11-08' is not '2026-11-20'" in out
    assert "first wrong: check_refund_policy.date" in out
    assert "1 trials of 1 cases" in out


def test_explain_and_json_give_the_score_of_each_trial(place: Path, capsys) -> None:
    found = as_json(capsys, "--explain")
    assert len(found["trials"]) == 10
    assert {one["checks_passed"] for one in found["trials"]} == {True}


def test_a_mended_annotation_is_shown_beside_the_old_one(place: Path, capsys) -> None:
    from judgekit.model.golden import Golden

    old = [json.loads(line) for line in (place / CASES).read_text().splitlines()]
    for golden in old:
        if golden["id"] == "teapot":
            golden["fields"]["amount"] = {"value": 99.0}
    lines = [json.dumps(Golden.sealed({**one, "hash": ""}).as_line()) for one in old]
    (place / "old.jsonl").write_text("\n".join(lines) + "\n")
    found = as_json(capsys, "--was", "old.jsonl")
    assert (found["was"]["correct"]["value"], found["correct"]["value"]) == (0.9, 1.0)
    changes = found["changes"]
    assert [(one["case"], one["what"], one["before"], one["after"]) for one in changes] == [
        ("teapot", "correct by checks", False, True),
        ("teapot", "field amount", "mismatch", "match"),
    ]
    assert score("--was", "old.jsonl") == 0
    out = capsys.readouterr().out
    assert "2 answers changed" in out
    sides = out.split("the same trials under")[1].splitlines()
    assert sides[0].split() == ["older", "goldens", "now"]
    assert sides[1].startswith("correct                  0.900 (")
    assert "1.000 (" in sides[1]
    assert score("--was", CASES) == 0
    assert "No score changed." in capsys.readouterr().out


def test_an_older_report_under_the_same_rules_is_shown_beside(place: Path, capsys) -> None:
    record(place, "wrong_date", "trials.jsonl")
    (place / "old.json").write_text(json.dumps(as_json(capsys)))
    record(place, None, "trials.jsonl")
    assert score("--baseline", "old.json") == 0
    out = capsys.readouterr().out
    assert "under the same rules" in out
    assert "0.100" in out.split("under the same rules")[1]


def test_an_older_report_under_other_rules_is_refused_and_the_loosened_rule_named(
    place: Path, capsys
) -> None:
    (place / "old.json").write_text(json.dumps(as_json(capsys)))
    rules = place / "scoring/refund_desk.yaml"
    rules.write_text(rules.read_text().replace("calls: 12", "calls: 99"))
    assert score("--baseline", "old.json") == 2
    err = capsys.readouterr().err
    assert "caps.calls: 12 -> 99 (loosened)" in err


def test_a_baseline_with_other_expectations_says_so(place: Path, capsys) -> None:
    (place / "old.json").write_text(json.dumps({**as_json(capsys), "cases_hash": "sha256:0"}))
    assert score("--baseline", "old.json") == 0
    assert "What the cases expect differs too" in capsys.readouterr().out


def test_history_names_unusual_trials(place: Path, capsys) -> None:
    lines = (place / "trials.jsonl").read_text().splitlines()
    past = [{**json.loads(lines[0]), "number": number} for number in range(9)]
    (place / "past.jsonl").write_text("\n".join(map(json.dumps, past)) + "\n")
    long = json.loads(lines[0])
    long["tool_calls"] = long["tool_calls"] * 5
    (place / "trials.jsonl").write_text(json.dumps(long) + "\n")
    shapes = as_json(capsys, "--history", "past.jsonl")["shapes"]
    assert [(one["size"], one["value"]) for one in shapes["anomalies"]] == [("calls", 20.0)]
    assert score("--history", "past.jsonl", "--review", "review.jsonl") == 0
    assert "calls 20, usually 4" in capsys.readouterr().out
    (line,) = (place / "review.jsonl").read_text().splitlines()
    assert json.loads(line)["context"]["to check"] == "unusual shape: calls 20, usually 4"


def test_out_writes_one_score_a_line(place: Path, capsys) -> None:
    assert score("--out", "scores.jsonl") == 0
    lines = [json.loads(line) for line in (place / "scores.jsonl").read_text().splitlines()]
    assert [line["case_id"] for line in lines] == sorted(line["case_id"] for line in lines)
    assert len(lines) == 10
    assert "wrote the scores of 10 trials" in capsys.readouterr().err


def test_suspicions_and_undecided_values_go_to_people_as_items(place: Path, capsys) -> None:
    from judgekit.store.readers import read_items

    record(place, "invented_order", "trials.jsonl")
    assert score("--review", "review.jsonl") == 0
    assert "10 trials for people are in review.jsonl" in capsys.readouterr().err
    items = read_items(place / "review.jsonl")
    assert {item.metadata["case"] for item in items} == {item.trial.case_id for item in items}
    why = "untraceable_argument: lookup_order.order is 'R-99999', which was not said before"
    assert [item.metadata["judgekit_review"] for item in items] == [[why]] * 10
    assert items[0].output == "We could not find the order."
    assert items[0].context == {"to check": why}


def test_a_sure_fault_and_a_right_trial_are_no_work_for_people(place: Path, capsys) -> None:
    for fault in (None, "wrong_date"):
        record(place, fault, "trials.jsonl")
        assert score("--review", "review.jsonl") == 0
        assert (place / "review.jsonl").read_text() == ""
        assert "no trial waits for people: review.jsonl is empty" in capsys.readouterr().err


def test_outside_a_workspace_every_way_to_say_what_is_expected_is_named(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    trials = str(place / "trials.jsonl")
    assert run_cli(["score", "--trials", trials]) == 2
    told = capsys.readouterr().err
    for way in ("--workspace", "--goldens FILE", "--mapping FILE"):
        assert way in told
    assert run_cli(["score", "--trials", trials, "--goldens", str(place / CASES)]) == 0


def test_without_rules_everything_is_compared_exactly(place: Path, capsys) -> None:
    assert run_cli(["score", "--trials", "trials.jsonl", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rules"], found["correct"]["value"]) == ("plain", 1.0)
    nothing = "no trial with a critical field could be decided"
    assert found["critical_fields_correct"]["undefined"] == nothing


def test_goldens_may_be_given_outside_a_workspace(place: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    trials, goldens = str(place / "trials.jsonl"), str(place / CASES)
    rules = str(place / "scoring/refund_desk.yaml")
    assert run_cli(["score", "--trials", trials, "--goldens", goldens, "--rules", rules]) == 0


def test_nothing_decided_is_exit_3(place: Path, capsys) -> None:
    lines = (place / "trials.jsonl").read_text().splitlines()
    broken = {**json.loads(lines[0]), "ending": "infrastructure", "error": "no disk"}
    (place / "trials.jsonl").write_text(json.dumps(broken) + "\n")
    assert score() == 3
    assert "undefined" in capsys.readouterr().out


def test_names_in_the_rules_that_nothing_has_are_noted(place: Path, capsys) -> None:
    rules = place / "scoring/refund_desk.yaml"
    text = rules.read_text().replace(
        "    issue_refund: [verify_identity, check", "    issue_refnd: [verify_identity, check"
    )
    rules.write_text(text.replace("  order: {compare: exact}", "  ordr: {compare: exact}"))
    notes = as_json(capsys)["notes"]
    assert notes == [
        "the rules name tools that no specification, case or trial has: issue_refnd",
        "the rules name fields that no case has: ordr",
    ]
    assert score() == 0
    assert "issue_refnd" in capsys.readouterr().out
    assert as_json(capsys, "--case", "teapot")["notes"] == []


def test_every_part_of_the_example_workspace_is_in_the_wheel() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    bundled = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {part: bundled.get(part) for part in PARTS} == {
        part: f"judgekit/_bundled/{part}" for part in PARTS
    }


class TestCustom:
    CODE = "def same(expected, found, *, room=0):\n    return abs(expected - found) <= room\n"

    @pytest.fixture
    def custom(self, place: Path) -> Path:
        (place / "own").mkdir()
        (place / "own/rules.py").write_text(self.CODE)
        text = (
            "schema: 1\nname: own\nfields:\n  amount:\n    compare: "
            "{kind: custom, function: 'own.rules:same', options: {room: 1}}\n"
        )
        (place / "scoring/own.yaml").write_text(text)
        return place

    def hash_of(self, capsys, *options: str) -> str:
        capsys.readouterr()
        options = ("--trials", "trials.jsonl", "--rules", "own", "--json", *options)
        assert run_cli(["score", *options]) == 0
        return str(json.loads(capsys.readouterr().out)["rules_hash"])

    def test_a_comparison_of_ones_own_is_loaded_from_the_workspace(self, custom, capsys) -> None:
        assert self.hash_of(capsys)

    def test_its_code_and_what_it_imports_belong_to_the_rules(self, custom, capsys) -> None:
        first = self.hash_of(capsys)
        assert self.hash_of(capsys) == first
        (custom / "own/rules.py").write_text("import own.more\n" + self.CODE)
        (custom / "own/more.py").write_text("ROOM = 1\n")
        second = self.hash_of(capsys)
        (custom / "own/more.py").write_text("ROOM = 2\n")
        assert len({first, second, self.hash_of(capsys)}) == 3

    def test_results_before_and_after_a_change_of_its_code_are_not_compared(
        self, custom, capsys
    ) -> None:
        options = ["score", "--trials", "trials.jsonl", "--rules", "own"]
        assert run_cli([*options, "--json"]) == 0
        (custom / "old.json").write_text(capsys.readouterr().out)
        (custom / "own/rules.py").write_text(self.CODE.replace("<= room", "<= 100 * room"))
        assert run_cli([*options, "--baseline", "old.json"]) == 2
        assert "sources.own.rules:same" in capsys.readouterr().err

    def test_a_function_that_is_not_there_is_one_message(self, custom, capsys) -> None:
        (custom / "own/rules.py").write_text("x = 1\n")
        assert run_cli(["score", "--trials", "trials.jsonl", "--rules", "own"]) == 2
        assert "own.rules" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "there are no trials to score"),
        (["--trials", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--trials", "empty.jsonl"], "holds no trial"),
        (["--trials", "broken.jsonl"], "broken.jsonl:1"),
        (["--trials", "list.jsonl"], "list.jsonl"),
        (["--trials", "unknown.jsonl"], "the case 'elsewhere', which is not among the cases"),
        (["--trials", "trials.jsonl", "--rules", "nothing"], "no scoring rules called 'nothing'"),
        (["--trials", "trials.jsonl", "--rules", "bad.yaml"], "bad.yaml:3"),
        (["--trials", "trials.jsonl", "--rules", "sources.yaml"], "cannot be written"),
        (["--trials", "trials.jsonl", "--rules", "kind.yaml"], "no_such_fault"),
        (["--trials", "trials.jsonl", "--goldens", "empty.jsonl"], "holds no golden"),
        (["--trials", "trials.jsonl", "--goldens", "list.jsonl"], "list.jsonl"),
        (["--trials", "trials.jsonl", "--dataset", "nothing"], "has no goldens"),
        (["--trials", "trials.jsonl", "--case", "nothing"], "no trial of a case 'nothing'"),
        (["--trials", "trials.jsonl", "--case", "teapott"], "did you mean 'teapot'?"),
        (["--trials", "trials.jsonl", "--items", CASES], "--items needs --mapping"),
        (["--trials", "trials.jsonl", "--was", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--trials", "trials.jsonl", "--history", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--trials", "trials.jsonl", "--baseline", "list.jsonl"], "is no score report"),
        (["--trials", "trials.jsonl", "--baseline", "bad.yaml"], "is no score report"),
        (["--trials", "trials.jsonl", "--baseline", "nowhere.json"], "nowhere.json"),
        (["--trials", "trials.jsonl", "--mapping", "bad.yaml"], "bad.yaml"),
    ],
)
def test_bad_input_is_one_message_exit_2_and_nothing_written(
    place: Path, capsys, options: list[str], words: str
) -> None:
    (place / "empty.jsonl").write_text("")
    (place / "broken.jsonl").write_text('{"case_id": "teapot"\n')
    (place / "list.jsonl").write_text("[1, 2]\n")
    (place / "unknown.jsonl").write_text('{"case_id": "elsewhere", "number": 0}\n')
    (place / "bad.yaml").write_text("schema: 1\nname: bad\nfeilds: {}\n")
    (place / "sources.yaml").write_text("schema: 1\nname: bad\nsources: {a: b}\n")
    (place / "kind.yaml").write_text("schema: 1\nname: bad\nfailing: [no_such_fault]\n")
    assert run_cli(["score", *options, "--out", "scores.jsonl"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert not (place / "scores.jsonl").exists()


def test_a_place_that_cannot_be_written_is_exit_5(place: Path, capsys) -> None:
    (place / "file").write_text("")
    assert score("--out", "file/scores.jsonl") == 5
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("bad", ["--out", "--review"])
def test_nothing_is_written_where_one_of_two_results_would_be_a_folder(
    place: Path, capsys, bad: str
) -> None:
    other = "--review" if bad == "--out" else "--out"
    (place / "folder").mkdir()
    assert score(bad, "folder", other, "good.jsonl", "--history", "nowhere.jsonl") == 2
    told = capsys.readouterr().err
    assert "a result cannot be written over a folder" in told
    assert "nowhere.jsonl" not in told
    assert not (place / "good.jsonl").exists()


@pytest.mark.parametrize("bad", ["--out", "--review"])
def test_nothing_is_written_where_one_of_two_results_cannot_be(
    place: Path, capsys, bad: str
) -> None:
    other = "--review" if bad == "--out" else "--out"
    (place / "file").write_text("")
    assert score(bad, "file/result.jsonl", other, "good.jsonl") == 5
    assert not (place / "good.jsonl").exists()


def test_a_trial_of_an_unknown_case_is_named_with_file_and_line(place: Path, capsys) -> None:
    known = (place / "trials.jsonl").read_text()
    strange = json.dumps({"case_id": "elsewhere", "number": 0})
    (place / "trials.jsonl").write_text(f"{known}\n{strange}\n")
    assert score() == 2
    line = len(known.splitlines()) + 2
    assert f"where: trials.jsonl:{line}\n" in capsys.readouterr().err
