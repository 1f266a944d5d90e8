"""Regular expressions: what `re` says where both know the syntax, and never for hours."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.model.regex import LinearRegex, checked_regex, linear_regex

ATOMS = ["a", "b", "A", "[ab]", "[^a]", ".", r"\w", r"\b", "^", r"\A", r"\d", "é", "\n"]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,3}?", "*?"]
PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})")
        | inner.map(lambda one: f"(?i:{one})")
        | st.tuples(inner, st.sampled_from(REPEATS)).map(lambda two: f"({two[0]}){two[1]}")
    ),
    max_leaves=8,
)


@settings(max_examples=400, derandomize=True, database=None)
@given(pattern=PATTERNS, ignore_case=st.booleans(), text=st.text("abA1é \n", max_size=7))
def test_it_says_what_re_says_with_ascii_classes(
    pattern: str, ignore_case: bool, text: str
) -> None:
    flags = re.ASCII | (re.IGNORECASE if ignore_case else 0)
    mine = LinearRegex(pattern, ignore_case=ignore_case)
    assert mine.matches(text) is (re.fullmatch(pattern, text, flags) is not None)
    assert mine.found_in(text) is (re.search(pattern, text, flags) is not None)
    assert mine.found_in(text) is (mine.first_in(text) is not None)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+b", "a" * 50_000),
        ("(a|a)*b", "a" * 50_000),
        ("(a?){40}a{40}b", "a" * 60),
        (r"(\w+\s?)*!", "word " * 10_000),
        (".*.*.*=.*", "x" * 500_000),
        ("(a|b|ab)*c", "ab" * 20_000),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 20_000),
        (r"(?:\d{1,3}[.,]?)+€", "1.234" * 5_000),
    ],
)
def test_a_pattern_that_would_take_hours_takes_seconds(pattern: str, text: str) -> None:
    started = time.monotonic()
    assert LinearRegex(pattern).matches(text) is False
    assert LinearRegex(pattern).found_in(text) is False
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "missing )"),
        ("(?=a)b", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        (r"a\Z", "invalid escape sequence"),
        ("(a{1,900}){1,900}", "repetition size"),
        ("a\ud800", "surrogates"),
    ],
)
def test_what_is_no_expression_of_re2_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        checked_regex(pattern)


def test_texts_beyond_ascii_and_broken_ones_are_read() -> None:
    assert linear_regex("für .").first_in("das ist für 🙂!") == "für 🙂"
    assert linear_regex("É", ignore_case=True).found_in("é")
    assert linear_regex("x.y").first_in("ax\ud800yb") == "x\ud800y"
