"""What each kind of comparator takes as the same, with values worked out by other means."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import UsageError
from judgekit.model.comparators.base import MISSING
from judgekit.model.comparators.catalog import comparator
from judgekit.model.comparators.words import fold

EXAMPLES = settings(max_examples=200, derandomize=True, database=None)
US_EU = {"kind": "date", "formats": ["%d/%m/%Y", "%m/%d/%Y", "iso"]}


def decided(options: Any, expected: Any, found: Any) -> bool | None:
    return comparator(options).decide(expected, found)


# Text and names


@EXAMPLES
@given(st.text(st.characters(exclude_categories=[]), max_size=20))
def test_folding_a_folded_text_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("options", "expected", "found", "same"),
    [
        ({}, "New  York\n", "new york", True),
        ({}, "ＡＣＭＥ", "acme", True),
        ({}, "straße", "STRASSE", True),
        ({}, "café", "cafe\u0301", True),
        ({}, "café", "cafe", False),
        ({}, "a-b", "a b", False),
        ({"accents": False}, "Zoë", "zoe", True),
        ({"accents": False}, "Łuk", "Luk", False),
        ({"punctuation": False}, "a-b, c!", "A B C", True),
        ({"case": True}, "Paris", "paris", False),
        ({"spaces": True}, "a  b", "a b", False),
        ({}, "שלום", "שלום", True),
        ({}, "5", 5, False),
        ({}, "", "", True),
    ],
)
def test_text(options: dict[str, Any], expected: Any, found: Any, same: bool) -> None:
    assert decided({"kind": "text", **options}, expected, found) is same


@pytest.mark.parametrize(
    ("options", "expected", "found", "same"),
    [
        ({}, "Doe, Anne-Marie", "Anne Marie Doe", True),
        ({}, "Jane Doe", "Doe Jane", True),
        ({}, "Jane Doe", "Jane Doe Doe", False),
        ({}, "O'Brien, Pat", "pat o’brien", True),
        ({}, "J. Doe", "Jane Doe", False),
        ({}, "José Núñez", "Jose Nunez", False),
        ({"accents": False}, "José Núñez", "Jose Nunez", True),
        ({"order": "as_written"}, "Doe, Jane", "Jane Doe", True),
        ({"order": "as_written"}, "Doe Jane", "Jane Doe", False),
        ({"hyphens": True}, "Anne-Marie Doe", "Anne Marie Doe", False),
        ({"hyphens": True}, "Anne‐Marie Doe", "anne-marie doe", True),
        ({}, "Vincent van Gogh", "Vincent Gogh", False),
        ({"particles": "optional"}, "Vincent van Gogh", "Gogh, Vincent", True),
        ({"particles": "optional"}, "De La", "de la", True),
    ],
)
def test_names(options: dict[str, Any], expected: str, found: str, same: bool) -> None:
    assert decided({"kind": "name", **options}, expected, found) is same


# Dates


@EXAMPLES
@given(st.dates(date(1, 1, 1), date(9999, 12, 31)))
def test_a_date_is_undecided_exactly_where_day_and_month_can_change_places(day: date) -> None:
    text = f"{day.day:02}/{day.month:02}/{day.year:04}"
    unclear = day.day <= 12 and day.day != day.month
    assert decided(US_EU, day.isoformat(), text) is (None if unclear else True)
    compared = comparator(US_EU).compare(day.isoformat(), text)
    assert ("two readings" in compared.reason) is unclear
    one_form = {"kind": "date", "formats": ["%d/%m/%Y", "iso"]}
    assert decided(one_form, day.isoformat(), text) is True


@EXAMPLES
@given(st.dates(date(2, 1, 1), date(9998, 1, 1)), st.integers(-9, 9), st.integers(0, 5))
def test_days_are_within_their_tolerance(day: date, away: int, room: int) -> None:
    other = (day + timedelta(days=away)).isoformat()
    options = {"kind": "date", "tolerance_days": room}
    assert decided(options, day.isoformat(), other) is (abs(away) <= room)


ZURICH = {"kind": "date", "time": True, "timezone": "Europe/Zurich"}


@pytest.mark.parametrize(
    ("options", "expected", "found", "same"),
    [
        (ZURICH, "2026-11-05T12:00:00", "2026-11-05T11:00:00Z", True),
        (ZURICH, "2026-07-05T12:00:00", "2026-07-05T10:00:00Z", True),
        (ZURICH, "2026-11-05", "2026-11-04T23:00:00Z", True),
        # The last Sunday of October 2026: the clocks show 02:30 twice, first as +02:00.
        (ZURICH, "2026-10-25T00:30:00Z", "2026-10-25T02:30:00", None),
        (ZURICH, "2026-10-25T01:30:00Z", "2026-10-25T02:30:00", None),
        # The last Sunday of March 2026: the clocks skip 02:30.
        (ZURICH, "2026-03-29T01:30:00Z", "2026-03-29T02:30:00", False),
        ({"time": True}, "2026-11-05T12:00:00Z", "2026-11-05T12:00:00", None),
        ({"time": True}, "2026-11-05T12:00:00Z", "2026-11-05T13:00:00+01:00", True),
        ({"time": True, "tolerance_s": 60}, "2026-11-05T12:00:00", "2026-11-05T12:01:00", True),
        ({"time": True, "tolerance_s": 60}, "2026-11-05T12:00:00", "2026-11-05T12:01:01", False),
        ({"timezone": "Asia/Tokyo"}, "2026-11-06", "2026-11-05T20:00:00Z", True),
        ({"timezone": "Asia/Tokyo"}, "0001-01-01", "9999-12-31T23:59:59Z", False),
        ({}, "2026-02-28", "2026-02-30", False),
        ({}, "2026-02-28", "28.02.2026", False),
        ({}, "28.02.2026", "2026-02-28", None),
        ({}, "2026-02-28", 20260228, False),
    ],
)
def test_moments(options: dict[str, Any], expected: str, found: Any, same: bool | None) -> None:
    assert decided({"kind": "date", **options}, expected, found) is same


# Numbers


@EXAMPLES
@given(
    expected=st.decimals(-1000, 1000, places=3),
    found=st.decimals(-1000, 1000, places=3) | st.just("same"),
    nudge=st.integers(-20, 20),
    absolute=st.sampled_from([0, 0.001, 0.005, 0.01, 1, 250]),
    relative=st.sampled_from([0, 0.01, 0.05, 0.5]),
)
def test_the_tolerance_is_that_of_exact_fractions(
    expected: Any, found: Any, nudge: int, absolute: float, relative: float
) -> None:
    other = expected + nudge * type(expected)("0.001") if found == "same" else found
    wanted, got = Fraction(str(expected)), Fraction(str(other))
    room = max(Fraction(str(absolute)), abs(wanted) * Fraction(str(relative)))
    options = {"kind": "number", "absolute": absolute, "relative": relative}
    for value in (str(other), float(other)):
        assert decided(options, str(expected), value) is (abs(wanted - got) <= room)


@EXAMPLES
@given(st.integers(-(10**9), 10**9))
def test_a_number_reads_the_same_however_it_is_grouped(cents: int) -> None:
    plain = f"{cents // 100 if cents >= 0 else -(-cents // 100)}.{abs(cents) % 100:02}"
    if cents < 0 and not plain.startswith("-"):
        plain = f"-{plain}"
    value = Fraction(cents, 100)
    point = f"{float(value):,.2f}" if abs(cents) < 10**14 else plain
    comma = point.translate(str.maketrans(",.", ".,"))
    assert decided({"kind": "number"}, plain, point) is True
    assert decided({"kind": "number"}, plain, point.replace(",", "'")) is True
    assert decided({"kind": "number", "decimal": "comma"}, cents / 100, comma) is True
    assert decided({"kind": "number", "decimal": "comma"}, cents / 100, f"{comma} %") is True
    hard = comma.replace(".", "\u202f")
    assert decided({"kind": "number", "decimal": "comma"}, cents / 100, hard) is True


EURO = {"decimal": "comma", "unit": "EUR"}
KILOGRAM = {"unit": "kg", "units": {"kg": 1, "g": 0.001, "lb": 0.45359237}}


@pytest.mark.parametrize(
    ("options", "expected", "found", "same"),
    [
        ({}, 5, "5.0", True),
        ({}, 5, True, False),
        ({}, 1, "1,000", False),
        ({}, 1000, "1,000", True),
        ({}, 0.5, "0,5", False),
        ({"decimal": "comma"}, 0.5, "0,5", True),
        ({"decimal": "comma"}, 125, "0.125", False),
        ({"decimal": "comma"}, 1234.5, "1.234,50", True),
        ({"decimal": "either"}, 1234, "1,234", None),
        ({"decimal": "either"}, 1234.5, "1,234.50", True),
        ({"decimal": "either"}, 0.5, "0,500", True),
        ({}, 12, "12 %", True),
        ({"percent": "fraction"}, 0.12, "12 %", True),
        ({"percent": "fraction"}, 12, "12%", False),
        ({"unit": "%"}, 12, "12 %", True),
        ({**EURO, "absolute": 0.01}, 165.95, "165,95 €", True),
        (EURO, 165.95, "EUR 165,95", True),
        (EURO, 5, "5 USD", False),
        (EURO, 5, "$5", False),
        ({"unit": "USD"}, -5, "-$5.00", True),
        ({"unit": "USD"}, -5, "$-5.00", True),
        ({"unit": "USD"}, -5, "\u22125 USD", True),
        ({"unit": "USD"}, 5, "--5", False),
        ({}, 5, "5 kg", False),
        (KILOGRAM, 2, "2000 g", True),
        (KILOGRAM, "1 lb", "453.59237 g", True),
        (KILOGRAM, 2, "2 stone", False),
        ({}, 10**30, str(10**30 + 1), False),
        ({}, "12345678901234567890123456789012", "12345678901234567890123456789013", False),
        ({}, 0.1, "0.1", True),
        ({"absolute": 0.1}, 0.3, 0.2, True),
        ({}, 5, "1e999", False),
        ({}, 5, "5 or 6", False),
        ({}, 0, -0.0, True),
        ({}, 37.85, "", False),
        ({}, "12 or so", 12, None),
    ],
)
def test_numbers(options: dict[str, Any], expected: Any, found: Any, same: bool | None) -> None:
    assert decided({"kind": "number", **options}, expected, found) is same


# Lists

LETTERS = st.lists(st.sampled_from("abcd"), max_size=7)


@EXAMPLES
@given(expected=LETTERS, found=LETTERS)
def test_lists_are_multisets_or_sets_or_sequences(expected: list[str], found: list[str]) -> None:
    shared = (Counter(expected) & Counter(found)).total()
    assert decided("list", expected, found) is (sorted(expected) == sorted(found))
    as_set = {"kind": "list", "duplicates": "ignore"}
    assert decided(as_set, expected, found) is (set(expected) == set(found))
    assert decided({"kind": "list", "order": "as_written"}, expected, found) is (expected == found)
    joined = len(expected) + len(found) - shared
    stated = {
        "recall": (shared, len(expected)),
        "precision": (shared, len(found)),
        "f1": (2 * shared, len(expected) + len(found)),
        "jaccard": (shared, joined),
    }
    for partial, (over, under) in stated.items():
        credit = comparator({"kind": "list", "partial": partial}).credit(expected, found)
        whole = sorted(expected) == sorted(found)
        assert credit == (1 if whole else over / under if under else 0)


@EXAMPLES
@given(expected=LETTERS, found=LETTERS, place=st.integers(0, 7), order=st.randoms())
def test_a_wrong_element_never_helps_and_more_elements_never_lower_recall(
    expected: list[str], found: list[str], place: int, order: Any
) -> None:
    def credit(partial: str, given: list[str]) -> float:
        answer = comparator({"kind": "list", "partial": partial}).credit(expected, given)
        assert answer is not None
        return answer

    wrong = [*found[:place], "z", *found[place:]]
    for partial in ("precision", "f1", "jaccard"):
        assert credit(partial, wrong) <= credit(partial, found)
    for extra in ("z", "a") if expected else ():
        assert credit("recall", [*found, extra]) >= credit("recall", found)
    assert credit("recall", found) == (not found) or expected  # of nothing, only nothing is right
    mixed = list(found)
    order.shuffle(mixed)
    assert credit("f1", mixed) == credit("f1", found)


@EXAMPLES
@given(
    expected=st.lists(st.integers(0, 12), max_size=7),
    found=st.lists(st.integers(0, 12), max_size=7),
)
def test_elements_with_room_are_paired_so_that_most_match(
    expected: list[int], found: list[int]
) -> None:
    """The largest matching is scipy's (Hopcroft and Karp 1973)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    made = comparator({"kind": "list", "items": {"kind": "number", "absolute": 1}})
    counts = made.counts(expected, found)  # type: ignore[attr-defined]
    if not expected or not found:
        assert counts.matched == 0
        return
    table = [[int(abs(one - other) <= 1) for other in found] for one in expected]
    pairs = maximum_bipartite_matching(csr_array(table), perm_type="column")
    assert counts == (int((pairs >= 0).sum()), len(expected), len(found))


