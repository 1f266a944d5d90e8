"""Regular expressions that cannot hang: costly ones run on an automaton instead of `re`.

Python's `re` goes back and tries again, so that `(a+)+b` takes hours on forty letters. Whether it
may is read off the pattern beforehand; then the text is read once, letter by letter, with the set
of all places in the pattern at which the reading may be (Thompson 1968), and nothing is tried
twice. Both give the same answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from math import log10
from typing import Any, NamedTuple

MAX_TEXT = 100_000
"""Longer texts (characters) are not searched."""

MAX_TRIES = 5_000_000
"""How many tries of `re` are risked before the automaton is taken."""

MAX_STATES = 2_000
"""Places in a pattern; a larger automaton is not built, and the answer is None."""

_MAX_SETS = 5_000
"""Sets of places that are remembered before the memory of an automaton is cleared."""

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")
_ONE_LETTER = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY"})
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


class _TooMuch(Exception):
    """The pattern needs more than an automaton gives: a back reference, a look around, size."""


@lru_cache(256)
def safe_regex(pattern: str, flags: int = 0) -> SafeRegex:
    """Return the pattern, compiled once.

    Raises:
        re.error: it is no regular expression.
    """
    return SafeRegex(pattern, flags)


class SafeRegex:
    """One pattern, and whether texts match it.

    Example:
        >>> SafeRegex("(a+)+b").matches("a" * 5000), SafeRegex("b+").found_in("abbc")
        (False, True)
    """

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._compiled = re.compile(pattern, flags)
        self._tree = _parser.parse(pattern, flags)
        self._automaton: _Automaton | None = None
        self._refused = False

    def matches(self, text: str) -> bool | None:
        """Tell whether the whole text matches; None where that cannot be told in bounded time."""
        return self._answer(text, whole=True)

    def found_in(self, text: str) -> bool | None:
        """Tell whether a part of the text matches; None where it cannot be told in bounded time."""
        return self._answer(text, whole=False)

    def _answer(self, text: str, *, whole: bool) -> bool | None:
        if len(text) > MAX_TEXT:
            return None
        tries = _tries(self._tree, len(text)) * (1 if whole else len(text) + 1)
        if tries <= MAX_TRIES:
            found = self._compiled.fullmatch(text) if whole else self._compiled.search(text)
            return found is not None
        automaton = self._built()
        return None if automaton is None else automaton.accepts(text, whole=whole)

    def _built(self) -> _Automaton | None:
        if self._automaton is None and not self._refused:
            try:
                self._automaton = _Automaton(self._tree, self._compiled.flags)
            except _TooMuch:
                self._refused = True
        return self._automaton


def _tries(tree: Any, n: int) -> float:
    """Return a bound of the ways in which `re` may read up to `n` letters with a pattern."""
    tries = 1.0
    for node in tree:
        tries = min(tries * max(_tries_of(node, n), 1.0), 1e300)
    return tries


def _tries_of(node: Any, n: int) -> float:
    name, given = str(node[0]), node[1]
    if name in _REPEATS:
        least, most, body = given
        inner, times = _tries(body, n), min(int(most), n + 1)
        again = inner**times if times * log10(inner) < 300 else 1e300
        return min((times - min(int(least), times) + 1) * again, 1e300)
    if name == "BRANCH":
        return sum(_tries(branch, n) for branch in given[1])
    return _product(_inner(given), n)


def _inner(given: Any) -> list[Any]:
    """Return the patterns inside a node, however it keeps them."""
    if isinstance(given, _parser.SubPattern):
        return [given]
    return [one for part in given for one in _inner(part)] if isinstance(given, tuple) else []


def _product(trees: list[Any], n: int) -> float:
    tries = 1.0
    for tree in trees:
        tries = min(tries * _tries(tree, n), 1e300)
    return tries


class _Place(NamedTuple):
    """A place in the pattern: where it leads by reading a letter, and where by reading none.

    `test` None leads on without a letter; an anchor reads none either, but has to hold.
    """

    test: Any
    anchor: bool
    to: list[int]


class _Automaton:
    """The places of a pattern and the ways between them."""

    def __init__(self, tree: Any, flags: int) -> None:
        self.places: list[_Place] = []
        self.anchors: list[Any] = []
        self.end = self._add(None)
        self.start = self._sequence(list(tree), self.end, flags)
        self._closed: dict[Any, frozenset[int]] = {}
        self._next: dict[Any, frozenset[int]] = {}

    def accepts(self, text: str, *, whole: bool) -> bool:
        """Tell whether the text, or a part of it, is in the language."""
        now: frozenset[int] = frozenset({self.start})
        for position, letter in enumerate(text):
            here = self._reach(now, text, position)
            if not whole and self.end in here:
                return True
            now = self._step(here, letter)
            if not whole:
                now |= {self.start}
            elif not now:
                return False
        return self.end in self._reach(now, text, len(text))

    def _reach(self, now: frozenset[int], text: str, position: int) -> frozenset[int]:
        holds = tuple(test.match(text, position) is not None for test in self.anchors)
        known = self._closed.get((now, holds))
        if known is None:
            self._forget(self._closed)
            known = self._closed[now, holds] = self._closure(now, holds)
        return known

    def _closure(self, now: frozenset[int], holds: tuple[bool, ...]) -> frozenset[int]:
        seen, waiting = set(now), list(now)
        while waiting:
            place = self.places[waiting.pop()]
            if place.test is None or (place.anchor and holds[self.anchors.index(place.test)]):
                fresh = [one for one in place.to if one not in seen]
                seen.update(fresh)
                waiting += fresh
        return frozenset(seen)

    def _step(self, here: frozenset[int], letter: str) -> frozenset[int]:
        known = self._next.get((here, letter))
        if known is None:
            self._forget(self._next)
            places = (self.places[one] for one in here)
            known = self._next[here, letter] = frozenset(
                place.to[0]
                for place in places
                if place.test is not None and not place.anchor and place.test.match(letter)
            )
        return known

    @staticmethod
    def _forget(memory: dict[Any, frozenset[int]]) -> None:
        if len(memory) > _MAX_SETS:
            memory.clear()

    def _add(self, test: Any, *to: int, anchor: bool = False) -> int:
        if len(self.places) >= MAX_STATES:
            raise _TooMuch
        self.places.append(_Place(test, anchor, list(to)))
        return len(self.places) - 1

    def _sequence(self, nodes: list[Any], then: int, flags: int) -> int:
        for node in reversed(nodes):
            then = self._node(node, then, flags)
        return then

    def _node(self, node: Any, then: int, flags: int) -> int:
        name, given = str(node[0]), node[1]
        if name in _ONE_LETTER:
            return self._add(self._compiled(node, flags), then)
        if name == "AT":
            test = self._compiled(node, flags)
            self.anchors += [] if test in self.anchors else [test]
            return self._add(test, then, anchor=True)
        if name == "SUBPATTERN":
            _, added, removed, body = given
            return self._sequence(list(body), then, (flags | added) & ~removed)
        if name == "BRANCH":
            return self._add(None, *(self._sequence(list(one), then, flags) for one in given[1]))
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            return self._repeat(given, then, flags)
        raise _TooMuch

    def _repeat(self, given: Any, then: int, flags: int) -> int:
        least, most, body = given
        nodes, first = list(body), then
        if str(most) == "MAXREPEAT":
            first = self._add(None, then)
            self.places[first].to.append(self._sequence(nodes, first, flags))
        else:
            for _ in range(int(most) - int(least)):
                first = self._add(None, then, self._sequence(nodes, first, flags))
        for _ in range(int(least)):
            first = self._sequence(nodes, first, flags)
        return first

    def _compiled(self, node: Any, flags: int) -> Any:
        state = _parser.State()
        state.flags, state.str = flags, ""
        return _compiler.compile(_parser.SubPattern(state, [node]), flags)
