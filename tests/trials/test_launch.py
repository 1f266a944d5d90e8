from __future__ import annotations

import os
import select
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from trial_fakes import agent_of, request_of, scope_of

from judgekit.errors import InputError
from judgekit.model.agent import Agent, Limits
from judgekit.trials.launch import check_agent, launch


async def ended(root: Path, function: str, **changes):
    request = changes.pop("request", request_of())
    return await launch(agent_of(function, **changes), request, root=root)


async def test_an_attempt_has_a_folder_an_environment_and_seeds_of_its_own(root, monkeypatch):
    monkeypatch.setenv("MY_PRIVATE_KEY", "not for the agent")
    first = await ended(root, "told", timezone="Asia/Tokyo")
    second = await ended(root, "told", timezone="Asia/Tokyo")
    seen = first.answer.final
    environment = seen["environment"]
    assert "MY_PRIVATE_KEY" not in environment
    assert environment["TZ"] == "Asia/Tokyo"
    assert environment["LC_ALL"] == environment["LANG"] == "C.UTF-8"
    assert environment["PYTHONHASHSEED"] == environment["JUDGEKIT_SEED"] == "7"
    assert environment["JUDGEKIT_NOW"] == "2026-01-05T09:00:00+00:00"
    assert environment["HOME"] == environment["TMPDIR"] == seen["folder"]
    assert seen["files"] == []
    assert not Path(seen["folder"]).exists()
    assert second.answer.final["folder"] != seen["folder"]
    assert [second.answer.final[name] for name in ("random", "hash")] == [
        seen[name] for name in ("random", "hash")
    ]


async def test_only_credentials_that_the_scope_names_are_passed_on(root, monkeypatch):
    monkeypatch.setenv("DESK_KEY", "hunter22")
    without = await ended(root, "told")
    given = await ended(root, "told", scope=scope_of("DESK_KEY", "NOT_SET"))
    assert "DESK_KEY" not in without.answer.final["environment"]
    assert given.answer.final["environment"]["DESK_KEY"] == "hunter22"


@pytest.mark.parametrize(
    ("function", "how", "says"),
    [
        ("raises", "crashed", "the order is gone"),
        ("down", "infrastructure", "the model's provider is down"),
        ("tempfail", "infrastructure", "no disk"),
        ("not_a_number", "crashed", "not JSON compliant"),
        ("unknown_key", "crashed", "verdict: Extra inputs are not permitted"),
        ("deep", "crashed", "nested too deeply"),
        ("big", "crashed", "longer than 16 MiB"),
        ("killed", "crashed", "killed by SIGKILL"),
    ],
)
async def test_every_way_to_fail_is_an_ending_with_its_reason(root, function, how, says):
    found = await ended(root, function)
    assert found.how == how
    assert says in found.error


async def test_an_answer_that_does_not_fit_is_kept_in_the_error(root):
    found = await ended(root, "unknown_key")
    assert '{"final": {"decision": "refund"}, "verdict": "good"}' in found.error


@pytest.mark.parametrize("function", ["plain", "noisy", "trial"])
async def test_garbage_on_the_outputs_is_not_taken_for_the_answer(root, function):
    found = await ended(root, function)
    assert (found.how, found.error) == ("finished", None)
    assert found.answer.final == {"decision": "refund"}


async def test_an_asynchronous_function_is_awaited(root):
    assert (await ended(root, "later")).answer.final == {"decision": "later"}


async def test_an_agent_that_ignores_sigterm_is_killed_and_what_it_had_answered_is_kept(root):
    found = await ended(root, "slow", limits=Limits(timeout_s=1.5))
    assert found.how == "timeout"
    assert "no answer within 1.5 s" in found.error
    assert [call.name for call in found.answer.tool_calls] == ["lookup_order"]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found through /proc")
