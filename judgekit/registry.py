"""Name -> thing, loaded when first asked for, with a suggestion for a misspelt name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from judgekit.errors import UsageError

T = TypeVar("T")


class Registry(Generic[T]):
    """Hold the things of one kind by name.

    Args:
        kind: the word used in messages, such as "provider".
        group: entry point group through which third parties register, or None.

    Example:
        >>> scorers: Registry[int] = Registry("scorer")
        >>> scorers.add("one", lambda: 1)
        >>> scorers.get("one")
        1
    """

    def __init__(self, kind: str, *, group: str | None = None) -> None:
        self.kind = kind
        self._group = group
        self._loaders: dict[str, Callable[[], T]] = {}
        self._loaded: dict[str, T] = {}
        self._scanned = group is None

    def add(self, name: str, load: Callable[[], T]) -> None:
        """Register `name`; `load` is called once, when the thing is first asked for."""
        if name in self._loaders:
            raise UsageError(f"{self.kind} {name!r} is registered twice")
        self._loaders[name] = load

    def get(self, name: str) -> T:
        """Return the thing called `name`.

        Raises:
            UsageError: there is none; the message lists what exists and the nearest name.
        """
        self._scan()
        if name not in self._loaders:
            near = get_close_matches(name, self._loaders, n=1)
            raise UsageError(
                f"there is no {self.kind} called {name!r}",
                expected=", ".join(sorted(self._loaders)) or "none is registered",
                mend=f"did you mean {near[0]!r}?" if near else None,
            )
        if name not in self._loaded:
            self._loaded[name] = self._loaders[name]()
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        self._scan()
        return iter(sorted(self._loaders))

    def __contains__(self, name: object) -> bool:
        self._scan()
        return name in self._loaders

    def _scan(self) -> None:
        if self._scanned or self._group is None:
            return
        self._scanned = True
        for entry in entry_points(group=self._group):
            self._loaders.setdefault(entry.name, entry.load)
