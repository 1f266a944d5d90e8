"""How fast calls and fields are compared, against plain Python. One run, ratios printed.

    python benchmarks/bench_scorers.py [--trajectories 100000] [--comparisons 1000000]

The plain Python is that of ../shared/bench/bench_compute.py, or, where that is absent,
plain_scorers.py beside this file. Times are seconds of processor time, the least of three rounds in
which both sides take turns. Prints one JSON line per measurement; exit 1 when a bound is missed:

- tool matching of 100,000 trajectories (names in order, best pairing by arguments): 2 times plain
- 1,000,000 comparisons of ids, texts, dates and amounts mixed: 2 times plain
- ten times as many take ten times as long, within a third

For information it also times what `judgekit score` does with the same trajectories: three modes of
calls and names under the comparators, and every argument with its reason.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from judgekit.model.comparators.catalog import comparator
from judgekit.model.expected import Expected
from judgekit.model.golden import ExpectedCall, ToolPath
from judgekit.model.scoring import ToolRules
from judgekit.scorers.trajectory.arguments import pair_calls, score_arguments, similarity_of
from judgekit.scorers.trajectory.calls import Call
from judgekit.scorers.trajectory.matching import longest_common
from judgekit.scorers.trajectory.paths import match_path, wanted_calls

SHARED = Path(__file__).resolve().parents[2] / "shared" / "bench"
MOST_TIMES, MOST_GROWTH = 2.0, 10 * 4 / 3
ROUNDS = 3
FORMS = ["iso", "%d/%m/%Y", "%B %d, %Y", "%d %b %Y"]

Work = Callable[[], object]


def plain_python() -> tuple[Any, str]:
    """Return the module of plain scorers, and its name."""
    if (SHARED / "bench_compute.py").is_file():
        sys.path.insert(0, str(SHARED))
        return importlib.import_module("bench_compute"), "shared/bench/bench_compute.py"
    return importlib.import_module("plain_scorers"), "benchmarks/plain_scorers.py"


def seconds(*works: Work, rounds: int = ROUNDS) -> list[float]:
    """Return the least processor time of each work over rounds in which they take turns."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for place, work in enumerate(works):
            started = time.process_time()
            work()
            best[place] = min(best[place], time.process_time() - started)
    return best


