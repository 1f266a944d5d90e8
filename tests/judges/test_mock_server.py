"""Whole judges against the shared mock of both vendors' interfaces, as a separate process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from judge_fakes import make_rubric

from judgekit.judges.attempts import RetryPolicy
from judgekit.judges.judge import Judge
from judgekit.model.item import Item
from judgekit.providers.base import Endpoint
from judgekit.providers.catalog import load_provider

MOCK = Path(__file__).parents[3] / "shared" / "bench" / "mock_llm.py"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not MOCK.exists(), reason="the shared mock is absent"),
]
WAYS = [(p, m) for p in ("openai", "anthropic") for m in ("json_schema", "tools", "prompt_json")]


@pytest.fixture(scope="module")
def mock(tmp_path_factory):
    port_file = tmp_path_factory.mktemp("mock") / "port"
    command = [sys.executable, str(MOCK), "--port", "0", "--port-file", str(port_file)]
    command += [
        "--latency-ms",
        "1",
        "--retry-after",
        "0.05",
        "--hold-s",
        "3",
        "--max-life-s",
        "300",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not (port_file.exists() and port_file.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    base = f"http://127.0.0.1:{int(port_file.read_text())}"
    yield base
    urllib.request.urlopen(f"{base}/stats").close()
    process.terminate()
    process.wait(10)


@pytest.fixture
async def judge(mock):
    made = []

    def build(vendor="openai", mode="json_schema", **options):
        base = f"{mock}/v1" if vendor == "openai" else mock
        endpoint = Endpoint(base_url=base, timeout_s=1)
        retry = RetryPolicy(attempts=3, min_wait_s=0.01, max_wait_s=0.05)
        options = {"retry": retry, **options}
        found = Judge(
            "j", make_rubric(), load_provider(vendor, endpoint), "mock", mode=mode, **options
        )
        made.append(found)
        return found

    yield build
    for one in made:
        await one.aclose()


def an_item(mark, number=0):
    return Item(id=f"i{number}", input="q", output=f"Item {number}: the reply is quite fine {mark}")


@pytest.mark.parametrize(("vendor", "mode"), WAYS)
async def test_every_way_gives_the_gold_verdict(judge, vendor, mode):
    one = judge(vendor, mode)
    marks = ["[[gold:pass]]", "[[gold:fail]]"] * 4
    found = await asyncio.gather(*(one.grade(an_item(m, n)) for n, m in enumerate(marks)))
    assert [v.status for v in found] == ["scored"] * 8, found[0].reason
    assert [v.passed for v in found] == [True, False] * 4
    assert {v.unsupported for v in found} == {()}
    assert all(v.attempts[0].usage.input_tokens for v in found)


@pytest.mark.parametrize(("vendor", "mode"), WAYS)
@pytest.mark.parametrize(
    ("fault", "status", "kind"),
    [
        ("429", "failed", "rate_limit"),
        ("500", "failed", "server"),
        ("503", "failed", "server"),
        ("529", "failed", "server"),
        ("reset", "failed", "connection"),
        ("short_body", "failed", "connection"),
        ("length", "failed", "truncated"),
        ("refusal", "failed", "refusal"),
        ("truncated", "invalid", None),
        ("malformed", "invalid", None),
        ("schema_invalid", "invalid", None),
        ("empty", "invalid", None),
    ],
)
async def test_each_fault_has_its_status(judge, vendor, mode, fault, status, kind):
    found = await judge(vendor, mode).grade(an_item(f"[[gold:pass]] [[fault:{fault}]]"))
    if (vendor, mode, fault) == ("openai", "prompt_json", "refusal"):
        status, kind = "invalid", None  # without a schema the mock refuses in plain text
    assert (found.status, found.kind) == (status, kind), found.reason
    retried = kind in ("rate_limit", "server", "connection")
    assert len(found.attempts) == (3 if retried else 1)


async def test_a_timeout_is_told_apart(judge):
    one = judge(retry=RetryPolicy(attempts=1))
    found = await one.grade(an_item("[[fault:timeout]]"))
    assert (found.status, found.kind) == ("failed", "timeout")


async def test_a_passing_fault_is_overcome(judge):
    found = await judge().grade(an_item("[[gold:fail]] [[fault:429*2]]"))
    assert (found.status, found.passed, len(found.attempts)) == ("scored", False, 3)
    assert found.attempts[0].http_status == 429