def test_a_list_is_undecided_only_where_an_undecided_element_matters() -> None:
    days = {"kind": "list", "items": US_EU}
    assert decided(days, ["2026-02-01"], ["01/02/2026"]) is None
    assert decided(days, ["2026-02-01"], ["01/02/2026", "2026-05-05"]) is False
    assert decided(days, ["2026-02-01", "2026-01-02"], ["01/02/2026", "02/01/2026"]) is None
    assert decided(days, ["2026-02-01"], ["soon"]) is False
    assert "undecided" in comparator(days).compare(["2026-02-01"], ["01/02/2026"]).reason
    numbers = {"kind": "list", "items": "number", "duplicates": "ignore"}
    assert decided(numbers, [1], ["x", "y"]) is False
    assert decided(numbers, ["x"], [1]) is None
    assert comparator({"kind": "list", "items": "text"}).misfit(["a", None]) is None
    assert decided({"kind": "list", "separator": ","}, ["a", "b"], "b, a,") is True


def test_long_lists_of_texts_are_compared_by_their_readings() -> None:
    """Twenty thousand ids: pairing each with each would be 400 million comparisons."""
    ids = [f"R-{number}" for number in range(20_000)]
    assert decided("list", ids, ids[::-1]) is True
    assert decided({"kind": "list", "items": "text"}, ids, [one.lower() for one in ids]) is True
    assert comparator({"kind": "list", "partial": "recall"}).credit(ids, ids[:5_000]) == 0.25


