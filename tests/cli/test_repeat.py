from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.cli.main import run_cli
from judgekit.store.trials_file import read_trials

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "annotations" / "refund_desk" / "goldens.jsonl"
N_CASES = 10
SETTINGS = """
schema: 1
agents:
  quick: {command: [sh, -c, 'echo "$JUDGEKIT_TRIAL" > {workspace}/started; echo "{\\"cost_usd\\": 0.1}"']}
  slow: {command: [sh, -c, 'echo "$$" > {workspace}/started; exec sleep 600']}
  plain: {function: "desk:plain"}
  twin: {function: "desk:twin"}
  worse: {function: "desk:worse"}
  down: {function: "desk:down"}
  flaky: {function: "desk:flaky"}
  luck: {function: "desk:luck"}
  calls: {function: "desk:calls"}
  far: {url: "http://127.0.0.1:9/none"}
"""  # noqa: E501
DESK = '''
"""Synthetic agents; they read the order and know what is right by its number."""
import os
from judgekit import open_cassette

CREDIT = {"R-10005", "R-10006", "R-10007", "R-10008", "R-10009"}


def plain(request):
    return {"final": {"decision": "refund", "order": request["input"]["order"]}, "cost_usd": 0.1}


twin = plain


def worse(request):
    return {"final": {"decision": "nothing at all"}, "cost_usd": 0.1}


def down(request):
    return {"infrastructure": "the provider is down"}


class Busy(Exception):
    pass


def toss():
    if os.urandom(1)[0] < 128:
        raise Busy("try later")
    return {"price": os.urandom(4).hex()}


def flaky(request):
    """Its tool fails at random, and so does it."""
    tape = open_cassette()
    try:
        found = tape.call("look", {"order": request["input"]["order"]}, toss)
    except Busy:
        raise RuntimeError("the tool was busy and I gave up")
    return {"final": {"decision": "refund", "price": found["price"]},
            "tool_calls": [{"name": "look", "arguments": {"order": request["input"]["order"]}}]}


def luck(request):
    """Its own coin decides, and so does its tool's."""
    tool = open_cassette().call("look", {}, lambda: os.urandom(1)[0] < 128)
    mine = os.urandom(1)[0] < 128
    return {"final": {"decision": "refund" if tool and mine else "wrong"}}


def calls(request):
    """Makes a call that no recording holds, and hides what came of it."""
    tape = open_cassette()
    try:
        tape.call("look", {"random": os.urandom(8).hex()}, lambda: 1)
    except Exception:
        pass
    return {"final": {"decision": "refund"}}
'''


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "judgekit.yaml").write_text(SETTINGS)
    (folder / "desk.py").write_text(DESK)
    monkeypatch.chdir(folder)
    return folder


def repeat(*words: str) -> int:
    return run_cli(["repeat", "--goldens", str(GOLDENS), "--out", "out", *words])


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = repeat(*words, "--json")
    return code, json.loads(capsys.readouterr().out)


def trials(name: str):
    return read_trials(Path("out") / f"{name}.trials.jsonl")


def started(desk: Path) -> int:
    """Return a pipe in which each attempt of `quick` and `slow` announces itself."""
    os.mkfifo(desk / "started")
    return os.open(desk / "started", os.O_RDWR | os.O_NONBLOCK)


def lines_of(pipe: int, least: int) -> list[str]:
    """Return what was announced, waiting until there are `least` lines."""
    found = b""
    while found.count(b"\n") < least:
        assert select.select([pipe], [], [], 120)[0], "nothing was started in two minutes"
        found += os.read(pipe, 65_536)
    return found.decode().splitlines()


def rest_of(pipe: int) -> list[str]:
    """Return what was announced and not read yet."""
    found = b""
    while select.select([pipe], [], [], 0)[0]:
        found += os.read(pipe, 65_536)
    return found.decode().splitlines()


def has_ended(pid: int) -> bool:
    """Tell whether a process is gone; the kernel may take a moment."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 20)[0])
    finally:
        os.close(fd)


def start(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "judgekit", "repeat", "--goldens", str(GOLDENS), *words]
    return subprocess.Popen(
        [*command, "--out", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


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
