"""Error analysis: notes, failure modes, and who moved what, all as events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from judgekit.errors import InputError
from judgekit.store.label_store.database.review_tables import code_event
from judgekit.store.label_store.labelling.drafts import DraftOf, draft_target, drop_draft, put_draft
from judgekit.store.label_store.labelling.presenting import draft_of
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.code_actions import (
    Assign,
    CodeAction,
    DiscardNote,
    EditNote,
    MarkRead,
    MergeModes,
    NameMode,
    RenameMode,
    SplitMode,
    Undo,
    WriteNote,
)
from judgekit.store.label_store.records.coding import Code, CodeBook, CodeEvent, CodeNote
from judgekit.store.label_store.records.labelling import Draft
from judgekit.store.label_store.review_log.writing import add_code_event, code_line
from judgekit.store.label_store.reviewing.code_checks import (
    clean_note,
    free_name,
    known_code,
    known_note,
    known_notes,
    own_note,
)
from judgekit.store.label_store.reviewing.code_fold import fold_codes
from judgekit.store.label_store.scope import Scope, item_of, loaded, scope_of


@dataclass(frozen=True)
class Moment:
    """What stands while a step is checked, inside its transaction."""

    connection: Connection
    scope: Scope
    book: CodeBook

    def item(self, item_id: str) -> None:
        """Refuse an item that the project does not have."""
        item_of(self.connection, self.scope, item_id)


Plan = Callable[[Moment], CodeAction | None]
"""Returns the step, checked against what stands; None means nothing to do."""


class Codes(Part):
    """`store.codes`: every method is one event, idempotent by `op_id`; steps about modes can be
    undone. What a method makes has the operation's id."""

    def book(self, project: str) -> CodeBook:
        """Return notes and codes as they stand."""
        return fold_codes(project, self.events(project))

    def add_note(
        self, project: str, item_id: str, text: str, *, author: str, op_id: str
    ) -> CodeNote:
        """Write an open note about an item (several per item are possible).

        Raises:
            InputError: the text is empty or the project has no such item.
        """

        def plan(moment: Moment) -> CodeAction:
            moment.item(item_id)
            return WriteNote(item_id=item_id, text=clean_note(text))

        return known_note(self._do(project, author, op_id, plan), op_id)

    def edit_note(
        self, project: str, note_id: str, text: str, *, actor: str, op_id: str
    ) -> CodeNote:
        """Reword one's own note; its mode and place stay.

        Raises:
            InputError: the text is empty, or this actor has no such note.
        """

        def plan(moment: Moment) -> CodeAction:
            own_note(moment.book, note_id, actor)
            return EditNote(note=note_id, text=clean_note(text))

        return known_note(self._do(project, actor, op_id, plan), note_id)

    def discard_note(self, project: str, note_id: str, *, actor: str, op_id: str) -> None:
        """Take one's own note out of the book; the log keeps it.

        Raises:
            InputError: this actor has no such note.
        """

        def plan(moment: Moment) -> CodeAction:
            own_note(moment.book, note_id, actor)
            return DiscardNote(note=note_id)

        self._do(project, actor, op_id, plan)

    def mark_read(self, project: str, item_id: str, *, author: str, op_id: str) -> None:
        """Record that an item was read and nothing wrong was seen.

        Raises:
            InputError: the project has no such item.
        """

        def plan(moment: Moment) -> CodeAction:
            moment.item(item_id)
            return MarkRead(item_id=item_id)

        self._do(project, author, op_id, plan)

    def new_code(self, project: str, name: str, *, actor: str, op_id: str) -> Code:
        """Name a failure mode.

        Raises:
            InputError: the name is empty, too long or taken (case and spaces aside).
        """
        book = self._do(
            project, actor, op_id, lambda moment: NameMode(name=free_name(moment.book, name))
        )
        return known_code(book, op_id)

    def assign(
        self, project: str, note_ids: Sequence[str], code: str | None, *, actor: str, op_id: str
    ) -> None:
        """Put notes under a code, or under none.

        Raises:
            InputError: there is no such note or code.
        """

        def plan(moment: Moment) -> CodeAction:
            if code is not None:
                known_code(moment.book, code)
            return Assign(notes=known_notes(moment.book, note_ids), code=code)

        self._do(project, actor, op_id, plan)

    def rename(self, project: str, code: str, name: str, *, actor: str, op_id: str) -> Code:
        """Give a code another name.

        Raises:
            InputError: there is no such code, or the name is empty, too long or taken.
        """

        def plan(moment: Moment) -> CodeAction:
            known_code(moment.book, code)
            return RenameMode(code=code, name=free_name(moment.book, name, renaming=code))

        return known_code(self._do(project, actor, op_id, plan), code)

    def merge(self, project: str, source: str, target: str, *, actor: str, op_id: str) -> Code:
        """Move every note of `source` under `target`; `source` is gone until undone.

        Raises:
            InputError: there is no such code, or both are the same.
        """

        def plan(moment: Moment) -> CodeAction:
            known_code(moment.book, source), known_code(moment.book, target)
            if source == target:
                raise InputError("a failure mode cannot be merged into itself", found=source)
            return MergeModes(source=source, target=target)

        return known_code(self._do(project, actor, op_id, plan), target)

    def split(
        self,
        project: str,
        source: str,
        note_ids: Sequence[str],
        name: str,
        *,
        actor: str,
        op_id: str,
    ) -> Code:
        """Move some notes of `source` under a new code and return that.

        Raises:
            InputError: there is no such code, a note is not under it, or the name is taken.
        """

        def plan(moment: Moment) -> CodeAction:
            known_code(moment.book, source)
            notes = known_notes(moment.book, note_ids)
            if any(note.code != source for note in moment.book.notes if note.id in notes):
                raise InputError("a note to split off is not under that failure mode")
            return SplitMode(source=source, name=free_name(moment.book, name), notes=notes)

        return known_code(self._do(project, actor, op_id, plan), op_id)

    def undo(self, project: str, *, actor: str, op_id: str) -> CodeEvent | None:
        """Take back the newest step about modes of this actor that stands, and return it.

        Notes and reading marks are not taken back by it. None when there is none.
        """

        def plan(moment: Moment) -> CodeAction | None:
            step = moment.book.last_step(actor)
            return None if step is None else Undo(op_id=step.op_id)

        self._do(project, actor, op_id, plan)
        log = {event.op_id: event for event in self.events(project)}
        undo = log.get(op_id)
        return None if undo is None else log[str(undo.body["op_id"])]

    def save_draft(self, project: str, item_id: str, author: str, text: str) -> Draft:
        """Keep a half-typed note about an item; it survives reload and kill.

        Raises:
            InputError: the project has no such item.
        """
        with self._db.write() as connection:
            target = draft_target(connection, project, item_id, author, DraftOf.NOTE)
            return put_draft(connection, target, {"text": text})

    def load_draft(self, project: str, item_id: str, author: str) -> str | None:
        """Return one's own half-typed note about an item, or None."""
        with self._db.read() as connection:
            target = draft_target(connection, project, item_id, author, DraftOf.NOTE)
            draft = draft_of(connection, target)
        return None if draft is None else str(draft.body.get("text", ""))

    def clear_draft(self, project: str, item_id: str, author: str) -> None:
        """Forget the draft."""
        with self._db.write() as connection:
            target = draft_target(connection, project, item_id, author, DraftOf.NOTE)
            drop_draft(connection, target)

    def events(self, project: str, *, since: int = 0) -> tuple[CodeEvent, ...]:
        """Return the log after sequence number `since`."""
        with self._db.read() as connection:
            return _events(connection, scope_of(connection, project), since)

    def _do(self, project: str, actor: str, op_id: str, plan: Plan) -> CodeBook:
        """Store one step in one transaction, unless its operation is known; return what stands.

        Raises:
            NotMirrored: it is stored, but not copied to the files of the log.
        """
        with self._db.write() as connection:
            scope = scope_of(connection, project)
            events = _events(connection, scope)
            book = fold_codes(project, events)
            if any(event.op_id == op_id for event in events):
                return book
            action = plan(Moment(connection, scope, book))
            if action is None:
                return book
            event = add_code_event(connection, scope, action, actor=actor, op_id=op_id)
        self._db.mirror_events((code_line(scope, event),))
        return fold_codes(project, (*events, event))


def _events(connection: Connection, scope: Scope, since: int = 0) -> tuple[CodeEvent, ...]:
    query = select(code_event).where(code_event.c.project_id == scope.id, code_event.c.seq > since)
    return tuple(
        CodeEvent(
            seq=row.seq,
            op_id=row.op_id,
            project=scope.name,
            kind=row.kind,
            body=loaded(row.body) or {},
            actor=row.actor,
            at=row.at,
        )
        for row in connection.execute(query.order_by(code_event.c.seq))
    )