# Exact, pattern, schema, similarity, custom


def test_exact_holds_kinds_apart() -> None:
    assert decided("exact", 1, True) is False
    assert decided("exact", [0, {"a": 1}], [False, {"a": 1}]) is False
    assert decided("exact", 5, 5.0) is True
    assert decided({"kind": "exact", "numbers": "as_written"}, [5], [5.0]) is False
    assert decided("exact", "5", 5) is False
    assert decided("exact", {"a": 1, "b": 2}, {"b": 2, "a": 1}) is True
    assert decided("exact", [1, 2], [2, 1]) is False
    assert decided("exact", " A ", "A") is True
    assert decided({"kind": "exact", "case": False}, "Paid", "PAID") is True


def test_the_threshold_of_a_similarity_is_reached_by_equality() -> None:
    """1 - 8/10 is less than 0.2 in binary; two of ten letters shared are 0.2."""
    near = {"kind": "similarity", "threshold": 0.2}
    assert decided(near, "abcde", "axyzw") is True
    assert decided({**near, "threshold": 0.21}, "abcde", "axyzw") is False
    words = {"kind": "similarity", "threshold": 1, "measure": "token_sort"}
    assert decided(words, "desk lamp", "Lamp  DESK") is True
    assert decided(near, "x" * 100_001, "x") is None
    assert "0.200" in comparator(near).compare("abcde", "axyzw").reason


