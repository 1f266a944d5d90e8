"""Comparators under test, values that each can read, and values that none may choke on."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from judgekit.model.comparators.base import MISSING, Comparator
from judgekit.model.comparators.catalog import comparator


class Kind(NamedTuple):
    """A comparator, values that it can read, and whether its order of arguments counts."""

    options: dict[str, Any]
    readable: st.SearchStrategy[Any]
    symmetric: bool = True
    reads_expected: bool = True

    @property
    def made(self) -> Comparator:
        return comparator(self.options)

    @property
    def label(self) -> str:
        return "-".join(str(value) for value in self.options.values())[:60]


def same_length(expected: Any, found: Any) -> bool | None:
    """Compare lengths: a comparison of a user's own; raises on what has none."""
    return len(expected) == len(found)


def nested(depth: int) -> list[Any]:
    """Return lists in lists, deeper than Python's recursion goes."""
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


LETTERS = st.text(st.characters(categories=["L", "Zs", "P", "M"]), max_size=12)
ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=12)
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, allow_nan=False, allow_infinity=False, places=3).map(str),
    st.integers(-99_999, 99_999).map(lambda n: f"{n:,}"),
)
DAYS = st.dates().map(lambda day: day.isoformat())
MOMENTS = st.datetimes().map(lambda moment: moment.isoformat())
NUMBER_LIKE = st.text("0123456789.,eE+-_$ %€'\u00a0\u2212g", max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([-0.0, 1.0, 2.0]) | LETTERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LETTERS, inner, max_size=3),
    max_leaves=8,
)
WITH_NULLS = JSON | st.just(MISSING)
HOSTILE = st.recursive(
    st.none()
    | st.just(MISSING)
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | ANY_TEXT
    | NUMBERS
    | NUMBER_LIKE
    | DAYS
    | st.sampled_from(["1e999", "-1e-999", "0e999", "0.125", "1,234", "1e5 kg", "-$5", "5 %"])
    | st.sampled_from(["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "01/02/2024"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
MONSTERS: list[Any] = [
    nested(50_000), nested(500), {"a": nested(2_000)}, 10**10_000, -(10**310), 1e308, -0.0, 0,
    float("inf"), float("nan"), True, False, 1, "", " ", [], {}, None, MISSING, "\x00", "\ud800",
    "\u202eabc", "e\u0301" * 50, "\u0301" * 5_000, "x" * 200_000, "9" * 5_000, "1e999", "٣٤",
    "1_000", "0" * 100 + "5", "NaN", "2024-02-30", "2024-W01-1", "a" * 40 + "!", [1, True, 1.0],
    {"": None}, [None], [[]], "-", "+", ",", ".", "%", "$", "5 % kg", "5\n", "1.2.3", "- 5",
]  # fmt: skip

KINDS = [
    Kind({"kind": "exact"}, JSON),
    Kind({"kind": "exact", "numbers": "as_written"}, JSON),
    Kind({"kind": "exact", "case": False, "strip": False}, JSON),
    Kind({"kind": "text"}, ANY_TEXT),
    Kind({"kind": "text", "case": True, "spaces": True}, ANY_TEXT),
    Kind({"kind": "text", "accents": False, "punctuation": False}, ANY_TEXT),
    Kind({"kind": "name"}, LETTERS),
    Kind({"kind": "name", "order": "as_written", "hyphens": True}, LETTERS),
    Kind({"kind": "name", "particles": "optional", "accents": False}, LETTERS),
    Kind({"kind": "date"}, DAYS),
    Kind({"kind": "date", "formats": ["iso", "%d/%m/%Y", "%m/%d/%Y"], "tolerance_days": 3}, DAYS),
    Kind({"kind": "date", "time": True, "tolerance_s": 90}, MOMENTS),
    Kind({"kind": "date", "time": True, "timezone": "Europe/Zurich"}, MOMENTS),
    Kind({"kind": "number"}, NUMBERS),
    Kind({"kind": "number", "absolute": 0.01, "unit": "USD"}, NUMBERS),
    Kind({"kind": "number", "relative": 0.05, "decimal": "either"}, NUMBERS, symmetric=False),
    Kind({"kind": "number", "units": {"kg": 1, "g": 0.001}, "unit": "g"}, NUMBERS),
    Kind({"kind": "number", "decimal": "comma", "percent": "fraction"}, NUMBERS),
    Kind({"kind": "similarity", "threshold": 0.8}, ANY_TEXT),
    Kind({"kind": "similarity", "threshold": 0.5, "measure": "token_sort"}, ANY_TEXT),
    Kind({"kind": "list"}, st.lists(JSON, max_size=5)),
    Kind({"kind": "list", "order": "as_written", "partial": "f1"}, st.lists(JSON, max_size=5)),
    Kind(
        {"kind": "list", "items": {"kind": "number", "absolute": 1}, "partial": "jaccard"},
        st.lists(NUMBERS, max_size=5),
    ),
    Kind(
        {"kind": "list", "items": "text", "duplicates": "ignore", "separator": ","},
        st.lists(LETTERS, max_size=5),
    ),
    Kind({"kind": "pattern", "regex": "(a|b)+.*"}, JSON, symmetric=False, reads_expected=False),
    Kind(
        {"kind": "json_schema", "schema": {"type": ["object", "number"], "multipleOf": 0.5}},
        JSON,
        symmetric=False,
        reads_expected=False,
    ),
    Kind(
        {"kind": "custom", "function": "comparator_values:same_length"},
        st.lists(JSON, max_size=5),
        symmetric=False,
    ),
]
