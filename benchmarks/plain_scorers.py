"""Scoring as one would write it by hand, without judgekit: what the benchmark compares with.

Used where ../shared/bench/bench_compute.py, which does the same, is not there.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from datetime import date, datetime
from typing import Any

import numpy as np

Calls = list[tuple[str, dict[str, Any]]]


def score_traj(expected: Calls, called: Calls) -> tuple[float, float]:
    """Return the share of names in order, and of arguments under a greedy pairing."""
    ordered = _lcs([name for name, _ in expected], [name for name, _ in called])
    left: dict[str, list[dict[str, Any]]] = {}
    for name, arguments in called:
        left.setdefault(name, []).append(arguments)
    total = 0.0
    for name, arguments in expected:
        choices = left.get(name)
        if choices:
            best = max(range(len(choices)), key=lambda at: _share(arguments, choices[at]))
            total += _share(arguments, choices.pop(best))
    return ordered / max(len(expected), 1), total / max(len(expected), 1)


def _lcs(one: list[str], other: list[str]) -> int:
    if one == other:
        return len(one)
    before = [0] * (len(other) + 1)
    for name in one:
        row = [0]
        for place, found in enumerate(other):
            row.append(before[place] + 1 if name == found else max(before[place + 1], row[place]))
        before = row
    return before[-1]


def _share(expected: dict[str, Any], called: dict[str, Any]) -> float:
    equal = sum(1 for key, value in expected.items() if key in called and called[key] == value)
    keys = len(expected.keys() | called.keys())
    return equal / keys if keys else 1.0


def trajectories(n: int) -> list[tuple[Calls, Calls]]:
    """Return pairs of expected and made calls, three to seven each."""
    rng = np.random.default_rng(4)
    names = ["search", "open_file", "edit", "run_tests", "refund", "lookup_order"]

    def call(**more: Any) -> tuple[str, dict[str, Any]]:
        return names[rng.integers(6)], {"id": int(rng.integers(50)), "q": "abc", **more}

    found = []
    for place in range(n):
        expected = [call(n=place % 7) for _ in range(3 + place % 5)]
        called = [one if rng.random() < 0.8 else call() for one in expected]
        found.append((expected, called[::-1] if place % 4 == 0 else called))
    return found


def norm_text(text: str) -> str:
    """Return the text in NFKC, folded, with single blanks."""
    if text.isascii():
        return " ".join(text.split()).lower()
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@functools.lru_cache(65_536)
def parse_date_cached(text: str) -> date | None:
    """Return the day under ISO or one of three forms."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        for form in ("%d/%m/%Y", "%B %d, %Y", "%d %b %Y"):
            try:
                return datetime.strptime(text, form).date()
            except ValueError:
                continue
    return None


_NO_NUMBER = re.compile(r"[^\d.eE+-]")


def parse_num(text: str) -> float | None:
    """Return the number, whatever stands around it."""
    try:
        return float(text)
    except ValueError:
        try:
            return float(_NO_NUMBER.sub("", text))
        except ValueError:
            return None
