"""`judgekit repeat`: killed, interrupted, resumed, paid and compared."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from pathlib import Path

import pytest
from trial_desk import (
    N_CASES,
    asked,
    has_ended,
    lines_of,
    make_desk,
    repeat,
    rest_of,
    start,
    started,
)

from judgekit.store.trials_file import read_trials


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_desk(tmp_path, monkeypatch)


def test_killed_at_ten_moments_at_most_the_attempts_in_flight_are_lost(desk):
    pipe = started(desk)
    path = desk / "out" / "quick.trials.jsonl"
    moments = random.Random(20261130)
    before: list[str] = []  # what had been started when the process was killed
    finished: set[tuple[str | None, int | None]] = set()
    lost = 0
    for _ in range(10):
        process = start("--agent", "quick", "--k", "14", "--concurrency", "3")
        seen = lines_of(pipe, moments.randint(1, 12))
        process.kill()
        process.communicate()
        seen += rest_of(pipe)
        whole = path.read_bytes().rpartition(b"\n")[0].splitlines() if path.exists() else []
        now = {(row["case_id"], row["number"]) for row in map(json.loads, whole)}
        assert finished <= now
        made = len(now - finished)
        assert made >= len(seen) - 3, "more was lost than was in flight"
        lost += len(seen) - made
        before += seen
        finished = now
    process = start("--agent", "quick", "--k", "14", "--concurrency", "3")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    last = rest_of(pipe)
    os.close(pipe)
    found = [(trial.case_id, trial.number) for trial in read_trials(path)]
    assert len(found) == len(set(found)) == 14 * N_CASES
    assert len(before) + len(last) == 14 * N_CASES + lost, "a finished attempt was repeated"
    assert lost <= 10 * 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_with_130_and_leaves_no_process(desk, number):
    pipe = started(desk)
    process = start("--agent", "slow", "--k", "1")
    pids = lines_of(pipe, 2)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "interrupted; what was finished is kept" in said
    assert "Traceback" not in said
    assert (desk / "out" / "slow.trials.jsonl").read_bytes() == b""
    assert all(has_ended(int(pid)) for pid in pids)
    os.close(pipe)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills children with their parent")
def test_an_agent_dies_with_a_judgekit_that_is_killed(desk):
    pipe = started(desk)
    process = start("--agent", "slow", "--k", "1")
    pids = lines_of(pipe, 2)
    process.kill()
    process.communicate()
    assert all(has_ended(int(pid)) for pid in pids)
    os.close(pipe)


def test_trials_are_made_reported_and_not_made_again(desk, capsys):
    code, body = asked(capsys, "--agent", "plain", "--k", "1")
    assert code == 0
    assert body["agents"][0]["n_trials"] == N_CASES
    assert body["sessions"] == [
        {"name": "plain", "found": 0, "made": 10, "left": 0, "cost_usd": pytest.approx(1.0),
         "unknown_cost": 0}
    ]  # fmt: skip
    _, again = asked(capsys, "--agent", "plain", "--k", "1")
    assert (again["sessions"][0]["found"], again["sessions"][0]["made"]) == (10, 0)
    assert again["agents"] == body["agents"]


def test_one_case_belongs_to_the_same_set_as_all(desk, capsys):
    code, body = asked(capsys, "--agent", "plain", "--k", "2", "--case", "teapot")
    assert (code, body["agents"][0]["n_trials"]) == (0, 2)
    _, more = asked(capsys, "--agent", "plain", "--k", "1")
    assert (more["sessions"][0]["found"], more["sessions"][0]["made"]) == (1, 9)
    assert more["agents"][0]["n_trials"] == 11


def test_a_worse_candidate_is_exit_one(desk, capsys):
    code, body = asked(capsys, "--agent", "worse", "--baseline", "plain", "--k", "1")
    assert body["comparison"]["candidate"] == "worse"
    assert body["comparison"]["n_pairs"] == N_CASES
    assert code == (1 if body["comparison"]["outcome"] == "worse" else 0)


def test_why_a_trial_did_not_finish_is_said_as_it_is_made(desk, capsys):
    assert repeat("--agent", "down", "--k", "1", "--case", "teapot") == 5
    said = capsys.readouterr().err
    assert "down: case teapot trial 0 infrastructure (1 made): the provider is down\n" in said


def test_nothing_available_is_exit_five_and_further_trials_are_made_when_asked(desk, capsys):
    code, body = asked(capsys, "--agent", "down", "--k", "1", "--case", "teapot")
    assert (code, body["agents"][0]["endings"]) == (5, {"infrastructure": 1})
    code, body = asked(
        capsys, "--agent", "down", "--k", "1", "--case", "teapot", "--retry-infrastructure"
    )
    assert (code, body["agents"][0]["endings"]) == (5, {"infrastructure": 2})
    (row,) = body["agents"][0]["cases"]
    assert (row["n"], row["correct"]) == (2, 0)


def test_what_the_ceiling_of_costs_leaves_out_is_exit_five(desk, capsys):
    words = ["--agent", "plain", "--k", "1", "--concurrency", "1"]
    code, body = asked(capsys, *words, "--max-cost", "0.25")
    assert (code, body["sessions"][0]["made"], body["sessions"][0]["left"]) == (5, 3, 7)
    code = repeat("--agent", "twin", "--k", "1", "--max-cost", "0")
    assert code == 5
    assert "the ceiling of costs allowed no trial of 'twin'" in capsys.readouterr().err


def test_what_is_left_to_spend_is_told_from_the_trials_so_far(desk, capsys):
    assert repeat("--agent", "plain", "--k", "1", "--case", "teapot") == 0
    assert "1 to make, cost unknown" in capsys.readouterr().err
    assert repeat("--agent", "plain", "--k", "2", "--dry-run") == 0
    assert "19 to make, about 1.9 USD at 0.1 a trial so far" in capsys.readouterr().err


def test_nothing_left_to_make_says_how_to_begin_a_new_set(desk, capsys):
    for _ in range(2):
        capsys.readouterr()
        assert repeat("--agent", "plain", "--k", "1", "--case", "teapot") == 0
    assert "0 to make: what was made is kept (--out names a folder" in capsys.readouterr().err


def test_a_credential_that_is_not_set_is_named_before_anything_is_spent(desk, monkeypatch, capsys):
    settings = desk / "judgekit.yaml"
    agent = "  keyed: {function: 'agents.refund_desk:run', scope: {credentials: [DESK_KEY]}}\n"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("agents:\n", "agents:\n" + agent), encoding="utf-8")
    words = ("--agent", "keyed", "--k", "1", "--case", "teapot", "--dry-run")
    monkeypatch.delenv("DESK_KEY", raising=False)
    assert repeat(*words) == 0
    assert "keyed: DESK_KEY of its credentials is not set here" in capsys.readouterr().err
    monkeypatch.setenv("DESK_KEY", "k-123456789")
    assert repeat(*words) == 0
    assert "DESK_KEY" not in capsys.readouterr().err


def test_trials_made_before_recording_are_said_to_have_no_cassette(desk, capsys):
    words = ["--agent", "flaky", "--case", "teapot"]
    repeat(*words, "--k", "1")
    repeat(*words, "--k", "2", "--cassettes", "record")
    said = capsys.readouterr().err
    assert "1 finished trials have no cassette" in said
    assert "flaky: 1 cassettes in" in said


def test_a_dry_run_says_what_would_be_tried_and_writes_nothing(desk, capsys):
    for words in ([], ["--attribute"], ["--perturb", "look=empty"], ["--cassettes", "record"]):
        assert repeat("--agent", "plain", "--dry-run", *words) == 0
        assert "40 trials (4 of each of 10 cases)" in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no agent is named"),
        (["--agent", "nobody"], "nobody"),
        (["--agent", "no-function:at all"], "module:function"),
        (["--agent", "no_module:run"], "cannot be imported"),
        (["--agent", "plain", "--k", "0"], "at least once"),
        (["--agent", "plain", "--concurrency", "0"], "at least 1"),
        (["--agent", "plain", "--max-cost", "nan"], "no amount"),
        (["--agent", "plain", "--baseline", "plain"], "its own baseline"),
        (["--agent", "plain", "--case", "none"], "there is no case 'none'"),
        (["--agent", "plain", "--case", "teapott"], "did you mean 'teapot'?"),
        (["--agent", "plain", "--temperature", "warm"], "a temperature cannot be used"),
        (["--agent", "plain", "--temperature", "nan"], "a temperature cannot be used"),
        (["--agent", "plain", "--temperature", "0,0.0"], "each temperature once"),
        (["--agent", "plain", "--cassettes", "rewind"], "record, replay, auto"),
        (["--agent", "plain", "--cassettes", "replay"], "40 of 40 are missing"),
        (["--agent", "far", "--cassettes", "record"], "runs elsewhere"),
        (["--agent", "plain", "--perturb", "look"], "TOOL=empty|partial|stale|error"),
        (["--agent", "plain", "--perturb", "look=empty"], "there are no cassettes"),
        (["--agent", "plain", "--attribute", "--perturb", "a=empty"], "two sessions"),
        (["--agent", "plain", "--attribute", "--baseline", "twin"], "a session of its own"),
        (["--agent", "plain", "--perturb", "a=empty", "--cassettes", "auto"], "of its own"),
    ],
)
def test_options_that_do_not_fit_are_one_message_and_nothing_is_written(desk, capsys, words, says):
    assert repeat(*words) == 2
    said = capsys.readouterr().err
    assert says in said
    assert "Traceback" not in said
    assert not [path for path in desk.rglob("*.jsonl") if path.stat().st_size]
