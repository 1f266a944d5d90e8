"""A workspace with agents to try: small scripts, everything synthetic."""

from __future__ import annotations

from typing import Any

from judgekit.model.agent import Agent, Limits, Scope
from judgekit.model.case import Case
from judgekit.trials.request import TrialRequest

AGENTS = '''
"""Agents that misbehave."""
import asyncio, json, os, random, signal, subprocess, sys, time
from pathlib import Path


def plain(request):
    return {"final": {"decision": "refund"}, "cost_usd": 0.25}


def told(request):
    return {"final": {
        "request": request,
        "folder": os.getcwd(),
        "files": os.listdir("."),
        "environment": dict(os.environ),
        "random": random.random(),
        "hash": hash("text"),
    }}


async def later(request):
    await asyncio.sleep(0)
    return {"final": {"decision": "later"}}


def raises(request):
    raise KeyError("the order is gone")


def down(request):
    return {"infrastructure": "the model's provider is down"}


def tempfail(request):
    print("no disk", file=sys.stderr)
    sys.exit(75)


def not_a_number(request):
    return {"final": {"amount": float("nan")}}


def surrogate(request):
    return {"final": {"words": "half \\ud83d of it"}}


def unknown_key(request):
    return {"final": {"decision": "refund"}, "verdict": "good"}


def deep(request):
    value = []
    for _ in range(500):
        value = [value]
    return {"final": {"deep": value}}


def big(request):
    return {"final": {"text": "x" * (17 * 1024 * 1024)}}


def noisy(request):
    for _ in range(200):
        os.write(1, b"garbage {" * 10_000)
        os.write(2, b"noise " * 10_000)
    return {"final": {"decision": "refund"}}


def slow(request):
    Path(os.environ["JUDGEKIT_ANSWER"]).write_text(
        json.dumps({"tool_calls": [{"name": "lookup_order"}]})
    )
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def forks(request):
    """Leaves children that hold the pipes: in its group, without environment, in a session."""
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    ways = ({}, {"env": {}}, {"start_new_session": True})
    return {"final": {"pids": [subprocess.Popen(sleep, **way).pid for way in ways]}}


def hungry(request):
    held = bytearray(2_000 * 1024 * 1024)
    return {"final": {"n": len(held)}}


def spins(request):
    while True:
        pass


def killed(request):
    os.kill(os.getpid(), signal.SIGKILL)


def trial(request):
    from judgekit import Trial

    return Trial(final={"decision": "refund"})


def leaks(request):
    secret = os.environ["DESK_KEY"]
    print(f"called with {secret}", file=sys.stderr)
    if request["number"]:
        raise RuntimeError(f"refused {secret}")
    return {"final": {"said": f"the key is {secret}"}}


NOT_A_FUNCTION = None
'''


def agent_of(function: str, **changes: Any) -> Agent:
    limits = changes.pop("limits", Limits(timeout_s=30))
    return Agent(function=f"odd_agents:{function}", limits=limits, **changes)


def request_of(number: int = 0, **changes: Any) -> TrialRequest:
    given: dict[str, Any] = {
        "number": number, "identifier": "id-1", "seed": 7,
        "now": "2026-01-05T09:00:00+00:00", "timezone": "UTC", "locale": "C.UTF-8",
        "input": {"order": "R-1"},
    }  # fmt: skip
    return TrialRequest(**{**given, **changes})


def cases_of(*names: str) -> tuple[Case, ...]:
    return tuple(
        Case.model_validate(
            {
                "id": name,
                "input": {"order": name},
                "fields": {"decision": {"value": "refund"}},
            }
        )
        for name in names
    )


def scope_of(*names: str) -> Scope:
    return Scope(credentials=names)
