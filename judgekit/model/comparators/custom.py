"""A comparison of the user's own: `module:function` below the workspace."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from judgekit.errors import UsageError
from judgekit.model.comparators.base import (
    Comparator,
    Comparison,
    Decider,
    absence,
    absent,
    decision_of,
    shown,
    where_present,
)


class Custom(Comparator):
    """The answer of a function `(expected, found, **options) -> bool | None`.

    `function` is `module:name`, imported from the workspace. None means undecided; an exception is
    undecided too, with its words as the reason. It is not asked about missing and null, which match
    only themselves. The hash of scoring rules covers its code and the workspace's modules
    that it imports.
    """

    kind: Literal["custom"]
    function: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
    options: dict[str, Any] = Field(default_factory=dict)

    @cached_property
    def loaded(self) -> Callable[..., Any]:
        """Return the function.

        Raises:
            UsageError: there is no such module or function, or the module cannot be imported.
        """
        module, _, name = self.function.partition(":")
        try:
            found = getattr(importlib.import_module(module), name)
        except Exception as error:  # the user's module may raise anything
            raise UsageError(
                f"the comparison {self.function!r} cannot be loaded: "
                f"{type(error).__name__}: {error}",
                expected="module:function, importable from the workspace",
            ) from error
        if not callable(found):
            raise UsageError(f"{self.function!r} is not a function")
        return found  # type: ignore[no-any-return]

    @cached_property
    def decide(self) -> Decider:
        """Return the answer of the function, or None where it gives none."""

        def decide(expected: Any, found: Any) -> bool | None:
            return self._ask(expected, found)[0]

        return where_present(decide)

    def compare(self, expected: Any, found: Any) -> Comparison:
        """Return the decision, the credit and the reason, from one call of the function."""
        if absent(expected, found):
            return absence(expected, found)
        answer, reason = self._ask(expected, found)
        credit = None if answer is None else float(answer)
        return Comparison(decision=decision_of(answer), credit=credit, reason=reason)

    def _ask(self, expected: Any, found: Any) -> tuple[bool | None, str]:
        function = self.loaded
        try:
            answer = function(expected, found, **self.options)
        except Exception as error:  # noqa: BLE001 - the user's code may raise anything
            return None, f"{self.function} raised {type(error).__name__}: {error}"
        if answer is not None and not isinstance(answer, bool):
            return None, f"{self.function} returned {shown(answer, 60)}, not true, false or None"
        return answer, f"{self.function} said {answer}"

    def explain(self, expected: Any, found: Any) -> str:
        """Return what the function said."""
        return self._ask(expected, found)[1]
