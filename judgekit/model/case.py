"""A case as scorers take it: what is expected, without who reviewed it."""

from __future__ import annotations

from typing import Any

from judgekit.model.golden import Expectation, Golden, Name, Unscored
from judgekit.model.item import Split, Text


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

    @property
    def checked(self) -> bool:
        """Tell whether anything is expected that code can check."""
        return bool(self.fields or self.paths or self.forbidden or self.state is not None)
