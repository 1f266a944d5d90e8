"""Steps of error analysis, done again from a file."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from judgekit.store.label_store.database.engine import as_stored
from judgekit.store.label_store.records.code_actions import (
    Assign,
    CodeAction,
    DiscardNote,
    EditNote,
    MarkRead,
    MergeModes,
    RenameMode,
    SplitMode,
    Undo,
    WriteNote,
    parse_action,
)
from judgekit.store.label_store.records.events import ReviewEvent
from judgekit.store.label_store.review_log.fault import Fault, unknown_item
from judgekit.store.label_store.review_log.writing import add_code_event, code_line
from judgekit.store.label_store.scope import Scope


class CodeSteps:
    """Does one step after the other; each may only name what an earlier one made."""

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        items: frozenset[str],
        known: Iterable[ReviewEvent],
    ) -> None:
        self._connection = connection
        self._scope = scope
        self._items = items
        self._actors = {event.op_id: event.actor for event in known if event.log == "codes"}

    def do(self, event: ReviewEvent) -> ReviewEvent | Fault:
        """Write the step and return it as stored, or say what stands against it."""
        action = parse_action(event.kind, event.body)
        fault = self._fault(action, event.actor)
        if fault is not None:
            return fault
        self._actors[event.op_id] = event.actor
        written = add_code_event(
            self._connection,
            self._scope,
            action,
            actor=event.actor,
            op_id=event.op_id,
            at=as_stored(event.at),
        )
        return code_line(self._scope, written)

    def _fault(self, action: CodeAction, actor: str) -> Fault | None:
        if isinstance(action, WriteNote | MarkRead):
            return None if action.item_id in self._items else unknown_item(action.item_id)
        missing = next((name for name in _named(action) if name not in self._actors), None)
        if missing is not None:
            return Fault("it names what no event made", missing, "an earlier operation of the log")
        if isinstance(action, EditNote | DiscardNote) and self._actors[action.note] != actor:
            return Fault("only its author changes a note", actor, self._actors[action.note])
        return None


def _named(action: CodeAction) -> tuple[str, ...]:
    """Return the operations that a step names: notes, modes, or the step that it undoes."""
    match action:
        case EditNote() | DiscardNote():
            return (action.note,)
        case RenameMode():
            return (action.code,)
        case MergeModes():
            return action.source, action.target
        case SplitMode():
            return action.source, *action.notes
        case Assign():
            return (*action.notes, *(() if action.code is None else (action.code,)))
        case Undo():
            return (action.op_id,)
    return ()
