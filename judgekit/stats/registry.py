"""Every statistic by name, with what it takes, what it promises and where it comes from."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast, get_args

from judgekit.stats.checks import guard

Law = Literal[
    "item_order",
    "rater_order",
    "group_order",
    "swap",
    "swap_negates",
    "label_renaming",
    "label_order",
    "range",
    "interval_holds_value",
    "empty_is_undefined",
    "monotone",
]
LAWS: tuple[str, ...] = get_args(Law)
"""The laws that a statistic may declare; `tests/laws` checks each against random data.

item_order: the order of the items changes nothing. rater_order: nor does that of the raters.
group_order: nor does that of groups, strata or clusters. swap: the two raters (judges, windows)
may change places. swap_negates: changing places turns the sign. label_renaming: other words for
the labels, in the same order, change nothing. label_order: nor does another order of them.
range: the value and the bounds lie in `range` (but for a bound that the docstring says is not
cut). interval_holds_value: low <= value <= high.
empty_is_undefined: no data gives `Undefined` (or a record that says so), never a number.
monotone: more errors never lower the result.
"""

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """A registered statistic.

    `range` is the closed range of its value and bounds, None where it has none (a decision, a
    list of labels). `needs` names the shapes of its positional arguments. `symmetric` tells
    whether the raters may change places, None where there are not two. `source` is the text after
    "Source:" in the docstring.
    """

    name: str
    function: Callable[..., Any]
    kind: str
    symmetric: bool | None
    range: tuple[float, float] | None
    needs: tuple[str, ...]
    laws: tuple[Law, ...]
    source: str

    @property
    def path(self) -> str:
        """Return where the function lives, such as `judgekit.stats.agreement.cohen_kappa`."""
        return f"{self.function.__module__}.{self.function.__qualname__}"


_ENTRIES: dict[str, Entry] = {}


def statistic(
    name: str,
    *,
    kind: str,
    symmetric: bool | None = None,
    range: tuple[float, float] | None = None,
    needs: tuple[str, ...] = (),
    laws: tuple[Law, ...] = (),
) -> Callable[[_Function], _Function]:
    """Register the decorated function and let it refuse what it cannot take.

    Arguments are checked by `judgekit.stats.checks.guard` before each call: a wrong type, shape
    or word, numbers that are not finite, and levels outside (0, 1/2) or (0, 1) are a ValueError.
    The kind "interval" checks its `tail`, which may be 0. `symmetric` adds the law "swap".

    Raises:
        ValueError: the name is taken by another function, or a law is not one of `LAWS`.

    Example:
        >>> statistics()["holm"].kind
        'multiplicity'
    """
    _refuse_unknown_laws(name, laws)

    def register(function: _Function) -> _Function:
        function = _guarded(name, kind, function)
        entry = Entry(
            name=name,
            function=function,
            kind=kind,
            symmetric=symmetric,
            range=range,
            needs=needs,
            laws=_all_laws(laws, symmetric, range),
            source=_source_of(function.__doc__ or ""),
        )
        _enter(entry)
        return function

    return register


def _refuse_unknown_laws(name: str, laws: tuple[Law, ...]) -> None:
    unknown = [law for law in laws if law not in LAWS]
    if unknown:
        raise ValueError(f"{name}: there is no law called {unknown[0]!r}")


def _enter(entry: Entry) -> None:
    known = _ENTRIES.get(entry.name)
    if known is not None and known.path != entry.path:
        raise ValueError(f"{entry.name}: registered by {known.path} and by {entry.path}")
    _ENTRIES[entry.name] = entry


def _guarded(name: str, kind: str, function: _Function) -> _Function:
    """Return the function behind a guard that refuses what it cannot take."""
    check = guard(name, function, levels=kind != "interval")

    @wraps(function)
    def checked(*args: Any, **options: Any) -> Any:
        check(*args, **options)
        return function(*args, **options)

    return cast("_Function", checked)


def _all_laws(
    laws: tuple[Law, ...], symmetric: bool | None, range_: tuple[float, float] | None
) -> tuple[Law, ...]:
    implied: tuple[tuple[bool, Law], ...] = (
        (bool(symmetric), "swap"),
        (range_ is not None, "range"),
    )
    return laws + tuple(law for due, law in implied if due and law not in laws)


def _source_of(docstring: str) -> str:
    """Return the paragraph's text after "Source:", in one line; empty where there is none."""
    _, found, rest = cleandoc(docstring).partition("Source:")
    return " ".join(rest.split("\n\n")[0].split()) if found else ""


def statistics() -> Mapping[str, Entry]:
    """Return all statistics by name, after loading every module of `judgekit.stats`.

    Example:
        >>> statistics()["cohen_kappa"].range
        (-1.0, 1.0)
    """
    import judgekit.stats as package

    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        import_module(module.name)
    return MappingProxyType(dict(sorted(_ENTRIES.items())))
