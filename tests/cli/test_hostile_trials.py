"""Hostile trials and options of `score` and `repeat`: one message, one JSON object, no crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.demo_workspace import copy_example
from judgekit.cli.main import run_cli
from judgekit.errors import InputError
from judgekit.scorers.said import Said

TRIAL: dict[str, Any] = {"case_id": "cents", "number": 0, "final": {"decision": "refund"}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = copy_example(tmp_path / "desk")
    monkeypatch.chdir(root)
    return root


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def outcome(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, Any], str]:
    code = run_cli([*argv, "--json"])
    said = capsys.readouterr()
    return code, json.loads(said.out), said.err


def scored(trial: dict[str, Any], capsys) -> tuple[int, dict[str, Any], str]:
    Path("t.jsonl").write_text(json.dumps(trial) + "\n")
    return outcome(capsys, "score", "--trials", "t.jsonl", "--rules", "refund_desk")


@pytest.mark.parametrize("levels", [149, 400, 900])
def test_a_row_nested_too_deeply_is_refused_before_anything_reads_it(place, capsys, levels):
    call = {
        "name": "issue_refund",
        "arguments": {"amount": nested(levels), "order": nested(levels)},
    }
    code, body, _ = scored({**TRIAL, "tool_calls": [call]}, capsys)
    assert code == 2
    assert "nested too deeply" in body["error"]["found"]


def test_a_row_as_deep_as_an_agent_may_answer_is_scored(place, capsys):
    call = {"name": "issue_refund", "arguments": {"amount": nested(96), "order": nested(96)}}
    final = {"decision": nested(98), "amount": nested(98), "order": nested(98)}
    code, body, _ = scored({**TRIAL, "final": final, "tool_calls": [call]}, capsys)
    assert (code, "error" in body) == (0, False)


@pytest.mark.parametrize("key", ["cost_usd", "latency_s"])
def test_an_amount_whose_sums_would_overflow_is_refused(place, capsys, key):
    code, body, _ = scored({**TRIAL, key: 1e308}, capsys)
    assert (code, body["error"]["where"].endswith(f"t.jsonl:1 {key}")) == (2, True)


def test_a_key_of_a_megabyte_makes_no_message_of_a_megabyte(place, capsys):
    code, _, err = scored({"k" * 1_000_000: 1}, capsys)
    assert (code, len(err) < 5_000) == (2, True)


def test_a_long_line_of_an_error_is_cut_and_says_how_long_it_was():
    error = InputError("m" * 5_000, found="short\n" + "x" * 1_200)
    assert error.message == "m" * 1_000 + "... (5000 characters)"
    assert error.found == "short\n" + "x" * 1_000 + "... (1200 characters)"


def test_a_file_without_an_end_is_refused(place, capsys, monkeypatch):
    monkeypatch.setattr("judgekit.store.files.MAX_FILE_BYTES", 100_000)
    code, body, _ = outcome(capsys, "score", "--trials", "t.jsonl", "--rules", "/dev/zero")
    assert (code, body["error"]["message"]) == (2, "'zero' is too long")


def test_what_was_said_reads_a_text_as_a_whole_and_per_cent_of_it():
    said = Said(["15 % off", "15\n", "x" * 5_000 + " 30%"])
    assert [said.holds(one) for one in (0.15, 15, 0.3, 0.31, "OFF", "of")] == [
        True, True, True, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--out", "a" * 5_000], 2, "a path cannot be used"),
        (["--seed", "\udcff"], 2, "the seed is no readable text"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused(place, capsys, options, code, says):
    argv = ("repeat", "--agent", "refund-agent", "-k", "1", "--case", "cents", *options)
    found, body, _ = outcome(capsys, *argv)
    assert (found, body["error"]["message"]) == (code, says)


def test_a_dry_run_says_as_json_what_would_be_tried(place, capsys):
    argv = ("repeat", "--agent", "refund-agent", "-k", "3", "--dry-run", "--temperature")
    code, body, _ = outcome(capsys, *argv, "0.12345671,0.1234567,0")
    assert (code, body["dry_run"]) == (0, True)
    assert [(one["agent"], one["trials"]) for one in body["agents"]] == [
        ("refund-agent@0.12345671", 30), ("refund-agent@0.1234567", 30), ("refund-agent@0", 30),
    ]  # fmt: skip


QUICK = """
schema: 1
agents:
  quick: {command: [sh, -c, 'echo made >> {workspace}/made; echo "{}"']}
