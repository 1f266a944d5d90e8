"""A release: human labels frozen at one point of their history."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from judgekit.model.base import Record
from judgekit.stats.estimate import Statistic

LABELS_FILE = "labels.jsonl"
HASH_PATTERN = r"^sha256:[0-9a-f]{64}$"


class Exclusion(Record):
    """A criterion of one item that carries no label, and why."""

    item_id: str
    criterion: str
    reason: str


class EventsSeen(Record):
    """The part of one event file that a release folds: its first `lines` and their hash."""

    lines: int = Field(ge=0)
    sha256: str = Field(pattern=HASH_PATTERN)


class UnitAgreement(Record):
    """How people agreed about one criterion: all pairs of annotators who share items."""

    n_pairs: int = Field(ge=0)
    agreement: Statistic
    kappa: Statistic


class Release(Record):
    """What `dataset.yaml` keeps of one release.

    `last_seq` is the position in the label database that the log was folded at. `files` gives the
    SHA-256 of every file of the release, `replaces` that of the labels.jsonl before it, `events`
    the part of each event file that it folds (the project's lines, in their written form).
    `counts` are labels by answer and what was left out, `agreement` that among people by
    criterion.
    """

    version: str = Field(min_length=1)
    project: str
    at: AwareDatetime
    by: str
    last_seq: int = Field(ge=0)
    files: dict[str, str]
    replaces: str | None = None
    events: dict[str, EventsSeen] = Field(default_factory=dict)
    counts: dict[str, int] = Field(default_factory=dict)
    left_out: dict[str, int] = Field(default_factory=dict)
    agreement: dict[str, UnitAgreement] = Field(default_factory=dict)
    exclusions: tuple[Exclusion, ...] = ()

    @property
    def labels_hash(self) -> str | None:
        """Return the SHA-256 of the labels as they were released."""
        return self.files.get(LABELS_FILE)
