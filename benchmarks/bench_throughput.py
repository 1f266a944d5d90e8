"""Items per second of a judge, beside a bare instructor loop and raw aiohttp, in one run.

    python benchmarks/bench_throughput.py --mock ../shared/bench/mock_llm.py

Starts the mock on loopback (50 ms per reply) and grades the same items three times with 64 in
flight. Prints the ratios; exits 1 when the judge is slower than bare instructor.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from judgekit.judges.judge import Judge
from judgekit.judges.schema import verdict_model
from judgekit.model.item import Item
from judgekit.model.rubric import Criterion, FailureMode, Rubric
from judgekit.providers.base import Endpoint
from judgekit.providers.catalog import load_provider

RUBRIC = Rubric(
    name="bench",
    task="Does the reply answer the question?",
    criteria=(
        Criterion(id="answers", description="answers the question"),
        Criterion(id="polite", description="is polite"),
    ),
    failure_modes=(FailureMode(id="wrong", description="does not answer"),),
)


def items(count: int) -> list[Item]:
    return [
        Item(
            id=str(n),
            input=f"Question {n}",
            output=f"Reply {n} is quite long enough [[gold:{'pass' if n % 3 else 'fail'}]]",
        )
        for n in range(count)
    ]


async def at_once(work: Callable[[Item], Awaitable[object]], todo: list[Item], limit: int) -> float:
    source = iter(todo)

    async def worker() -> None:
        for item in source:
            await work(item)

    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(limit)))
    return time.perf_counter() - started


def judge_at(base: str, limit: int) -> Judge:
    endpoint = Endpoint(base_url=base, concurrency=limit)
    return Judge("bench", RUBRIC, load_provider("openai", endpoint), "mock")


async def with_judge(base: str, todo: list[Item], limit: int) -> float:
    judge = judge_at(base, limit)
    judge.fingerprint  # noqa: B018  (prepared once, before the clock starts)
    await at_once(judge.grade, todo[:limit], limit)
    found = []

    async def work(item: Item) -> None:
        found.append(await judge.grade(item))

    spent = await at_once(work, todo, limit)
    await judge.aclose()
    right = sum(v.status == "scored" and v.passed == bool(int(v.item_id) % 3) for v in found)
    if right != len(todo):
        raise SystemExit(f"only {right} of {len(todo)} verdicts are right: {found[0]}")
    return spent


async def with_instructor(base: str, todo: list[Item], limit: int) -> float:
    import instructor
    import openai

    sdk = openai.AsyncOpenAI(api_key="none", base_url=base, max_retries=0)
    client = instructor.from_openai(sdk, mode=instructor.Mode.JSON_SCHEMA)
    bodies = {item.id: messages(base, item) for item in todo}

    async def work(item: Item) -> None:
        await client.create(
            model="mock",
            response_model=verdict_model(RUBRIC),
            messages=bodies[item.id],
            max_retries=0,
        )

    await at_once(work, todo[:limit], limit)
    spent = await at_once(work, todo, limit)
    await sdk.close()
    return spent


def messages(base: str, item: Item) -> list[dict[str, str]]:
    return list(json.loads(judge_of(base).show_prompt(item))["messages"])


_judges: dict[str, Judge] = {}


def judge_of(base: str) -> Judge:
    if base not in _judges:
        _judges[base] = judge_at(base, 1)
    return _judges[base]


async def with_aiohttp(base: str, todo: list[Item], limit: int) -> float:
    import aiohttp

    bodies = {item.id: judge_of(base).show_prompt(item).encode() for item in todo}
    headers = {"content-type": "application/json"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=limit)) as session:

        async def work(item: Item) -> None:
            url = f"{base}/chat/completions"
            async with session.post(url, data=bodies[item.id], headers=headers) as response:
                json.loads(await response.read())

        await at_once(work, todo[:limit], limit)
        return await at_once(work, todo, limit)


def start_mock(
    script: Path, latency_ms: float, folder: Path
) -> tuple[subprocess.Popen[bytes], str]:
    port_file = folder / "port"
    command = [sys.executable, str(script), "--port", "0", "--port-file", str(port_file)]
    process = subprocess.Popen(
        [*command, "--latency-ms", str(latency_ms)], stdout=subprocess.DEVNULL
    )
    while not (port_file.exists() and port_file.read_text().strip()):
        time.sleep(0.05)
    return process, f"http://127.0.0.1:{int(port_file.read_text())}/v1"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parents[2] / "shared" / "bench" / "mock_llm.py"
    parser.add_argument("--mock", type=Path, default=default)
    parser.add_argument("-n", type=int, default=1000)
    parser.add_argument("-c", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not options.mock.is_file():
        print(f"not run: the mock server {options.mock.name!r} is not there; name it with --mock")
        return 0
    ways = {"judge": with_judge, "instructor": with_instructor, "aiohttp": with_aiohttp}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        process, base = start_mock(options.mock, options.latency_ms, Path(folder))
        try:
            for _ in range(options.rounds):
                for name, way in ways.items():
                    spent[name].append(asyncio.run(way(base, items(options.n), options.c)))
        finally:
            process.terminate()
            process.wait(10)
    rates = {name: options.n / statistics.median(times) for name, times in spent.items()}
    ideal = options.c / (options.latency_ms / 1000)
    result = {
        "n": options.n,
        "concurrency": options.c,
        "items_per_s": {name: round(rate, 1) for name, rate in rates.items()},
        "judge_over_instructor": round(rates["judge"] / rates["instructor"], 2),
        "judge_over_aiohttp": round(rates["judge"] / rates["aiohttp"], 2),
        "judge_over_ideal": round(rates["judge"] / ideal, 2),
    }
    print(json.dumps(result, indent=1))
    return 0 if rates["judge"] >= rates["instructor"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
