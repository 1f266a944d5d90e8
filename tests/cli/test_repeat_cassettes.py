"""`judgekit repeat` with cassettes: recorded, replayed, attributed and perturbed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trial_desk import N_CASES, asked, make_desk, repeat, trials


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_desk(tmp_path, monkeypatch)


def test_a_flaky_failure_becomes_a_deterministic_test(desk, capsys):
    repeat("--agent", "flaky", "--k", "2", "--cassettes", "record")
    recorded = {(t.case_id, t.number): (t.ending, t.final) for t in trials("flaky")}
    endings = {ending for ending, _ in recorded.values()}
    assert endings == {"finished", "crashed"}  # 20 tosses; alike once in half a million
    fails = next(key for key, (ending, _) in recorded.items() if ending == "crashed")
    for attempt in range(10):
        code = repeat(
            "--agent", "flaky", "--k", "2", "--cassettes", "replay", "--case", str(fails[0])
        )
        assert code == 0
        again = {(t.case_id, t.number): (t.ending, t.final) for t in trials("flaky+replay")}
        assert again == {key: recorded[key] for key in again}
        assert len(again) == 2, attempt
        Path("out/flaky+replay.trials.jsonl").unlink()
    error = next(t.error for t in trials("flaky") if (t.case_id, t.number) == fails)
    assert "the tool was busy and I gave up" in error


def test_a_strict_miss_is_a_crash_even_where_the_agent_hides_it(desk, capsys):
    repeat("--agent", "calls", "--k", "1", "--case", "teapot", "--cassettes", "record")
    repeat("--agent", "calls", "--k", "1", "--case", "teapot", "--cassettes", "replay")
    (trial,) = trials("calls+replay")
    assert trial.ending == "crashed"
    assert "the cassette holds no call of 'look' with these arguments" in trial.error
    assert "record it again, or replay with mode auto" in trial.error
    assert trial.final == {"decision": "refund"}


def test_an_agent_without_a_cassette_is_told_that_nothing_was_recorded(desk, capsys):
    repeat("--agent", "plain", "--k", "1", "--case", "teapot", "--cassettes", "record")
    assert "no call was recorded; an agent calls through open_cassette()" in capsys.readouterr().err


def test_a_replay_of_other_cassettes_is_another_set(desk, capsys):
    words = ["--agent", "flaky", "--k", "1", "--case", "teapot", "--cassettes"]
    repeat(*words, "record")
    repeat(*words, "replay")
    (tape,) = Path("out/flaky.cassettes").glob("*.jsonl")
    tape.write_bytes(tape.read_bytes().replace(b"look", b"loop"))
    capsys.readouterr()
    assert repeat(*words, "replay") == 2
    assert "changed: cassettes" in capsys.readouterr().err


def test_auto_plays_what_was_recorded_and_records_the_rest(desk, capsys):
    words = ["--agent", "luck", "--k", "1", "--cassettes", "auto"]
    repeat(*words)
    assert len(trials("luck+auto")) == N_CASES
    before = {path: path.read_bytes() for path in Path("out/luck.cassettes").glob("*.jsonl")}
    assert all(before.values())
    Path("out/luck+auto.trials.jsonl").unlink()
    repeat(*words)
    assert {path: path.read_bytes() for path in before} == before


def test_attribution_divides_the_variance_between_agent_and_tools(desk, capsys):
    code, body = asked(capsys, "--agent", "flaky", "--k", "4", "--attribute", "--case", "teapot")
    assert code == 0
    assert [one["agent"] for one in body["agents"]] == ["flaky", "flaky+tools-played"]
    played = trials("flaky+tools-played")
    first = next(t for t in trials("flaky") if t.number == 0)
    assert {(t.ending, json.dumps(t.final)) for t in played} == {
        (first.ending, json.dumps(first.final))
    }
    assert body["variance"]["replayed"] == 0.0


def test_attribution_that_the_ceiling_cuts_short_reports_what_was_made(desk, capsys):
    code, body = asked(
        capsys, "--agent", "plain", "--k", "2", "--attribute", "--max-cost", "0.35",
        "--concurrency", "1",
    )  # fmt: skip
    assert (code, body["variance"]) == (5, {"undefined": "--max-cost left trials out", "n": 0})
    assert [one["n_trials"] for one in body["agents"]] == [4]


def test_the_agent_that_tosses_its_own_coin_keeps_its_share(desk, capsys):
    repeat("--agent", "luck", "--k", "4", "--attribute")
    said = capsys.readouterr().out
    assert "variance of correctness over the trials of a case (10 cases)" in said
    assert "the agent's share" in said


def test_a_changed_result_is_met_and_what_the_agent_does_next_is_reported(desk, capsys):
    repeat("--agent", "flaky", "--k", "2", "--cassettes", "record")
    capsys.readouterr()
    code, body = asked(
        capsys, "--agent", "flaky", "--k", "2", "--perturb", "look=error", "--perturb", "look=empty"
    )
    assert code == 0
    error, empty = body["perturbed"]
    assert (error["tool"], error["how"], error["n_trials"]) == ("look", "error", 20)
    assert (error["n_met"], error["next_steps"]) == (20, {"ended without an answer": 20})
    assert error["endings"] == {"crashed": 20}
    recorded = [t for t in trials("flaky") if t.ending == "finished"]
    assert empty["n_met"] == len(recorded)  # an error has nothing that could be emptied
    assert empty["next_steps"]["ended without an answer"] == len(recorded)
    assert all(t.ending == "crashed" for t in trials("flaky+look-error"))


def test_a_change_that_alters_nothing_is_refused(desk, capsys):
    repeat("--agent", "flaky", "--k", "1", "--case", "teapot", "--cassettes", "record")
    capsys.readouterr()
    words = ["--agent", "flaky", "--k", "1", "--case", "teapot", "--perturb"]
    assert repeat(*words, "look=stale") == 2
    assert "in none does 'stale' alter one" in capsys.readouterr().err
    assert repeat(*words, "loop=empty") == 2
    assert "none holds a call of it" in capsys.readouterr().err
