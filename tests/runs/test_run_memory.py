from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPT = """
import asyncio, resource, sys
from pathlib import Path
from fakes import FakeGrader, make_items
from judgekit.model.item import Item
from judgekit.runs.runner import run

def items(n):
    for k in range(n):
        yield Item(id=f"i{k}", input="q" * 200, output=f"text {k} " * 30)

class Forgetful(FakeGrader):
    async def grade(self, item, *, regrade=0):
        verdict = await super().grade(item, regrade=regrade)
        self.asked.clear()
        return verdict

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def graded(n, folder):
    grader = Forgetful()
    report = asyncio.run(run([grader], items(n), journal_dir=Path(folder), concurrency=64))
    return report.graders[0]

graded(100, sys.argv[1] + "/warm")
start = peak_mb()
first = graded(100_000, sys.argv[1])
second = graded(100_000, sys.argv[1])
print(first.scored, second.cached, peak_mb() - start)
"""


def test_100_000_items_take_less_than_200_mb_above_the_start_and_so_does_the_resumed_run(
    tmp_path: Path,
) -> None:
    env = {**os.environ, "PYTHONPATH": f"{HERE.parents[1]}{os.pathsep}{HERE}"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    scored, cached, grown_mb = done.stdout.split()
    assert (int(scored), int(cached)) == (100_000, 100_000)
    assert float(grown_mb) < 200
