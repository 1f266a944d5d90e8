"""An item: one case to be graded."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.trial import Trial

Split = Literal["train", "development", "holdout"]
Text = str | dict[str, Any]


class Item(Record):
    """One case to be graded.

    `input`, `output`, `context` and `reference` are a string or an object of named fields.
    `group` is the cluster key (source document, conversation, task); without it the id is the
    group. Splits never divide a group and intervals respect it. `consequential` items never pass
    the gate on a judge alone.
    """

    id: str = Field(min_length=1)
    group: str | None = None
    input: Text | None = None
    output: Text | None = None
    output_1: Text | None = None
    output_2: Text | None = None
    context: Text | list[Any] | None = None
    reference: Text | list[Any] | None = None
    trial: Trial | None = None
    split: Split | None = None
    consequential: bool = False
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def group_key(self) -> str:
        """Return the cluster key: `group`, or the id where there is none."""
        return self.group if self.group is not None else self.id

    @cached_property
    def content_hash(self) -> str:
        """Return the hash of what a grader could see: not the id, group, split or metadata."""
        seen = ("input", "output", "output_1", "output_2", "context", "reference", "trial")
        return content_hash(self.model_dump(mode="json", include=set(seen), exclude_none=True))
