"""What stands for one annotator and one item, read from the log."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from sqlalchemy import Connection, Row, func, select

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.label import OVERALL
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.labelling.view import Standing
from judgekit.store.label_store.scope import Scope, loaded


class Target(Record):
    """Whose line of revisions: one annotator, one item, first label or hidden repeat."""

    project_id: int
    item_id: str
    annotator: str
    repeat: int = 0


class State(Record):
    """The newest revision of a target, what stands, and the event that made it so."""

    rev: int = 0
    seq: int = 0
    standing: dict[str, dict[str, Any] | None] = Field(default_factory=dict)

    @property
    def answered(self) -> bool:
        """Return whether an answer stands."""
        return self.standing.get(OVERALL) is not None


def state_of(connection: Connection, target: Target, *, below: int | None = None) -> State:
    """Return the state of a target; with `below` as it was before that revision."""
    e = t.label_event.c
    query = select(e.field, e.value, e.rev, e.seq).where(*matches(e, target)).order_by(e.rev)
    if below is not None:
        query = query.where(e.rev < below)
    standing: Standing = {}
    rev = seq = 0
    for row in connection.execute(query):
        standing[row.field] = loaded(row.value)
        rev = row.rev
        seq = max(seq, row.seq)
    return State(rev=rev, seq=seq, standing=standing)


def matches(columns: Any, target: Target) -> tuple[Any, ...]:
    """Return the conditions that pick a target's rows of a table, by its columns."""
    return (
        columns.project_id == target.project_id,
        columns.item_id == target.item_id,
        columns.annotator == target.annotator,
        columns.repeat == target.repeat,
    )


def released_seq(connection: Connection, project_id: int) -> int:
    """Return the sequence number up to which labels are released, 0 before any release."""
    query = select(func.coalesce(func.max(t.release.c.last_seq), 0))
    return int(connection.execute(query.where(t.release.c.project_id == project_id)).scalar_one())


def refuse_released(connection: Connection, scope: Scope, target: Target, state: State) -> None:
    """Raise InputError where the label that stands is part of a release."""
    if state.answered and state.seq <= released_seq(connection, scope.id):
        raise InputError(
            f"your label on {target.item_id!r} is released and cannot be changed",
            found=f"revision {state.rev}",
            expected="a label given after the last release",
        )


def presentation_row(connection: Connection, presentation_id: str, annotator: str) -> Row[Any]:
    """Return a presentation of this annotator.

    Raises:
        InputError: there is none; another annotator's counts as none.
    """
    p = t.presentation.c
    where = (p.id == presentation_id, p.annotator == annotator)
    row = connection.execute(select(t.presentation).where(*where)).one_or_none()
    if row is None:
        raise InputError(
            "this page is no longer known to the label store",
            found=f"presentation {presentation_id!r}",
            expected=f"an item that was shown to {annotator!r}",
            mend="reload the page",
        )
    return row


def target_of(row: Row[Any]) -> Target:
    """Return the target of a presentation's row."""
    return Target(
        project_id=row.project_id, item_id=row.item_id, annotator=row.annotator, repeat=row.repeat
    )


def is_used(connection: Connection, presentation_id: str) -> bool:
    """Return whether a label or skip was already given from this presentation."""
    e = t.label_event.c
    query = select(e.seq).where(e.presentation_id == presentation_id).limit(1)
    return connection.execute(query).first() is not None
