"""Every example in a statistic's docstring runs and gives what it says."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import judgekit.stats
from judgekit.stats.registry import Entry, statistics

MODULES = sorted(m.name for m in pkgutil.iter_modules(judgekit.stats.__path__, "judgekit.stats."))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_the_module_run(name: str) -> None:
    found = doctest.testmod(import_module(name))
    assert found.failed == 0


WORDS = {
    "its formula": ("formula:",),
    "its source": ("source:",),
    "its shapes": ("shapes:",),
    "what is undefined": ("undefined",),
    "its interval": ("interval", "bound"),
    "its weakness": ("weakness",),
    "an example": (">>>",),
}


@pytest.mark.parametrize("entry", statistics().values(), ids=lambda entry: entry.name)
def test_every_statistic_says_what_it_is_and_where_it_fails(entry: Entry) -> None:
    text = (entry.function.__doc__ or "").lower()
    missing = [what for what, words in WORDS.items() if not any(word in text for word in words)]
    assert missing == []


@pytest.mark.parametrize("entry", statistics().values(), ids=lambda entry: entry.name)
def test_every_source_names_a_year_or_says_that_there_is_none(entry: Entry) -> None:
    named = any(str(year) in entry.source for year in range(1860, 2030))
    unsigned = ("no single paper", "as `", "STATISTICS", "Bayes")
    assert named or any(words in entry.source for words in unsigned)
