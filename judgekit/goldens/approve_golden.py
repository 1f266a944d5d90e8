"""From two finished entries to a proposal, and from an approved proposal to goldens.jsonl."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.goldens.merge import MergedCase
from judgekit.goldens.parts import parts_of
from judgekit.model.base import Record
from judgekit.model.golden import Expectation, Golden, GoldenSource
from judgekit.model.item import Item, Split
from judgekit.store.formats.problems import unfit
from judgekit.store.goldens_file import dataset_goldens, update_goldens

_NOBODY = "(not approved yet)"
_SIGNED = ("approver", "approved_at", "hash")


class GoldenProposal(Record):
    """What a proposal of kind `golden` keeps: the golden without its approver and hash.

    `replaces` is the hash of the golden of that id when it was proposed, None where there was
    none: an approval on top of another one is refused.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    golden: dict[str, Any]
    replaces: str | None = None


class ChangedPart(Record):
    """One line of the difference between the golden in the file and the proposed one.

    `before` and `after` are JSON texts, None where there is nothing.
    """

    part: str
    kind: Literal["added", "changed", "removed"]
    before: str | None = None
    after: str | None = None


def golden_proposal(
    item: Item,
    merged: MergedCase,
    *,
    folder: Path,
    split: Split | None,
    reviewers: tuple[str, ...],
    proposer: str,
    source: GoldenSource,
) -> dict[str, Any]:
    """Return the payload of the proposal that makes a golden of an item.

    Raises:
        InputError: there are not two reviewers, or what was merged is not a golden.
    """
    if len(set(reviewers)) != 2:
        raise InputError(
            "a golden needs two experts", found=f"{len(set(reviewers))}", where=f"case {item.id!r}"
        )
    body = {
        "id": item.id,
        "group": item.group,
        "input": item.input,
        "context": item.context,
        "split": split,
        **_plain(merged.expectation),
        "unscored": [_plain(entry) for entry in merged.unscored],
        "redefined": [_plain(entry) for entry in merged.redefined],
        "source": _plain(source),
        "reviewers": sorted(reviewers),
        "proposer": proposer,
    }
    golden = _sealed({**body, "approver": _NOBODY})
    kept = {key: value for key, value in golden.as_line().items() if key not in _SIGNED}
    return GoldenProposal(golden=kept, replaces=_standing(folder, item.id)).model_dump(
        mode="json", by_alias=True
    )


def parse_golden_proposal(payload: Mapping[str, Any]) -> GoldenProposal:
    """Return the proposal that a payload holds.

    Raises:
        InputError: the payload is not one.
    """
    try:
        return GoldenProposal.model_validate(payload)
    except ValidationError as error:
        raise _misfit(error, dict(payload), GoldenProposal) from error


def accept_golden(
    folder: Path, payload: Mapping[str, Any], *, approver: str, at: datetime
) -> Golden:
    """Write an approved golden into the dataset's goldens.jsonl and return it.

    Doing it again with the same proposal changes nothing, so an approval that was interrupted
    after the file was written can be repeated.

    Raises:
        InputError: the approver proposed the case or was one of its experts, the payload is not a
            golden, or another golden of that id was approved since; nothing is written.
        StoreFailed: the file cannot be written; the old content stands.
    """
    proposal = parse_golden_proposal(payload)
    golden = _sealed({**proposal.golden, "approver": approver, "approved_at": at})

    def change(before: tuple[Golden, ...]) -> tuple[Golden, ...]:
        standing = next((one for one in before if one.id == golden.id), None)
        if standing is not None and standing.hash == golden.hash:
            return before
        if (standing.hash if standing else None) != proposal.replaces:
            raise _overtaken(golden.id, standing, proposal.replaces)
        return (*(one for one in before if one.id != golden.id), golden)

    after = update_goldens(folder, change)
    return next(one for one in after if one.id == golden.id)


def golden_changes(folder: Path, payload: Mapping[str, Any]) -> tuple[ChangedPart, ...]:
    """Return what approving a proposal would change in goldens.jsonl, part by part.

    Raises:
        InputError: the payload is not a golden, or goldens.jsonl cannot be read.
    """
    proposed = _sealed({**parse_golden_proposal(payload).golden, "approver": _NOBODY})
    standing = next((one for one in dataset_goldens(folder) if one.id == proposed.id), None)
    return _changes(_flat(standing) if standing else {}, _flat(proposed))


def _changes(before: dict[str, str], after: dict[str, str]) -> tuple[ChangedPart, ...]:
    found = []
    for part in sorted(before.keys() | after.keys()):
        old, new = before.get(part), after.get(part)
        if old != new:
            kind: Literal["added", "changed", "removed"] = "changed"
            if old is None or new is None:
                kind = "added" if old is None else "removed"
            found.append(ChangedPart(part=part, kind=kind, before=old, after=new))
    return tuple(found)


def _flat(golden: Golden) -> dict[str, str]:
    """Return the golden as pointer -> JSON text."""
    line = golden.as_line()
    flat: dict[str, Any] = dict(parts_of(golden))
    for kind in ("unscored", "redefined"):
        for entry in line.pop(kind, []):
            flat[f"/{kind}{entry.pop('part')}"] = entry
    others = line.keys() - Expectation.model_fields.keys() - set(_SIGNED)
    flat |= {f"/{name}": line[name] for name in others}
    return {
        part: json.dumps(value, ensure_ascii=False, sort_keys=True) for part, value in flat.items()
    }


def _plain(record: Record) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude_defaults=True, by_alias=True)


def _sealed(body: dict[str, Any]) -> Golden:
    given = {key: value for key, value in body.items() if value is not None}
    try:
        return Golden.sealed(given)
    except ValidationError as error:
        raise _misfit(error, given, Golden) from error


def _misfit(error: ValidationError, data: dict[str, Any], model: type[Record]) -> InputError:
    return unfit(f"the golden {data.get('id', '')!r} cannot be used", error, data, model)


def _standing(folder: Path, golden_id: str) -> str | None:
    return next((one.hash for one in dataset_goldens(folder) if one.id == golden_id), None)


def _overtaken(golden_id: str, standing: Golden | None, replaces: str | None) -> InputError:
    return InputError(
        f"the golden {golden_id!r} was changed after this was proposed",
        where=f"golden {golden_id!r}",
        found=f"{standing.hash}, approved by {standing.approver}" if standing else "no such golden",
        expected=replaces or "no golden of that id",
        mend="send the proposal back and propose the case again",
    )
