"""Find a comparator by the kind that a scoring file names."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

from pydantic import BeforeValidator, SerializeAsAny, ValidationError

import judgekit.model.comparators as package
from judgekit.errors import InputError, JudgekitError
from judgekit.model.comparators.base import Comparator
from judgekit.registry import Registry

_NO_KIND = frozenset({"base", "catalog", "matching", "words"})


@cache
def comparators() -> Registry[type[Comparator]]:
    """Return the registry of comparator classes: the files of this package, and entry points."""
    registry: Registry[type[Comparator]] = Registry("comparator", group="judgekit.comparators")
    for entry in pkgutil.iter_modules(package.__path__):
        if entry.name not in _NO_KIND:
            registry.add(entry.name, _loader(entry.name))
    return registry


def comparator(options: str | Mapping[str, Any]) -> Comparator:
    """Return the comparator that options such as `{"kind": "number", "absolute": 0.01}` describe.

    A text is a kind without options.

    Raises:
        UsageError: there is no such kind.
        InputError: an option is unknown or has a wrong value.

    Example:
        >>> comparator("exact").decide(1, True)
        False
    """
    given = {"kind": options} if isinstance(options, str) else dict(options)
    kind = given.get("kind")
    if not isinstance(kind, str):
        raise InputError(
            "a comparator has no kind", found=repr(dict(given)), expected="kind: exact, text, ..."
        )
    chosen = comparators().get(kind)
    try:
        return chosen.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "its options"
        raise InputError(
            f"comparator {kind!r}: {key}: {_words(first)}",
            found=repr(first["input"]),
            expected=", ".join(field.alias or key for key, field in chosen.model_fields.items()),
        ) from error


def _words(fault: Any) -> str:
    """Return what pydantic says of a fault, without its own name for it."""
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    return str(fault["msg"]).replace("Input should be ", "expected ")


def _parsed(value: Any) -> Any:
    if isinstance(value, Comparator):
        return value
    if not isinstance(value, str | Mapping):
        raise ValueError("a comparator: its kind, or kind and options")
    try:
        return comparator(value)
    except JudgekitError as error:
        expected = f"; expected {error.expected}" if error.expected else ""
        raise ValueError(f"{error.message}{expected}") from error


AnyComparator = Annotated[SerializeAsAny[Comparator], BeforeValidator(_parsed)]
"""A field of a record that holds a comparator, given as its kind or as kind and options."""


def _loader(name: str) -> Any:
    def load() -> type[Comparator]:
        module = import_module(f"{package.__name__}.{name}")
        found = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Comparator)
            and value.__module__ == module.__name__
        ]
        return found[0]

    return load
