"""What a law does to a question, and how two answers are compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from law_inputs import Question, Ratings
from pydantic import BaseModel

from judgekit.stats.confusion import Confusion
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import GroupedCounts
from judgekit.stats.paired import Pairs
from judgekit.stats.registry import Entry
from judgekit.stats.strata import Strata

BY_ITEM = {
    "label_counts",
    "ratings",
    "judge",
    "human",
    "length",
    "cost",
    "correct",
    "verdicts",
    "trials",
    "successes",
    "p_values",
    "outcomes",
    "baseline",
    "now",
    "judge_on_labelled",
    "judge_on_unlabelled",
    "credits",
    "group_labels",
    "values",
    "other_trials",
    "other_successes",
}
BY_GROUP = {
    "group_tables",
    "grouped_counts",
    "only_first",
    "only_second",
    "sizes",
    "strata",
    "tables",
    "judge_passes",
    "judged",
    "gains",
    "numerators",
    "denominators",
}
SIDES = {
    ("only_first", "only_second"): (1, 0),
    ("baseline_x", "baseline_n", "window_x", "window_n"): (2, 3, 0, 1),
    ("estimate", "other_estimate"): (1, 0),
    ("trials", "successes", "other_successes"): (0, 2, 1),
    ("trials", "successes", "other_trials", "other_successes"): (2, 3, 0, 1),
}
"""Where the arguments of two sides go when these change places."""


def changed(entry: Entry, asked: Question, change: Callable[[str, Any], Any]) -> Question:
    """Apply a change of (shape, argument) to every argument."""
    args = [
        change(shape, x)
        for shape, x in zip(entry.needs, asked.args[: len(entry.needs)], strict=True)
    ]
    return Question((*args, *asked.args[len(args) :]), asked.options)


def reordered(rows: Any) -> Any:
    """Put rows in one other order that depends on their number alone."""
    order = np.random.default_rng(len(rows)).permutation(len(rows))
    return type(rows)(rows[i] for i in order)


def item_order(shape: str, x: Any) -> Any:
    if shape not in BY_ITEM or isinstance(x, int | float):
        return x
    return Ratings(reordered(x.rows), x.labels) if isinstance(x, Ratings) else reordered(x)


def group_order(shape: str, x: Any) -> Any:
    if shape not in BY_GROUP:
        return x
    if isinstance(x, GroupedCounts):
        return GroupedCounts(errors=reordered(x.errors), sizes=reordered(x.sizes))
    if isinstance(x, Strata):
        return Strata(**{key: reordered(getattr(x, key)) for key in Strata.model_fields})
    return reordered(x)


def rater_order(shape: str, x: Any) -> Any:
    if isinstance(x, Ratings):
        return Ratings(tuple(reordered(row) for row in x.rows), x.labels)
    return tuple(reordered(row) for row in x) if shape == "ratings" else x


def transposed(table: Any) -> Any:
    return tuple(zip(*table, strict=True))


def swap(shape: str, x: Any) -> Any:
    if isinstance(x, Confusion):
        return Confusion(labels=x.labels, rows=transposed(x.rows))
    if isinstance(x, Pairs):
        return x.model_copy(update={"only_first": x.only_second, "only_second": x.only_first})
    if shape == "group_tables":
        return [transposed(table) for table in x]
    if shape == "count_table":
        return transposed(x)
    if shape == "gains":
        return tuple(-gain for gain in x)
    return rater_order(shape, x)


def swapped(entry: Entry, asked: Question) -> Question:
    """Let the two raters, judges or windows change places."""
    for needs, places in SIDES.items():
        if entry.needs[: len(needs)] == needs:
            first = tuple(asked.args[place] for place in places)
            return Question((*first, *asked.args[len(needs) :]), asked.options)
    return changed(entry, asked, swap)


def other_name(label: Any) -> Any:
    return f"~{label}" if isinstance(label, str) else label


def label_renaming(shape: str, x: Any) -> Any:
    if isinstance(x, Confusion):
        return Confusion(labels=tuple(map(other_name, x.labels)), rows=x.rows)
    if isinstance(x, Ratings):
        rows = tuple(tuple(map(other_name, row)) for row in x.rows)
        return Ratings(rows, tuple(map(other_name, x.labels)))
    if shape == "ratings":
        return tuple(tuple(map(other_name, row)) for row in x)
    if shape in {"labels", "judge", "group_labels"}:
        return tuple(map(other_name, x))
    return other_name(x) if shape == "label" else x


def label_order(shape: str, x: Any) -> Any:
    if isinstance(x, Confusion):
        order = list(reversed(range(len(x.labels))))
        rows = tuple(tuple(x.rows[i][j] for j in order) for i in order)
        return Confusion(labels=tuple(x.labels[i] for i in order), rows=rows)
    if isinstance(x, Ratings):
        return Ratings(x.rows, tuple(reversed(x.labels)))
    if shape == "group_tables":
        return [[list(reversed(row)) for row in reversed(table)] for table in x]
    return tuple(reversed(x)) if shape == "labels" else x


def plain(answer: Any) -> Any:
    """Return an answer without the order of its lists, its label names and its reasons' words."""
    if isinstance(answer, BaseModel):
        kept = {key: plain(getattr(answer, key)) for key in type(answer).model_fields}
        return {k: v if k != "undefined" or v is None else "for a reason" for k, v in kept.items()}
    if isinstance(answer, tuple | list | np.ndarray):
        return sorted((plain(x) for x in answer), key=lambda x: repr(rounded(x)))
    if isinstance(answer, str):
        return answer.replace("~", "")
    return answer


def rounded(x: Any) -> Any:
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    if isinstance(x, list):
        return [rounded(value) for value in x]
    return round(float(x), 7) + 0.0 if isinstance(x, float) else x


def same(one: Any, other: Any, tolerance: float) -> bool:
    """Tell whether two plain answers are equal but for rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k], tolerance) for k in one)
    if isinstance(one, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(a, b, tolerance) for a, b in pairs)
    if isinstance(one, float) and isinstance(other, float | int):
        return abs(one - other) <= tolerance * max(1.0, abs(one))
    return bool(one == other)


def numbers(answer: Any) -> list[float]:
    """Return the values and bounds of an answer, wherever they are."""
    if isinstance(answer, bool | str) or answer is None:
        return []
    if isinstance(answer, int | float):
        return [float(answer)]
    if isinstance(answer, tuple | list):
        return [x for one in answer for x in numbers(one)]
    found = []
    for key in type(answer).model_fields:
        one = getattr(answer, key)
        wanted = key in {"value", "low", "high", "class_prior", "posterior", "confusion"}
        if wanted or key in {"cumulative", "increments"} or isinstance(one, Estimate):
            found += numbers(one)
    return found


def estimates(answer: Any) -> list[Estimate]:
    """Return every estimate in an answer."""
    if isinstance(answer, Estimate):
        return [answer]
    if isinstance(answer, BaseModel):
        return [e for key in type(answer).model_fields for e in estimates(getattr(answer, key))]
    return [e for one in answer for e in estimates(one)] if isinstance(answer, tuple) else []


def is_undefined(answer: Any) -> bool:
    """Tell whether an answer says that there is none."""
    if answer is None or isinstance(answer, Undefined):
        return True
    if not isinstance(answer, BaseModel):
        return False
    inside = [getattr(answer, key) for key in type(answer).model_fields]
    says = any(isinstance(x, Undefined) for x in inside) or getattr(answer, "undefined", None)
    return bool(says) and not estimates(answer)


def finite(answer: Any) -> bool:
    return all(math.isfinite(x) for x in numbers(answer))
