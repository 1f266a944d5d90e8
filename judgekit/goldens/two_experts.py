"""The stored entries of two experts, read: what they typed, compared and settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.goldens.entry_text import EntryTexts, parse_entry
from judgekit.goldens.expert_agreement import FinishedPair
from judgekit.goldens.merge import MergedCase, Outcome, Settlement, check_settlement, merge
from judgekit.model.base import Record
from judgekit.model.golden import Expectation
from judgekit.store.formats.problems import unfit
from judgekit.store.label_store import GoldenEntry, GoldenResolution


class EntryBody(Record):
    """What the label store keeps of an expert's entry: the texts as typed."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    texts: EntryTexts


class TwoEntries(Record):
    """A case that two experts have finished. `experts`, `entries` and the parts' first and second
    are in one order."""

    case_id: str
    experts: tuple[str, str]
    entries: tuple[Expectation, Expectation]
    merged: MergedCase
    revs: dict[str, int]

    def pair(self, group: str) -> FinishedPair:
        """Return the case for counting agreement; `group` is its cluster key."""
        return FinishedPair(
            case_id=self.case_id, group=group, experts=self.experts, entries=self.entries
        )


def entry_body(texts: EntryTexts) -> dict[str, Any]:
    """Return the JSON object that keeps an entry."""
    return EntryBody(texts=texts).model_dump(mode="json", by_alias=True)


def entry_texts(body: Mapping[str, Any]) -> EntryTexts:
    """Return what an expert typed.

    Raises:
        InputError: the object is no entry.
    """
    try:
        return EntryBody.model_validate(body).texts
    except ValidationError as error:
        raise unfit("an expert's entry cannot be read", error, body, EntryBody) from error


def read_two(entries: Sequence[GoldenEntry], resolutions: Sequence[GoldenResolution]) -> TwoEntries:
    """Return a finished case, compared and with its settlements.

    Raises:
        InputError: there are not two entries, or one cannot be read.
    """
    if len(entries) != 2:
        raise InputError("the case is not finished", expected="two entries that are done")
    first, second = (parse_entry(entry_texts(entry.body)) for entry in entries)
    return TwoEntries(
        case_id=entries[0].case_id,
        experts=(entries[0].expert, entries[1].expert),
        entries=(first, second),
        merged=merge(first, second, [_settlement(one) for one in resolutions]),
        revs={one.field: one.rev for one in resolutions},
    )


def check_new_settlement(two: TwoEntries, settlement: Settlement) -> Settlement:
    """Return a settlement in the stored form, tried on the case before it is stored.

    Raises:
        InputError: it has no reason, its value does not fit, or the experts agree there.
    """
    checked = check_settlement(settlement)
    others = [
        one.settlement
        for one in two.merged.parts
        if one.settlement is not None and one.part != settlement.part
    ]
    merge(*two.entries, [*others, checked])
    return checked


def store_decision(outcome: Outcome) -> Literal["redefine", "exclude", "reopen"]:
    """Return the store's word for an outcome; `dropped` is a redefinition without a value."""
    words: dict[Outcome, Literal["redefine", "exclude", "reopen"]] = {
        "redefined": "redefine",
        "dropped": "redefine",
        "excluded": "exclude",
        "ambiguous": "reopen",
    }
    return words[outcome]


def _settlement(one: GoldenResolution) -> Settlement:
    outcomes: dict[str, Outcome] = {"exclude": "excluded", "reopen": "ambiguous"}
    redefined: Outcome = "dropped" if one.value is None else "redefined"
    return Settlement(
        part=one.field,
        outcome=outcomes.get(one.decision, redefined),
        reason=one.reason,
        value=one.value,
        by=one.actor,
    )
