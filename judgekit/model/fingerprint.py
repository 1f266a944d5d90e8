"""The fingerprint: sha256 over everything that shapes a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.canonical import content_hash

GRADING_CODE_VERSION = 1
"""Raised by hand when a change of this package can change a verdict."""


class Fingerprint(Record):
    """The named components of a grader, each already hashed or a short plain value.

    Component names are stable words (`request`, `provider`, `endpoint`, `rubric`, `examples`,
    `tools`, `policies`, `fields`, `reasks`, `grading_code`, `weights`, `engine`, `source`,
    `goldens`, `rules`, `app_version`). Keys, paths and times are never components.
    """

    components: dict[str, str] = Field(min_length=1)

    @cached_property
    def value(self) -> str:
        """Return `sha256:<hex>` over the components."""
        return content_hash(self.components)

    def changed(self, other: Mapping[str, str]) -> tuple[str, ...]:
        """Return the sorted names of the components that differ from `other`."""
        names = set(self.components) | set(other)
        return tuple(sorted(n for n in names if self.components.get(n) != other.get(n)))