async def test_processes_that_an_agent_leaves_behind_are_killed_and_not_waited_for(root):
    started = time.perf_counter()
    found = await ended(root, "forks", limits=Limits(timeout_s=60))
    assert found.how == "finished"
    assert time.perf_counter() - started < 30
    for pid in found.answer.final["pids"]:
        assert has_ended(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory differ elsewhere")
@pytest.mark.parametrize(
    ("function", "limits", "says"),
    [
        ("hungry", Limits(timeout_s=30, memory_mb=1_000), "MemoryError"),
        ("spins", Limits(timeout_s=30, cpu_s=1), "killed by SIGXCPU"),
    ],
)
async def test_limits_of_memory_and_processor_time_are_enforced(root, function, limits, says):
    found = await ended(root, function, limits=limits)
    assert found.how == "crashed"
    assert says in found.error


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory differ elsewhere")
async def test_a_limit_above_the_systems_own_does_not_stop_the_agent(root):
    command = (
        "sh", "-c", "ulimit -H -t 50; exec \"$@\"", "sh", sys.executable, "-c",
        "import asyncio, pathlib; from judgekit.trials.process import run_process; "
        "from judgekit.model.agent import Limits; "
        "print(asyncio.run(run_process(['echo', 'ran'], b'', folder=pathlib.Path('.'), "
        "environment={'PATH': '/usr/bin:/bin'}, limits=Limits(timeout_s=30, cpu_s=900))))",
    )  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "code=0, out=b'ran\\n'" in done.stdout


async def test_credentials_are_taken_out_of_errors(root, monkeypatch):
    monkeypatch.setenv("DESK_KEY", "hunter22")
    found = await ended(root, "leaks", scope=scope_of("DESK_KEY"), request=request_of(1))
    assert "refused <secret>" in found.error
    assert "hunter22" not in found.error


@pytest.mark.parametrize(
    ("out", "how", "says"),
    [
        ('{"final": {"a": 1}}', "finished", None),
        ('starting\nworking\n{"final": {"a": 1}}\n', "finished", None),
        ("", "crashed", "the agent answered nothing"),
        ("hello", "crashed", "the answer is no JSON object: 'hello'"),
        ("[1]", "crashed", "the answer is no JSON object"),
        ('{"final": {"a": NaN}}', "crashed", "NaN is no number"),
        ('{"final": {"a": 1e999}}', "crashed", "1e999 is too large a number"),
        ('{"final": {"a": ' + "9" * 5000 + "}}", "crashed", "no JSON object"),
        ('{"final": ' + "[" * 100_000, "crashed", "nested too deeply"),
        ('{"final": {"a": "half \\ud83d"}}', "finished", None),
        ('{"messages": [{"role": "user", "content": "half \\ud83d"}]}', "finished", None),
        ('{"cost_usd": -1}', "crashed", "cost_usd"),
        ('{"infrastructure": "down"}', "infrastructure", "down"),
    ],
)
async def test_a_command_answers_on_standard_output(root, out, how, says):
    (root / "out.txt").write_text(out)
    command = ("cat", "{workspace}/out.txt")
    found = await launch(Agent(command=command), request_of(), root=root)
    assert found.how == how
    assert found.error is None if says is None else says in found.error


async def test_endless_output_is_bounded_and_ends_with_the_time(root):
    agent = Agent(command=("yes", "x" * 1000), limits=Limits(timeout_s=1))
    found = await launch(agent, request_of(), root=root)
    assert (found.how, found.answer) == ("timeout", None)


async def test_a_command_with_a_slash_is_taken_from_the_workspace(root):
    script = root / "agent.sh"
    script.write_text('#!/bin/sh\nread -r request\necho \'{"final": {"here": "\'"$PWD"\'"}}\'\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    found = await launch(Agent(command=("./agent.sh",)), request_of(), root=root)
    assert Path(found.answer.final["here"]).name.startswith("judgekit-trial-")


async def test_a_program_that_reads_nothing_of_a_large_request_is_no_fault(root):
    request = request_of(input="x" * 1_000_000)
    command = ("echo", '{"final": {}}')
    found = await launch(Agent(command=command), request, root=root)
    assert found.how == "finished"


@pytest.mark.parametrize(
    "function", ["no_such_module:run", "odd_agents:nothing", "odd_agents:NOT_A_FUNCTION"]
)
async def test_a_function_that_cannot_be_imported_is_refused_before_any_attempt(root, function):
    with pytest.raises(InputError, match="cannot be imported"):
        await check_agent(Agent(function=function), root)


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        ("print('{}'); print('garbage {'); import sys; sys.exit(0)", "SystemExit: 0"),
        ("import os; os._exit(0)", "the process ended during the import (exit code 0)"),
        ("import os; os.write(1, b'{}'); os.write(2, b'all is well'); os._exit(0)",
         "the process ended during the import (exit code 0)"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
         "the process ended during the import (killed by SIGKILL)"),
        ("import os, sys; sys.stdout.close(); os.close(1); os.close(2); sys.exit(0)",
         "SystemExit: 0"),
        ("import atexit, os; atexit.register(os._exit, 3)",
         "the process failed after the import (exit code 3)"),
        ("raise ValueError('no key')", "ValueError: no key"),
        ("run = 3", "'run' is no function but of type int"),
    ],
)  # fmt: skip
async def test_a_module_that_does_not_survive_its_import_is_refused_before_any_attempt(
    root, start, found
):
    defined = "def run(request):\n    return {'final': {}}\n" if "run =" not in start else ""
    (root / "ending.py").write_text(f"{defined}{start}\n")
    with pytest.raises(InputError, match="cannot be imported") as error:
        await check_agent(Agent(function="ending:run"), root)
    assert error.value.found == found