def bench_tools(plain: Any, name: str, n: int) -> list[dict[str, Any]]:
    """Time the ordered share of names and the share of arguments under the best pairing."""
    drawn = plain.trajectories(min(n, 20_000))
    pairs = (drawn * (n // len(drawn) + 1))[:n]

    def ours(chosen: list[Any]) -> Work:
        return lambda: [
            (
                longest_common([call[0] for call in called], [call[0] for call in expected])
                / max(1, len(expected)),
                similarity_of(expected, called),
            )
            for expected, called in chosen
        ]

    def theirs() -> object:
        return [plain.score_traj(expected, called) for expected, called in pairs]

    _same_shares(plain, drawn[:2_000])
    own, other = seconds(ours(pairs), theirs)
    (tenfold,) = seconds(ours(pairs * 10), rounds=1)
    what = f"tool matching of {n:,} trajectories"
    return [_ratio(what, own, other, name), _growth(what, own, tenfold)]


def _same_shares(plain: Any, pairs: list[Any]) -> None:
    """Stop where the two sides do not compute the same: ours may only pair better."""
    for expected, called in pairs:
        ordered, share = plain.score_traj(expected, called)
        names = [call[0] for call in called], [call[0] for call in expected]
        own = longest_common(*names) / max(1, len(expected))
        if abs(own - ordered) > 1e-9 or similarity_of(expected, called) < share - 1e-9:
            raise SystemExit("the two sides disagree on a trajectory")


def bench_whole(plain: Any, n: int) -> dict[str, Any]:
    """Time what a report needs of the same trajectories, from records to records."""
    rules, made = ToolRules(), []
    for expected, called in plain.trajectories(n):
        calls = (
            ExpectedCall(tool=tool, arguments={k: Expected(value=v) for k, v in arguments.items()})
            for tool, arguments in expected
        )
        made.append((
            ToolPath(calls=tuple(calls)),
            tuple(Call(tool, given, place) for place, (tool, given) in enumerate(called)),
        ))  # fmt: skip

    def ours() -> object:
        return [whole(path, called) for path, called in made]

    def whole(path: ToolPath, called: Any) -> object:
        wanted = wanted_calls(path, rules)
        pairs = pair_calls(wanted, called)
        return match_path("p", path, called, rules), score_arguments(wanted, called, pairs)

    (spent,) = seconds(ours)
    each = round(spent / n * 1e6, 1)
    return {"what": f"whole tool score of {n:,} trajectories", "ours_s": round(spent, 3),
            "microseconds_each": each, "kept": True}  # fmt: skip


def fields(n: int) -> dict[str, tuple[list[str], list[str]]]:
    """Return pairs of ids, texts, dates and amounts, n of each, as in bench_compute.py."""
    rng = np.random.default_rng(5)
    base = ["Acme Corp", "acme  corp", "Müller GmbH", "ＡＣＭＥ", "Paris", "New York ", "straße"]
    words = [
        [
            f"{base[i]} {j}"
            for i, j in zip(rng.integers(0, 7, n), rng.integers(0, 200, n), strict=True)
        ]
        for _ in range(2)
    ]
    days = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(n)]
    typed = [
        f"{1 + i % 28:02d}/{1 + i % 12:02d}/2024" if i % 5 == 0 else day
        for i, day in enumerate(days)
    ]
    amounts = [f"{value:.2f}" for value in rng.random(n) * 1000]
    priced = [f"${text}" if i % 5 == 0 else text for i, text in enumerate(amounts)]
    return {
        "exact": (words[0], words[1]),
        "text": (words[0], words[1]),
        "date": (days, typed),
        "number": (amounts, priced),
    }


OPTIONS: dict[str, Any] = {
    "exact": "exact",
    "text": "text",
    "date": {"kind": "date", "formats": FORMS},
    "number": {"kind": "number", "absolute": 0.01, "unit": "USD"},
}


def plain_fields(plain: Any) -> dict[str, Callable[[list[str], list[str]], object]]:
    """Return plain comparisons of two columns: the fastest of the reference for each kind."""
    text, day, number = (
        functools.lru_cache(65_536)(plain.norm_text), plain.parse_date_cached, plain.parse_num
    )  # fmt: skip
    return {
        "exact": lambda a, b: [x == y for x, y in zip(a, b, strict=True)],
        "text": lambda a, b: [x == y or text(x) == text(y) for x, y in zip(a, b, strict=True)],
        "date": lambda a, b: [day(x) == day(y) for x, y in zip(a, b, strict=True)],
        "number": lambda a, b: [
            abs(number(x) - number(y)) <= 0.01 for x, y in zip(a, b, strict=True)
        ],
    }


def our_fields(made: dict[str, Any], columns: dict[str, Any]) -> Work:
    def run() -> object:
        return [column(made[kind].decide, *columns[kind]) for kind in columns]

    def column(decide: Any, expected: list[str], found: list[str]) -> object:
        return [decide(one, other) for one, other in zip(expected, found, strict=True)]

    return run


def bench_fields(plain: Any, name: str, n: int) -> list[dict[str, Any]]:
    """Time n comparisons, a quarter of each kind, together and kind by kind."""
    columns = fields(n // 4)
    tenfold = {kind: (one * 10, other * 10) for kind, (one, other) in columns.items()}
    made = {kind: comparator(options) for kind, options in OPTIONS.items()}
    theirs = plain_fields(plain)
    own, other = seconds(
        our_fields(made, columns), lambda: [theirs[kind](*columns[kind]) for kind in columns]
    )
    (longer,) = seconds(our_fields(made, tenfold), rounds=1)
    what = f"{n:,} mixed field comparisons"
    rows = [_ratio(what, own, other, name), _growth(what, own, longer)]
    for kind in columns:
        own, other = seconds(
            our_fields(made, {kind: columns[kind]}),
            functools.partial(theirs[kind], *columns[kind]),
        )
        rows.append(
            {**_ratio(f"{n // 4:,} of {kind}", own, other, name), "most": None, "kept": True}
        )
    return rows


def _ratio(what: str, own: float, other: float, name: str) -> dict[str, Any]:
    return {
        "what": what,
        "ours_s": round(own, 3),
        "plain_s": round(other, 3),
        "plain": name,
        "times_plain": round(own / other, 2),
        "most": MOST_TIMES,
        "kept": own / other <= MOST_TIMES,
    }


def _growth(what: str, once: float, tenfold: float) -> dict[str, Any]:
    return {
        "what": f"ten times the {what}",
        "once_s": round(once, 3),
        "ten_times_s": round(tenfold, 3),
        "times_as_long": round(tenfold / once, 1),
        "most": round(MOST_GROWTH, 1),
        "kept": tenfold / once <= MOST_GROWTH,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trajectories", type=int, default=100_000)
    parser.add_argument("--comparisons", type=int, default=1_000_000)
    given = parser.parse_args()
    plain, name = plain_python()
    found = []
    for call in (
        lambda: bench_tools(plain, name, given.trajectories),
        lambda: [bench_whole(plain, given.trajectories // 10)],
        lambda: bench_fields(plain, name, given.comparisons),
    ):
        for row in call():
            found.append(row)
            print(json.dumps(row), flush=True)
    return 0 if all(row["kept"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
