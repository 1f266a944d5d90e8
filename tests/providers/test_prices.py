from __future__ import annotations

import pytest

from judgekit.model.verdict import Usage
from judgekit.providers.prices import price_of


class Override:
    input_usd_per_million = 2.0
    output_usd_per_million = 10.0
    cached_usd_per_million = 0.5


def test_a_listed_price_is_that_of_the_table():
    price = price_of("gpt-4o-mini", "openai")
    assert price is not None
    assert price(Usage(input_tokens=1000, output_tokens=100)) == pytest.approx(0.00021)


def test_an_override_wins_and_counts_cached_tokens_apart():
    price = price_of("gpt-4o-mini", "openai", {"gpt-4o-mini": Override()})
    assert price is not None
    found = price(Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000))
    assert found == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 1.0)


def test_unknown_is_none_and_never_zero():
    assert price_of("no-such-model", "openai") is None
    price = price_of("gpt-4o-mini", "openai")
    assert price is not None
    assert price(Usage()) is None


def test_a_local_model_costs_nothing():
    price = price_of("gemma-3-270m", "llamacpp")
    assert price is not None
    assert price(Usage()) == 0.0
