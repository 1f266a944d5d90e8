"""What `judgekit score` and `judgekit process` take for a file of trials. One run, ratios printed.

    python benchmarks/bench_trials.py [--megabytes 5] [--times 4]

Synthetic trials of the example workspace, short (2.8 kB) and long (150 kB, texts of 5 kB), are
written to a temporary folder, in a file of some megabytes and in one `times` as large. Each command
runs in a process of its own. What starting takes (the same command on one trial of each case) is
taken off. Prints one JSON line per measurement; exit 1 when a bound is missed:

- the processor time per megabyte in the large file is at most 1.5 times that of the small one
- what is kept of a trial, however long: at most 5 kB by `score`, 8 kB by `process`
- a trial with four times as many calls, each with its text, takes at most six times as long
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
GOLDENS = ROOT / "annotations" / "refund_desk" / "goldens.jsonl"
MB = 1_000_000
MOST_GROWTH, MOST_LONGER = 1.5, 6.0
MOST_KEPT = {"score": 5_000, "process": 8_000}
CALLS = 100
RUN = """
import os, resource, sys
from pathlib import Path
from judgekit.cli.main import run_cli
told, sys.stdout = sys.stdout, open(os.devnull, "w")
code = run_cli(sys.argv[1:])
peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
usage = resource.getrusage(resource.RUSAGE_SELF)
print(code, usage.ru_utime + usage.ru_stime, peak * 1024, file=told)
"""
_RANDOM = random.Random(1)
_WORDS = [f"w{_RANDOM.randrange(99_999)}" for _ in range(5_000)] + ["Straße", "1,250.00", "20 %"]


class Taken(NamedTuple):
    """What one command took."""

    seconds: float
    peak: int


def text(size: int) -> str:
    """Return words and numbers of about `size` characters."""
    return " ".join(_RANDOM.choices(_WORDS, k=size // 6))


def trial(golden: dict[str, Any], number: int, *, size: int, calls: int) -> str:
    """Return the line of a trial: `calls` 0 for those of its path, and texts of `size`."""
    path = next(iter(golden["paths"].values()))["calls"]
    messages: list[dict[str, Any]] = [{"role": "user", "content": json.dumps(golden["input"])}]
    made = []
    for place in range(calls or len(path)):
        wanted = path[place % len(path)]
        arguments = {name: one.get("value") for name, one in wanted["arguments"].items()}
        call = {"name": wanted["tool"], "arguments": arguments, "id": f"c{place}"}
        result = {"order": golden["input"]["order"], "note": text(size)}
        made.append({**call, "result": result})
        messages.append({"role": "assistant", "content": text(size // 4), "tool_calls": [call]})
        answer = json.dumps(result, ensure_ascii=False)
        messages.append({"role": "tool", "content": answer, "tool_call_id": call["id"]})
    fields = golden["fields"].items()
    final = {name: one.get("value") for name, one in fields if not name.startswith("steps.")}
    facts = {"case_id": golden["id"], "number": number, "ending": "finished", "latency_s": 1.5}
    body = {**facts, "messages": messages, "tool_calls": made, "final": final}
    return json.dumps(body, ensure_ascii=False) + "\n"


def write(path: Path, least: float, *, size: int, calls: int) -> Path:
    """Write whole rounds of trials, one of each case, until the file has `least` bytes."""
    goldens = [json.loads(line) for line in GOLDENS.read_text("utf-8").splitlines()]
    number, written = 0, 0
    with path.open("w", encoding="utf-8") as file:
        while number == 0 or written < least:
            for golden in goldens:
                line = trial(golden, number, size=size, calls=calls)
                written += len(line.encode())
                file.write(line)
            number += 1
    return path


def run(command: str, path: Path) -> Taken:
    """Run a command over a file of trials."""
    argv = [command, "--trials", str(path), "--workspace", str(ROOT), "--rules", "refund_desk"]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *argv, "--json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    code, seconds, peak = done.stdout.split()
    if code not in ("0", "3"):
        raise SystemExit(f"{command} ended with {code}: {done.stderr}")
    return Taken(float(seconds), int(peak))


def bench_sizes(folder: Path, shape: str, megabytes: float, times: float) -> list[dict[str, Any]]:
    """Measure both commands on a small and on a large file of one shape."""
    size, calls = (100, 0) if shape == "short" else (5_000, 12)
    one = write(folder / "one.jsonl", 0, size=size, calls=calls)
    small = write(folder / "small.jsonl", megabytes * MB, size=size, calls=calls)
    large = write(folder / "large.jsonl", megabytes * times * MB, size=size, calls=calls)
    return [_sizes(command, shape, one, small, large) for command in ("score", "process")]


def _sizes(command: str, shape: str, one: Path, small: Path, large: Path) -> dict[str, Any]:
    start, less, more = (run(command, path) for path in (one, small, large))
    bytes_of = {path: path.stat().st_size - one.stat().st_size for path in (small, large)}
    per_mb = [
        (taken.seconds - start.seconds) / bytes_of[path] * MB
        for taken, path in ((less, small), (more, large))
    ]
    trials = len(large.read_bytes().splitlines()) - len(small.read_bytes().splitlines())
    each = (more.peak - less.peak) / trials
    return {
        "what": f"{command} of {shape} trials",
        "megabytes": [round(bytes_of[small] / MB, 1), round(bytes_of[large] / MB, 1)],
        "seconds_per_mb": [round(one, 3) for one in per_mb],
        "growth": round(per_mb[1] / per_mb[0], 2),
        "most_growth": round(MOST_GROWTH, 2),
        "bytes_kept_of_a_trial": round(each),
        "most_bytes": MOST_KEPT[command],
        "kept": per_mb[1] <= per_mb[0] * MOST_GROWTH and each <= MOST_KEPT[command],
    }


def bench_calls(folder: Path) -> dict[str, Any]:
    """Measure one trial of each case with many calls, and with four times as many."""
    one = write(folder / "one.jsonl", 0, size=2_500, calls=1)
    less = write(folder / "less.jsonl", 0, size=2_500, calls=CALLS)
    more = write(folder / "more.jsonl", 0, size=2_500, calls=4 * CALLS)
    start, short, long = (run("score", path).seconds for path in (one, less, more))
    longer = (long - start) / (short - start)
    return {
        "what": f"score of trials with {4 * CALLS} calls against {CALLS}",
        "seconds": [round(short - start, 2), round(long - start, 2)],
        "times_as_long": round(longer, 1),
        "most": MOST_LONGER,
        "kept": longer <= MOST_LONGER,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=5)
    parser.add_argument("--times", type=float, default=4)
    given = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory() as name:
        for shape in ("short", "long"):
            for row in bench_sizes(Path(name), shape, given.megabytes, given.times):
                kept &= row["kept"]
                print(json.dumps(row), flush=True)
        row = bench_calls(Path(name))
        print(json.dumps(row), flush=True)
    return 0 if kept and row["kept"] else 1


if __name__ == "__main__":
    sys.exit(main())
