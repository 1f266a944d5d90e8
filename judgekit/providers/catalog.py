"""Find providers by name: the file name is the name, third parties use an entry point."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import judgekit.providers
from judgekit.providers.base import Endpoint, Provider
from judgekit.providers.recording import RecordingProvider
from judgekit.providers.replay import NAME
from judgekit.registry import Registry

BuildProvider = Callable[..., Provider]


@cache
def providers() -> Registry[BuildProvider]:
    """Return the registry of provider builders."""
    found: Registry[BuildProvider] = Registry("provider", group="judgekit.providers")
    for entry in pkgutil.iter_modules(judgekit.providers.__path__):
        module = import_module(f"judgekit.providers.{entry.name}")
        if hasattr(module, "build_provider"):
            found.add(entry.name, _loader(module))
    return found


def _loader(module: Any) -> Callable[[], BuildProvider]:
    def load() -> BuildProvider:
        build: BuildProvider = module.build_provider
        return build

    return load


def load_provider(name: str, endpoint: Endpoint, *, weights: str | None = None) -> Provider:
    """Return the provider called `name` for `endpoint`.

    Args:
        name: as in judgekit.yaml, such as `openai`.
        endpoint: where requests go; with a `cassette` every reply is kept there.
        weights: path of a GGUF file for a local model; None = the bundled default.

    Raises:
        UsageError: there is no such provider.
    """
    provider = providers().get(name)(endpoint, weights=weights)
    if endpoint.cassette is None or name == NAME:
        return provider
    return RecordingProvider(provider, Path(endpoint.cassette))
