"""Throughput of a run against a loopback mock: share of the ideal N x latency / concurrency.

    python benchmarks/bench_runner.py [--mock ../shared/bench/mock_llm.py] [--items 4096]

Prints one JSON line: items per second, share of the ideal and CPU milliseconds per item.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from judgekit.model.item import Item
from judgekit.runs.runner import run
from judgekit.store.workspace import find_workspace
from judgekit.wiring import build_graders

SETTINGS = """\
schema: 1
endpoints:
  mock: {{base_url: "http://127.0.0.1:{port}/v1", concurrency: {concurrency}}}
graders:
  judge: {{provider: openai, endpoint: mock, model: mock, rubric: right}}
"""
RUBRIC = """\
schema: 1
name: right
task: Is the reply right?
criteria: [{id: correct, description: The reply is right., absence: true}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""


def start_mock(mock: Path, folder: Path, latency_ms: float) -> tuple[subprocess.Popen[bytes], int]:
    port_file = folder / "port"
    command = [sys.executable, str(mock), "--port", "0", "--port-file", str(port_file)]
    process = subprocess.Popen(
        [*command, "--latency-ms", str(latency_ms)], stdout=subprocess.DEVNULL
    )
    while not port_file.exists() or not port_file.read_text():
        time.sleep(0.01)
    return process, int(port_file.read_text())


async def timed(folder: Path, n: int, concurrency: int) -> tuple[float, float]:
    graders = build_graders(find_workspace(folder), ("judge",))
    warm = [Item(id=f"w{k}", input="q", output=f"warm {k}") for k in range(concurrency)]
    items = [Item(id=f"i{k}", input="q", output=f"text {k} " * 20) for k in range(n)]
    await run(graders, warm, journal_dir=folder, concurrency=concurrency)
    cpu_s, started = cpu_now_s(), time.perf_counter()
    await run(graders, items, journal_dir=folder, concurrency=concurrency)
    wall_s, cpu_s = time.perf_counter() - started, cpu_now_s() - cpu_s
    for grader in graders:
        await grader.aclose()
    return wall_s, cpu_s


def cpu_now_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    default = Path(__file__).parents[2] / "shared" / "bench" / "mock_llm.py"
    parser.add_argument("--mock", type=Path, default=default)
    parser.add_argument("--items", type=int, default=4096)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50)
    given = parser.parse_args()
    if not given.mock.is_file():
        print(f"not run: the mock server {given.mock.name!r} is not there; name it with --mock")
        return
    os.environ.pop("OPENAI_API_KEY", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process, port = start_mock(given.mock, folder, given.latency_ms)
        (folder / "rubrics").mkdir()
        (folder / "rubrics/right.yaml").write_text(RUBRIC)
        settings = SETTINGS.format(port=port, concurrency=given.concurrency)
        (folder / "judgekit.yaml").write_text(settings)
        try:
            wall_s, cpu_s = asyncio.run(timed(folder, given.items, given.concurrency))
        finally:
            process.terminate()
            process.wait()
    ideal_s = given.items * given.latency_ms / 1000 / given.concurrency
    result = {
        "items_per_s": round(given.items / wall_s, 1),
        "share_of_ideal": round(ideal_s / wall_s, 3),
        "cpu_ms_per_item": round(1000 * cpu_s / given.items, 3),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
