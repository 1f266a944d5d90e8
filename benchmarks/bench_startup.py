"""How long the command line takes to start, beside importing typer; one run, best of nine.

python benchmarks/bench_startup.py
"""

from __future__ import annotations

import subprocess
import sys
import time

COMMANDS = {
    "import typer": ["-c", "import typer"],
    "import judgekit": ["-c", "import judgekit"],
    "judgekit --help": ["-m", "judgekit", "--help"],
}
ROUNDS = 9


def best_s(arguments: list[str]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> int:
    found = {name: best_s(arguments) for name, arguments in COMMANDS.items()}
    base = found["import typer"]
    for name, seconds in found.items():
        print(f"{name:18} {seconds * 1000:7.1f} ms   {seconds / base:5.2f} x import typer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
