"""What an agent leaves behind never ends the session, hangs it, or loses the attempt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from trial_fakes import cases_of, request_of

from judgekit.model.agent import Agent, Limits
from judgekit.store.trials_file import read_trials
from judgekit.trials.answer import logged_calls, written
from judgekit.trials.configuration import trial_set
from judgekit.trials.folder import own_folder
from judgekit.trials.launch import launch
from judgekit.trials.repeat import Side, repeat

HOSTILE = '''
"""Agents that leave odd things behind; synthetic."""
import os


def dear(request):
    return {"final": {}, "model_calls": [{"cost_usd": 1e308}] * 3}


def rich(request):
    return {"final": {}, "model_calls": [{"cost_usd": 1e12}] * 3}


def pipe(request):
    for path in [v for v in os.environ.values() if v.endswith("calls.jsonl")]:
        os.mkfifo(path)
    os._exit(3)


def deep(request):
    for _ in range(1500):
        os.mkdir("d" * 50)
        os.chdir("d" * 50)
    return {"final": {"decision": "refund"}}
'''


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "hostile_agents.py").write_text(HOSTILE)
    return tmp_path


def agent(function: str) -> Agent:
    return Agent(function=f"hostile_agents:{function}", limits=Limits(timeout_s=30))


@pytest.mark.parametrize(
    ("function", "says"), [("dear", "model_calls.0.cost_usd"), ("rich", "cannot be kept: cost_usd")]
)
async def test_costs_beyond_all_money_are_recorded_as_a_crash_and_the_session_goes_on(
    hostile, function, says
):
    cases = cases_of("one", "two")
    one = agent(function)
    made_of = trial_set("a", one, cases, root=hostile, k=1, seed="1", settings={}, rules_hash=None)
    side = Side("a", one, made_of, None, hostile / "a.trials.jsonl")
    (tally,) = await repeat([side], cases, k=1, seed="1", root=hostile)
    trials = read_trials(side.path)
    assert (tally.made, [trial.ending for trial in trials]) == (2, ["crashed", "crashed"])
    assert says in (trials[0].error or "")


async def test_a_pipe_in_the_place_of_the_recorded_calls_is_not_waited_for(hostile):
    found = await launch(agent("pipe"), request_of(), root=hostile)
    assert (found.how, found.answer) == ("crashed", None)


def test_only_a_regular_file_is_read_and_no_more_than_asked(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    (tmp_path / "text").write_text("abcdef")
    read = [written(tmp_path / name, 3) for name in ("pipe", "zeros", "text", "none", ".")]
    assert read == [b"", b"", b"abc", b"", b""]
    assert logged_calls(tmp_path / "pipe") is None


async def test_a_tree_deeper_than_python_recurses_neither_loses_the_attempt_nor_stays(
    hostile, tmp_path, monkeypatch
):
    folders = tmp_path / "folders"
    folders.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folders))
    found = await launch(agent("deep"), request_of(), root=hostile)
    assert (found.how, list(folders.iterdir())) == ("finished", [])


def test_the_folder_of_an_attempt_goes_away_with_files_and_links_in_it(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    with own_folder() as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "text").write_text("x")
        (folder / "link").symlink_to(kept)
    assert (folder.exists(), kept.is_dir()) == (False, True)