def test_a_pattern_looks_at_the_found_text_only() -> None:
    order = {"kind": "pattern", "regex": "R-[0-9]{5}"}
    assert decided(order, "any", "R-73044") is True
    assert decided(order, "any", "see R-73044") is False
    assert decided({**order, "where": "inside"}, "any", "see R-73044") is True
    assert decided(order, "any", 73044) is False
    assert decided({"kind": "pattern", "regex": "(a+)+b"}, "any", "a" * 200_000) is False


def test_a_schema_that_cannot_be_applied_is_undecided() -> None:
    far = {"$ref": "https://example.org/no-such.json"}
    compared = comparator({"kind": "json_schema", "schema": far}).compare("x", 1)
    assert (compared.decision, compared.credit) == ("undecided", None)
    ahead = {"type": "string", "pattern": "(?=a)"}
    compared = comparator({"kind": "json_schema", "schema": ahead}).compare("x", "a")
    assert (compared.decision, "RE2" in compared.reason) == ("undecided", True)
    slow = {"type": "string", "pattern": "^(a+)+$"}
    assert decided({"kind": "json_schema", "schema": slow}, "x", "a" * 30_000 + "!") is False
    assert decided({"kind": "json_schema", "schema": {"type": "null"}}, "x", None) is True
    assert decided({"kind": "json_schema", "schema": {}}, "x", MISSING) is False
    reason = (
        comparator({"kind": "json_schema", "schema": {"type": "object"}}).compare("x", 3).reason
    )
    assert "object" in reason


def three_ways(expected: Any, found: Any, limit: int = 0) -> Any:
    if found == "raise":
        raise LookupError("no such order")
    return {"unsure": None, "word": "yes"}.get(found, len(found) > limit)


def test_a_custom_function_may_say_yes_no_or_nothing() -> None:
    name = f"{three_ways.__module__}:{three_ways.__name__}"
    made = comparator({"kind": "custom", "function": name, "options": {"limit": 2}})
    assert [made.decide("x", found) for found in ("long", "ab", "unsure")] == [True, False, None]
    assert made.compare("x", "raise").decision == "undecided"
    assert "LookupError: no such order" in made.compare("x", "raise").reason
    assert "'yes'" in made.compare("x", "word").reason
    assert made.decide(None, None) is True
    with pytest.raises(UsageError, match="no_such_module"):
        comparator({"kind": "custom", "function": "no_such_module:f"}).decide("x", "y")