@pytest.mark.parametrize(
    "start",
    [
        "import os; print('garbage {'); os.write(1, b'{}'); os.write(2, b'noise')",
        "import sys; sys.stdout.close()",
    ],
)
async def test_a_module_that_only_spoils_its_outputs_passes_and_answers(root, start):
    (root / "spoiling.py").write_text(f"{start}\ndef run(request):\n    return {{'final': {{}}}}\n")
    agent = Agent(function="spoiling:run")
    await check_agent(agent, root)
    ended = await launch(agent, request_of(), root=root)
    assert (ended.how, ended.error) == ("finished", None)


async def test_a_command_that_is_not_there_is_refused_before_any_attempt(root):
    with pytest.raises(InputError, match="is not there"):
        await check_agent(Agent(command=("no-such-program-at-all",)), root)
    await check_agent(Agent(command=("cat",)), root)
    await check_agent(agent_of("plain"), root)


async def test_a_program_that_is_gone_in_the_middle_is_infrastructure(root):
    found = await launch(Agent(command=("no-such-program-at-all",)), request_of(), root=root)
    assert found.how == "infrastructure"
    assert "cannot be started" in found.error


def has_ended(pid: int) -> bool:
    """Tell whether a process that was killed is gone; the kernel may take a moment."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], 20)[0])
    finally:
        os.close(fd)


LEAKS = """
import os, sys

def long_error(request):
    sys.stderr.write("x" * 3000 + os.environ["DESK_KEY"] + "y" * (2000 - 7))
    os._exit(3)

def misfit(request):
    return {"final": {}, "verdict": os.environ["DESK_KEY"]}

def in_json(request):
    import json
    return {"final": {"said": json.dumps({"key": os.environ["DESK_KEY"]})}, "verdict": 1}

def no_answer(request):
    open(os.environ["JUDGEKIT_ANSWER"], "w").write("z" * 3000 + os.environ["DESK_KEY"] + "y" * 1993)
    os._exit(0)
"""


@pytest.mark.parametrize("function", ["long_error", "misfit", "in_json", "no_answer"])
async def test_no_part_of_a_credential_is_left_where_a_text_is_cut_or_quoted(
    root, monkeypatch, function
):
    secret = 'correct"horse\\battery'
    monkeypatch.setenv("DESK_KEY", secret)
    (root / "leaks.py").write_text(LEAKS)
    agent = Agent(function=f"leaks:{function}", scope=scope_of("DESK_KEY"))
    found = await launch(agent, request_of(), root=root)
    assert found.how == "crashed"
    left = [
        secret[at : at + 5] for at in range(len(secret) - 4) if secret[at : at + 5] in found.error
    ]
    assert left == []


async def test_a_failure_without_a_reason_is_given_one(root):
    (root / "leaks.py").write_text("def run(request):\n    return {'infrastructure': ' '}\n")
    found = await launch(Agent(function="leaks:run"), request_of(), root=root)
    assert (found.how, found.error) == (
        "infrastructure",
        "the agent reported a temporary failure",
    )


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["echo", "a\0b"]},
        {"command": ["echo", "a\ud800b"]},
        {"command": ["true"], "environment": {"A=B": "x"}},
        {"command": ["true"], "environment": {"": "x"}},
        {"command": ["true"], "environment": {"A": "x\0"}},
        {"command": ["true"], "timezone": "a\0b"},
        {"command": ["true"], "locale": "a\0b"},
        {"command": ["true"], "scope": {"credentials": ["a\0b"]}},
        {"url": "http://"},
        {"url": "http://[bad/x"},
        {"url": "http://desk:port/x"},
    ],
)
def test_what_nothing_can_be_started_with_is_no_agent(given):
    with pytest.raises(ValueError, match=r"process|environment|url"):
        Agent.model_validate(given)