"""


def quick(k: int, capsys) -> tuple[int, dict[str, Any], str]:
    argv = ("repeat", "--agent", "quick", "-k", str(k), "--case", "cents", "--out", "out")
    return outcome(capsys, *argv, "--goldens", "annotations/refund_desk/goldens.jsonl")


@pytest.mark.parametrize("torn", [b'{"case_id": "cen', b"\0" * 4096])
def test_a_file_whose_last_line_is_torn_is_resumed(place, capsys, torn):
    (place / "judgekit.yaml").write_text(QUICK)
    assert quick(1, capsys)[0] == 0
    path = place / "out" / "quick.trials.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    code, body, _ = quick(2, capsys)
    assert (code, body["sessions"][0]["found"], body["sessions"][0]["made"]) == (0, 1, 1)
    assert path.read_bytes().startswith(whole + b"{")


def test_a_trial_that_the_file_holds_twice_is_refused_before_anything_is_tried(place, capsys):
    (place / "judgekit.yaml").write_text(QUICK)
    quick(1, capsys)
    path = place / "out" / "quick.trials.jsonl"
    path.write_bytes(path.read_bytes() * 2)
    code, body, _ = quick(2, capsys)
    assert (code, body["error"]["found"]) == (2, "trial 0 of case 'cents' again")
    assert (place / "made").read_text() == "made\n"


@pytest.mark.parametrize("k", ["0", "-1", "1000000000"])
def test_a_number_of_trials_out_of_range_is_refused(place, capsys, k):
    code, body, _ = outcome(capsys, "repeat", "--agent", "refund-agent", "-k", k)
    assert (code, body["error"]["expected"]) == (2, "1 to 100000")


def test_process_is_not_green_where_no_trial_could_be_decided(place, capsys):
    lost = {"case_id": "cents", "number": 0, "ending": "infrastructure"}
    Path("lost.jsonl").write_text(json.dumps(lost) + "\n")
    Path("some.jsonl").write_text(json.dumps(lost) + "\n" + json.dumps({**TRIAL, "number": 1}))
    codes = [
        outcome(capsys, "process", "--trials", name, "--rules", "refund_desk")[0]
        for name in ("lost.jsonl", "some.jsonl")
    ]
    assert codes == [3, 0]


def test_repeat_is_not_green_where_no_trial_could_be_decided(place, capsys):
    (place / "judgekit.yaml").write_text(QUICK)
    golden = json.loads(
        (place / "annotations/refund_desk/goldens.jsonl").read_text().split("\n")[0]
    )
    from judgekit.model.golden import Golden

    nothing = {k: v for k, v in golden.items() if k not in ("fields", "paths", "state", "hash")}
    sealed = Golden.sealed(nothing).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    Path("none.jsonl").write_text(json.dumps(sealed) + "\n")
    argv = ("repeat", "--agent", "quick", "-k", "1", "--out", "out", "--goldens", "none.jsonl")
    assert outcome(capsys, *argv)[0] == 3


@pytest.mark.parametrize(
    "words",
    [
        ["score", "--trials", "t.jsonl", "--out", "./t.jsonl"],
        ["score", "--trials", "t.jsonl", "--review", "t.jsonl"],
        ["score", "--trials", "t.jsonl", "--out", "s.jsonl", "--review", "s.jsonl"],
        ["process", "--trials", "name=t.jsonl", "--html", "t.jsonl"],
        ["process", "--trials", "t.jsonl", "--baseline", "b=u.jsonl", "--html", "u.jsonl"],
    ],
)
def test_a_result_is_never_written_over_what_it_is_made_from(place, capsys, words):
    text = json.dumps(TRIAL) + "\n"
    for name in ("t.jsonl", "u.jsonl"):
        Path(name).write_text(text)
    code, body, _ = outcome(capsys, *words, "--rules", "refund_desk")
    assert (code, body["error"]["type"]) == (2, "UsageError")
    assert [Path(name).read_text() for name in ("t.jsonl", "u.jsonl")] == [text, text]


def test_a_declared_change_that_is_none_is_refused_before_anything_is_tried(place, capsys):
    argv = ("repeat", "--agent", "refund-agent", "--dry-run", "--changed")
    code, body, _ = outcome(capsys, *argv, "zzz", "--baseline", "agents.refund_desk:run")
    assert (code, body["error"]["message"]) == (2, "zzz did not change")
    code, body, _ = outcome(capsys, *argv, "fixture", "--baseline", "agents.refund_desk:run")
    assert (code, body["dry_run"]) == (0, True)
    code, body, _ = outcome(capsys, *argv, "fixture")
    assert (code, body["error"]["message"]) == (2, "--changed needs --baseline")


@pytest.mark.parametrize(
    "name",
    [
        "annotations/refund_desk/goldens.jsonl",
        "annotations/refund_desk/items.jsonl",
        "scoring/refund_desk.yaml",
        "judgekit.yaml",
        "agents/refund_desk.py",
        "t.jsonl",
        "./agents/../t.jsonl",
        "other.trials.jsonl",
    ],
)
@pytest.mark.parametrize("option", ["--out", "--review", "--html"])
def test_a_result_never_goes_over_what_cannot_be_made_again(place, capsys, option, name):
    Path("t.jsonl").write_text(json.dumps(TRIAL) + "\n")
    Path("other.trials.jsonl").write_text(json.dumps(TRIAL) + "\n")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    command = "process" if option == "--html" else "score"
    code, body, _ = outcome(
        capsys, command, "--trials", "t.jsonl", "--rules", "refund_desk", option, name
    )
    assert code == 2, body
    assert before == {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_a_result_is_written_again_over_an_older_result(place, capsys):
    Path("t.jsonl").write_text(json.dumps(TRIAL) + "\n")
    Path("loop").symlink_to("loop")
    for name in ("scores.jsonl", "scores.jsonl", "loop"):
        code, _, _ = outcome(capsys, "score", "--trials", "t.jsonl", "--out", name)
        assert code == 0
        assert len(Path(name).read_text().splitlines()) == 1


@pytest.mark.parametrize("command", ["score", "process", "repeat"])
def test_a_workspace_that_is_a_loop_of_links_is_no_folder(place, capsys, command):
    Path("loop").symlink_to("loop")
    named = ("--agent", "refund-agent") if command == "repeat" else ("--trials", "t.jsonl")
    code, body, _ = outcome(capsys, command, *named, "--workspace", "loop")
    assert (code, "is not there" in body["error"]["message"]) == (2, True)


def test_a_rule_that_is_no_schema_is_refused_with_its_place(place, capsys):
    Path("t.jsonl").write_text(json.dumps(TRIAL) + "\n")
    for rule in (
        "fields: {order: {compare: {kind: json_schema, schema: {$schema: 5}}}}",
        "tools: {specs: [{name: look, parameters: {type: strnig}}]}",
    ):
        Path("r.yaml").write_text(f"schema: 1\nname: x\n{rule}\n")
        code, body, _ = outcome(capsys, "score", "--trials", "t.jsonl", "--rules", "r.yaml")
        assert (code, body["error"]["where"].partition(" ")[0]) == (2, "r.yaml:3")
        assert "not a JSON Schema" in body["error"]["expected"]
        assert "Value error" not in body["error"]["expected"]


@pytest.mark.parametrize(
    "given",
    [("--concurrency", "0"), ("--max-cost", "nan"), ("--max-cost", "-1"), ("--k", "0")],
)
def test_numbers_that_no_session_can_have_are_refused_in_a_dry_run_too(place, capsys, given):
    code, _, _ = outcome(capsys, "repeat", "--agent", "refund-agent", "--dry-run", *given)
    assert code == 2


RUN = [sys.executable, "-c", "from judgekit.cli.main import main; main()"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("argv", "out", "code"),
    [
        (["score", "--trials", "t.jsonl"], "/dev/full", 5),
        (["score", "--trials", "t.jsonl"], "/dev/null", 0),
        (["process", "--trials", "t.jsonl", "--json"], "/dev/full", 5),
        (["score", "--trials", "nosuch.jsonl"], "/dev/null", 2),
        (["score", "--help"], "/dev/full", 5),
    ],
)
def test_messages_that_cannot_be_written_do_not_change_the_exit_code(place, argv, out, code):
    Path("t.jsonl").write_text(json.dumps(TRIAL) + "\n")
    with open(out, "wb") as stdout, open("/dev/full", "wb") as stderr:
        done = subprocess.run([*RUN, *argv], stdout=stdout, stderr=stderr, check=False)
    assert done.returncode == code


@pytest.mark.parametrize(
    "argv",
    [
        ("score", "--trials", "t.jsonl"),
        ("score", "--trials", "t.jsonl", "--out", "o.jsonl"),
        ("process", "--trials", "t.jsonl", "--html", "p.html"),
        ("repeat", "--agent", "refund-agent"),
    ],
)
def test_a_folder_that_is_gone_is_no_bug(tmp_path, monkeypatch, capsys, argv):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, body, _ = outcome(capsys, *argv)
    monkeypatch.chdir(tmp_path)
    assert (code, "the current folder is gone" in body["error"]["message"]) == (2, True)
