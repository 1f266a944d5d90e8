"""Golden candidates: items proposed as goldens, pending until someone else approves.

A candidate is never a golden. It says where it came from (dataset, item, failure mode, note),
what it is meant for, and which candidates look like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.goldens.near_duplicates import Similar, near_duplicates
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.item import Item
from judgekit.model.item_text import item_texts
from judgekit.model.rubric import Rubric
from judgekit.store.formats.problems import unfit
from judgekit.store.workspace import Workspace

Use = Literal["regression", "calibration"]
PROPOSAL_KIND: Final = "golden_candidate"
_TUNING_SPLITS = {"train": "examples", "development": "prompt work"}
_SEEN = ("input", "output", "output_1", "output_2", "context", "reference")


class Candidate(Record):
    """An item proposed as a golden case.

    `use` is `regression` (the system must not fail it again) or `calibration` (a judge is
    measured on it). `item_hash` is the content at the time of promotion. `similar_to` names the
    earlier candidates and goldens that look like it: a hint for whoever approves.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    item_id: str = Field(min_length=1)
    item_hash: str
    dataset: str
    use: Use
    mode: str
    mode_name: str
    note: str
    note_id: str
    similar_to: tuple[Similar, ...] = ()


class AlreadyPromoted(InputError):
    """The item was promoted before; `first` is the id of the first proposal."""

    def __init__(self, item_id: str, *, first: str) -> None:
        super().__init__(
            f"item {item_id!r} was promoted before, as candidate {first}",
            found=f"candidate {first}",
            mend=f"open candidate {first}; an item becomes a golden once",
        )
        self.first = first


class TunedOn(InputError):
    """The item shaped a judge and cannot measure one; `reason` says how."""

    def __init__(self, item_id: str, reason: str) -> None:
        super().__init__(
            f"item {item_id!r} cannot be a calibration golden: {reason}",
            expected="an item that no judge was tuned on",
            mend="promote it for regression, or pick another representative",
        )
        self.reason = reason


def tuned_on(item: Item, split: str | None, rubrics: Iterable[Rubric] = ()) -> str | None:
    """Return how an item was used to tune a judge, None where nothing says that it was.

    An item of the splits train and development was, and so was one that a rubric shows to the
    judge as a worked example. Without splits only the examples can tell.
    """
    if split in _TUNING_SPLITS:
        return f"it is in the split {split!r}, which is for {_TUNING_SPLITS[split]}"
    for rubric in rubrics:
        if any(_same_content(item, example.item) for example in rubric.examples):
            return f"the rubric {rubric.name!r} shows it to the judge as an example"
    return None


def tuned_in(workspace: Workspace, item: Item, *, dataset: str, rubric: str | None) -> str | None:
    """Return how an item was used to tune a judge, as the workspace's files say (`tuned_on`).

    A dataset that is not among the files has no splits but the item's own.

    Raises:
        InputError: the dataset's or the rubric's files cannot be used, so nobody can tell.
    """
    split: str | None = item.split
    if dataset in workspace.dataset_names():
        split = workspace.dataset(dataset).split_of.get(item.id, item.split)
    known = rubric is not None and rubric in workspace.rubric_names()
    return tuned_on(item, split, [workspace.rubric(rubric)] if known and rubric else [])


def check_candidate(
    candidate: Candidate, *, earlier: Mapping[str, str], tuned: str | None
) -> Candidate:
    """Return the candidate if it may be proposed.

    Args:
        candidate: what would be proposed.
        earlier: proposal id of each item id promoted before.
        tuned: how the item was used to tune a judge (see `tuned_on`), or None.

    Raises:
        AlreadyPromoted: the item was promoted before.
        TunedOn: it is meant for calibration, and a judge was tuned on it.
    """
    if candidate.item_id in earlier:
        raise AlreadyPromoted(candidate.item_id, first=earlier[candidate.item_id])
    if candidate.use == "calibration" and tuned is not None:
        raise TunedOn(candidate.item_id, tuned)
    return candidate


def candidate_body(candidate: Candidate) -> dict[str, Any]:
    """Return what a proposal keeps of a candidate."""
    return candidate.model_dump(mode="json", by_alias=True)


def parse_candidate(body: Mapping[str, Any]) -> Candidate:
    """Return the candidate that a proposal holds.

    Raises:
        InputError: the fields do not fit.
    """
    try:
        return Candidate.model_validate(body)
    except ValidationError as error:
        raise unfit("a golden candidate cannot be read", error, body, Candidate) from error


def similar_items(item: Item, others: Iterable[Item]) -> tuple[Similar, ...]:
    """Return the items nearly the same as `item`, nearest first; suggested, never decided."""
    texts = {other.id: item_text(other) for other in others if other.id != item.id}
    return near_duplicates(item_text(item), texts)


def item_text(item: Item) -> str:
    """Return what a reader sees of an item as one text, for comparing only."""
    return "\n".join(text.text for text in item_texts(item))


def _same_content(item: Item, example: Mapping[str, Any]) -> bool:
    shown = item.model_dump(mode="json", include=set(_SEEN), exclude_none=True)
    fields = {key: value for key, value in example.items() if key in _SEEN and value is not None}
    if "input" not in fields and "output" not in fields:
        return False
    return content_hash(fields) == content_hash({key: shown.get(key) for key in fields})
