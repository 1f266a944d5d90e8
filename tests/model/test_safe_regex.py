"""Regular expressions that cannot hang say what `re` says."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.model import safe_regex as module
from judgekit.model.safe_regex import MAX_TEXT, SafeRegex

ATOMS = ["a", "b", "A", "[ab]", "[^a]", ".", r"\w", r"\b", r"\B", "^", "$", r"\A", r"\Z", "\n"]
REPEATS = ["*", "+", "?", "{2}", "{1,2}", "{0,3}?", "*?"]
PATTERNS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: (
        st.tuples(inner, inner).map("".join)
        | st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})")
        | inner.map(lambda one: f"(?i:{one})")
        | inner.map(lambda one: f"(?s-i:{one})")
        | st.tuples(inner, st.sampled_from(REPEATS)).map(lambda two: f"({two[0]}){two[1]}")
    ),
    max_leaves=8,
)


@settings(max_examples=400, derandomize=True, database=None)
@given(
    pattern=PATTERNS,
    flags=st.sampled_from([0, re.MULTILINE, re.DOTALL, re.IGNORECASE]),
    text=st.text("abA \n", max_size=7),
)
def test_the_automaton_says_what_re_says(pattern: str, flags: int, text: str) -> None:
    automaton = module._Automaton(  # whatever the cost: short texts would go to `re`
        module._parser.parse(pattern, flags), re.compile(pattern, flags).flags
    )
    whole, part = re.fullmatch(pattern, text, flags), re.search(pattern, text, flags)
    assert automaton.accepts(text, whole=True) is (whole is not None)
    assert automaton.accepts(text, whole=False) is (part is not None)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+b", "a" * 50_000),
        ("(a|a)*b", "a" * 50_000),
        ("(a?){40}a{40}b", "a" * 60),
        (r"(\w+\s?)*!", "word " * 10_000),
        (".*.*.*=.*", "x" * 20_000),
        ("(a|b|ab)*c", "ab" * 20_000),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 20_000),
        (r"(?:\d{1,3}[.,]?)+€", "1.234" * 5_000),
    ],
)
def test_a_pattern_that_would_take_hours_takes_seconds(pattern: str, text: str) -> None:
    started = time.monotonic()
    assert SafeRegex(pattern).matches(text) is False
    assert SafeRegex(pattern).found_in(text) is False
    assert time.monotonic() - started < 20


def test_what_an_automaton_cannot_do_is_not_tried_where_it_may_take_hours() -> None:
    look_ahead = SafeRegex(r"(?=(a+)+b)a")
    assert look_ahead.found_in("aab") is True
    assert look_ahead.found_in("a" * 60) is None
    assert SafeRegex(r"(a+)+\1b").found_in("a" * 60) is None
    assert SafeRegex("((a{1,900}){1,900})*b").matches("a" * 60) is None


def test_a_plain_pattern_stays_with_re_up_to_the_longest_text() -> None:
    plain = SafeRegex(r"R-[0-9]{5}")
    assert plain.found_in("x" * (MAX_TEXT - 7) + "R-73044") is True
    assert plain._automaton is None
    assert plain.found_in("x" * MAX_TEXT + "R-73044") is None
