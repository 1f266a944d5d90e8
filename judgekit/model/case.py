"""A case as scorers take it: what is expected, without who reviewed it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from judgekit.model.golden import Expectation, Golden, Name, ToolPath, Unscored, pointer_keys
from judgekit.model.item import Split, Text

_ARGUMENT_KEYS = 6
"""Parts of a pointer at one argument: paths, the path, calls, the call, arguments, the name."""


class Case(Expectation):
    """One case to score trials against: from a golden, or from a foreign file of expectations.

    `unscored` are the parts that experts disagreed on or excluded; they are listed, never scored.
    """

    id: Name
    group: str | None = None
    input: Text | None = None
    context: Text | list[Any] | None = None
    split: Split | None = None
    unscored: tuple[Unscored, ...] = ()

    @classmethod
    def of(cls, golden: Golden) -> Case:
        """Return the case of a reviewed golden."""
        return cls.model_construct(
            **{name: getattr(golden, name) for name in cls.model_fields},
        )

    @property
    def group_key(self) -> str:
        """Return the cluster key: `group`, or the id where there is none."""
        return self.group if self.group is not None else self.id

    @property
    def unscored_parts(self) -> frozenset[str]:
        """Return the pointers of the parts that are left out."""
        return frozenset(entry.part for entry in self.unscored)

    @cached_property
    def scored_paths(self) -> dict[str, ToolPath]:
        """Return the paths that calls are compared with.

        There is none where experts disagree on a whole path: a trial on it would fail the others.
        A call with an argument in dispute may have further arguments.
        """
        disputed = [pointer_keys(part) for part in self.unscored_parts]
        if any(keys[0] == "paths" and len(keys) == 2 for keys in disputed):
            return {}
        return {name: self._without_dispute(name, path) for name, path in self.paths.items()}

    @cached_property
    def disputed_arguments(self) -> frozenset[tuple[str, int, str]]:
        """Return (path, place of the call, argument) of the arguments that are left out."""
        found = [pointer_keys(part) for part in self.unscored_parts]
        return frozenset(
            (keys[1], int(keys[3]), keys[5])
            for keys in found
            if keys[0] == "paths" and len(keys) == _ARGUMENT_KEYS and keys[3].isdecimal()
        )

    @property
    def checked(self) -> bool:
        """Tell whether anything is expected that code can check."""
        return bool(self.fields or self.scored_paths or self.forbidden or self.state is not None)

    def _without_dispute(self, name: str, path: ToolPath) -> ToolPath:
        free = {place for at, place, _ in self.disputed_arguments if at == name}
        if not free:
            return path
        calls = tuple(
            call.model_copy(update={"only_these": False}) if place in free else call
            for place, call in enumerate(path.calls)
        )
        return path.model_copy(update={"calls": calls})
