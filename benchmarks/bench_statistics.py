"""How fast the statistics are, against the loops that they replace. One run, ratios printed.

    python benchmarks/bench_statistics.py [--pairs 1000000] [--quick]

Prints one JSON line per measurement. The loops get fewer replicates than ours, are scaled to the
same number, and say so. Exit 1 when a bound is missed:

- kappa interval of 10,000 draws at n = 100,000: 5,000 times a scikit-learn resampling loop
- 10,000 cluster replicates of 100,000 items in 5,000 groups: 20 times an index loop
- calibration of a million pairs in 50,000 groups, decision included: 5 s from arrays, 30 s from
  files, 2 GB
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from judgekit.stats.agreement import kappa_quantiles
from judgekit.stats.resample import cluster_bootstrap

DRAWS = 10_000
SEED = 20_261_130
LEAST_KAPPA, LEAST_CLUSTER = 5_000, 20
MOST_ARRAYS_S, MOST_FILES_S, MOST_MIB = 5.0, 30.0, 2_000
POLICY = "max_false_pass_rate=0.05, max_false_fail_rate=0.05, min_kappa=0.8, max_unscored_rate=0.1"


def answers(n: int, n_groups: int) -> tuple[Any, Any, Any]:
    """Return human answers, judge answers (3 % wrong) and groups."""
    rng = np.random.default_rng(SEED)
    human = (rng.random(n) < 0.7).astype(int)
    judge = np.where(rng.random(n) < 0.03, 1 - human, human)
    return human, judge, rng.integers(0, n_groups, n)


def seconds(call: Callable[[], object], repeats: int = 1) -> float:
    """Return the median of a call's times."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return float(np.median(times))


def counts_of(human: Any, judge: Any) -> Any:
    return np.bincount(human * 2 + judge, minlength=4).reshape(2, 2)


def bench_kappa(replicates: int) -> dict[str, Any]:
    """Time the Dirichlet interval, counting included, against resampling items in a loop."""
    from sklearn.metrics import cohen_kappa_score

    human, judge, _ = answers(100_000, 5_000)
    rng = np.random.default_rng(SEED)

    def ours() -> object:
        return kappa_quantiles(counts_of(human, judge), (0.025, 0.975), draws=DRAWS)

    def loop() -> object:
        drawn = (rng.integers(0, len(human), len(human)) for _ in range(replicates))
        found = [cohen_kappa_score(human[i], judge[i]) for i in drawn]
        return np.quantile(found, [0.025, 0.975])

    ours()  # imports
    own, other = seconds(ours, 9), seconds(loop) * DRAWS / replicates
    return _ratio("kappa interval, n = 100,000", own, other, replicates, LEAST_KAPPA)


def bench_cluster(replicates: int) -> dict[str, Any]:
    """Time cluster replicates, counting by group included, against indexing items in a loop."""
    human, judge, group = answers(100_000, 5_000)
    rng = np.random.default_rng(SEED)
    members = [np.flatnonzero(group == g) for g in range(5_000)]

    def ours() -> object:
        cells = np.bincount(group * 4 + human * 2 + judge, minlength=20_000)
        return cluster_bootstrap(cells.reshape(-1, 2, 2), rng=rng, draws=DRAWS)

    def loop() -> object:
        found = []
        for _ in range(replicates):
            index = np.concatenate([members[g] for g in rng.integers(0, 5_000, 5_000)])
            found.append(_kappa(counts_of(human[index], judge[index])))
        return np.quantile(found, [0.025, 0.975])

    ours()
    own, other = seconds(ours, 3), seconds(loop) * DRAWS / replicates
    return _ratio("cluster replicates, 5,000 groups", own, other, replicates, LEAST_CLUSTER)


def _kappa(table: Any) -> float:
    p = table / table.sum()
    chance = float((p.sum(axis=0) * p.sum(axis=1)).sum())
    return (float(p.trace()) - chance) / (1 - chance)


def _ratio(what: str, own: float, other: float, replicates: int, least: float) -> dict[str, Any]:
    return {
        "what": what,
        "draws": DRAWS,
        "ours_s": round(own, 5),
        "loop_s_scaled": round(other, 2),
        "loop_replicates_run": replicates,
        "times_faster": round(other / own),
        "least": least,
        "kept": other / own >= least,
    }


def child(code: str) -> dict[str, Any]:
    """Run code in its own process, so that its peak memory is its own; it prints one JSON line."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


ARRAYS = """
import json, resource, sys, time
sys.path.insert(0, {here!r})
from bench_statistics import answers
from judgekit.calibration.arrays import calibrate_arrays
from judgekit.model.policy import Policy
human, judge, group = answers({n}, {groups})
started = time.perf_counter()
report = calibrate_arrays(human, judge, groups=group, policy=Policy({policy}))
wall = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"s": round(wall, 2), "mib": round(peak), "decision": report.decision}}))
"""
FILES = """
import contextlib, io, json, resource, time
from judgekit.cli.main import run_cli
argv = ["calibrate", "--items", {items!r}, "--labels", {labels!r}, "--verdicts", {verdicts!r},
        "--max-false-pass-rate", "0.05", "--max-false-fail-rate", "0.05", "--min-kappa", "0.8"]
started = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()) as text:
    code = run_cli(argv)
wall = time.perf_counter() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
decision = text.getvalue().split(":")[1].strip().split(":")[0]
print(json.dumps({{"s": round(wall, 2), "mib": round(peak), "decision": decision, "code": code}}))
"""


def bench_arrays(n: int) -> dict[str, Any]:
    here = str(Path(__file__).parent)
    found = child(ARRAYS.format(here=here, n=n, groups=n // 20, policy=POLICY))
    kept = found["s"] <= MOST_ARRAYS_S and found["mib"] <= MOST_MIB
    return {"what": f"{n} pairs from arrays", **found, "most_s": MOST_ARRAYS_S, "kept": kept}


def bench_files(n: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(Path(folder), n)
        found = child(FILES.format(**{name: str(path) for name, path in paths.items()}))
    kept = found["s"] <= MOST_FILES_S and found["mib"] <= MOST_MIB and found["code"] == 0
    return {"what": f"{n} pairs from files", **found, "most_s": MOST_FILES_S, "kept": kept}


def write_files(folder: Path, n: int) -> dict[str, Path]:
    """Write items, labels and verdicts as JSON lines."""
    human, judge, group = (values.tolist() for values in answers(n, n // 20))
    word = ("fail", "pass")
    rows = {
        "items": (
            f'{{"id":"item-{k}","group":"g{g}","input":"question {k}","output":"answer {k}"}}\n'
            for k, g in enumerate(group)
        ),
        "labels": (
            f'{{"item_id":"item-{k}","annotator":"ann","label":"{word[a]}"}}\n'
            for k, a in enumerate(human)
        ),
        "verdicts": (
            f'{{"item_id":"item-{k}","judge":"j","label":"{word[a]}"}}\n'
            for k, a in enumerate(judge)
        ),
    }
    paths = {}
    for name, lines in rows.items():
        paths[name] = folder / f"{name}.jsonl"
        with paths[name].open("w", encoding="utf-8") as handle:
            handle.writelines(lines)
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="fewer replicates of the loops")
    given = parser.parse_args()
    replicates = 5 if given.quick else 40
    found = []
    for call in (
        lambda: bench_kappa(replicates),
        lambda: bench_cluster(5 * replicates),
        lambda: bench_arrays(given.pairs),
        lambda: bench_files(given.pairs),
    ):
        found.append(call())
        print(json.dumps(found[-1]), flush=True)
    return 0 if all(one["kept"] for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
