"""Prices of tokens: the user's overrides first, then the offline table; unknown is None."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from judgekit.model.verdict import Usage

Price = Callable[[Usage], float | None]
_FREE = frozenset({"llamacpp", "python", "recorded", "replay"})


class PriceOverride(Protocol):
    """The price of one model in judgekit.yaml, in USD per million tokens."""

    @property
    def input_usd_per_million(self) -> float:
        """Return the price of input tokens."""
        ...

    @property
    def output_usd_per_million(self) -> float:
        """Return the price of output tokens."""
        ...

    @property
    def cached_usd_per_million(self) -> float | None:
        """Return the price of cached input tokens; None = as other input."""
        ...


def price_of(
    model: str, provider: str, overrides: Mapping[str, PriceOverride] | None = None
) -> Price | None:
    """Return a function from tokens to USD, looked up once, or None where no price is known.

    The function gives None where the provider did not say how many tokens were used.

    Example:
        >>> price_of("no-such-model", "openai") is None
        True
    """
    if provider == "replay":  # nothing is sent, whatever the model costs
        return _free
    if overrides and model in overrides:
        return _overridden(overrides[model])
    if provider in _FREE:
        return _free
    return _listed(model, provider)


def _free(usage: Usage) -> float | None:
    del usage
    return 0.0


def _overridden(price: PriceOverride) -> Price:
    cached_price = price.cached_usd_per_million

    def cost(usage: Usage) -> float | None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = (usage.cached_tokens or 0) if cached_price is not None else 0
        fresh = usage.input_tokens - cached
        total = fresh * price.input_usd_per_million + cached * (cached_price or 0.0)
        return (total + usage.output_tokens * price.output_usd_per_million) / 1e6

    return cost


def _listed(model: str, provider: str) -> Price | None:
    import genai_prices

    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(input_tokens=1, output_tokens=1), model, provider_id=provider
        )
    except LookupError:
        return None
    table: Any = found.model_price

    def cost(usage: Usage) -> float | None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        tokens = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens,
            cache_write_tokens=usage.cache_write_tokens,
        )
        return float(table.calc_price(tokens)["total_price"])

    return cost
