"""Records of one annotator's work. None of them can hold what another person answered."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, Field, model_validator

from judgekit.model.base import Record
from judgekit.model.item import Item

UNSURE = "unsure"


class Span(Record):
    """Evidence: `quote` = the field's text from code point `start` up to `end`.

    `field` is `output`, `input.customer`, `context.policy`, `trial.messages.0.content` ...
    """

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    quote: str
    field: str
    item_hash: str

    @model_validator(mode="after")
    def _length(self) -> Span:
        if self.end - self.start != len(self.quote):
            raise ValueError("end - start must be the quote's length in code points")
        return self


class Answer(Record):
    """One whole answer about one item, as the annotator sees it (sides of a pair as shown).

    `label` answers `_overall`: a label of the schema, `unsure`, or None where only criteria are
    asked. `criteria` maps criterion ids to pass, fail or unsure.
    """

    label: str | None = None
    failure_mode: str | None = None
    criteria: dict[str, str] = Field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    note: str | None = None


class Draft(Record):
    """Half-typed work that survives reload and kill: any JSON object the page needs."""

    body: dict[str, Any]
    at: AwareDatetime


class Presentation(Record):
    """One item shown to one annotator. A label must name it.

    `item` holds only the fields that the schema shows, without metadata, group and split; the
    sides of a pair are already swapped where `swapped`. `rev` is the revision seen, to be given
    back on saving. `answer` is the annotator's own current answer, None for an unlabelled item
    (and for a hidden repeat, which nothing marks). `position` counts from 1 in the annotator's
    own order; `n_items` is the length of that order.
    """

    id: str
    project: str
    annotator: str
    item: Item
    item_hash: str
    position: int
    n_items: int
    rev: int = 0
    answer: Answer | None = None
    draft: Draft | None = None
    swapped: bool = False
    shown_at: AwareDatetime
    schema_version: int
    guideline: str | None = None


class Saved(Record):
    """The answer is on the disk. `after_reveal`: it stays out of calibration."""

    kind: Literal["saved"] = "saved"
    item_id: str
    rev: int
    seqs: tuple[int, ...]
    at: AwareDatetime
    after_reveal: bool = False


class AlreadySaved(Record):
    """This operation was stored before (the key was sent twice); nothing was written."""

    kind: Literal["already_saved"] = "already_saved"
    item_id: str
    rev: int
    at: AwareDatetime


class TooFast(Record):
    """Refused and counted: the item had been shown for less than the dwell limit."""

    kind: Literal["too_fast"] = "too_fast"
    item_id: str
    dwell_ms: int
    min_dwell_ms: int


class Conflict(Record):
    """Refused: another tab of the same annotator saved a newer revision. Show both and ask."""

    kind: Literal["conflict"] = "conflict"
    item_id: str
    rev_seen: int
    rev: int
    yours: Answer
    stored: Answer | None


class Stale(Record):
    """Refused: the presentation is already answered, or is not the item's newest any more.

    `reason` is a sentence for the screen; `stored` is the annotator's own stored answer.
    """

    kind: Literal["stale"] = "stale"
    item_id: str
    reason: str
    rev: int
    stored: Answer | None = None


class Incomplete(Record):
    """Not saved yet: the schema asks for more (`missing`: field ids, or `failure_mode`)."""

    kind: Literal["incomplete"] = "incomplete"
    item_id: str
    missing: tuple[str, ...]


SaveResult = Saved | AlreadySaved | TooFast | Conflict | Stale | Incomplete
"""What `save` and `skip` answer; tell them apart by class or by `.kind`."""


class Undone(Record):
    """The last label was taken back; `presentation` shows that item with the values it had.

    `was` is the answer taken back, to fill the form with; `answer` of the presentation is what
    stands now.
    """

    kind: Literal["undone"] = "undone"
    presentation: Presentation
    was: Answer
    seqs: tuple[int, ...]


class NothingToUndo(Record):
    """No label of this annotator in this project can be taken back (none, or all released)."""

    kind: Literal["nothing_to_undo"] = "nothing_to_undo"
    reason: str


UndoResult = Undone | NothingToUndo


class Progress(Record):
    """One annotator's counts in one project, queried now. Hidden repeats count as items.

    `labelled` includes `unsure`. `left` is what `next_presentation` would still give;
    `skipped` of those were skipped and come last. `median_active_ms` is the own median, or None.
    `under_older_guideline` counts own labels given under an older guideline version.
    """

    project: str
    labelled: int
    unsure: int
    skipped: int
    left: int
    median_active_ms: int | None = None
    under_older_guideline: int = 0


class OwnLabel(Record):
    """One of the annotator's own current labels, newest first in `last_labels`."""

    item_id: str
    answer: Answer
    rev: int
    at: AwareDatetime
    guideline: str | None = None
    released: bool = False
