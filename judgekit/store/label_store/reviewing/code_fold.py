"""What stands after a log of error analysis: a fold that replays all but the undone events.

A merge is taken back by replaying without it, so no note can be lost by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    parse_action,
)
from judgekit.store.label_store.records.coding import (
    Code,
    CodeBook,
    CodeEvent,
    CodeNote,
    CodeStep,
)

Parsed = tuple[CodeEvent, CodeAction]


def fold_codes(project: str, events: Iterable[CodeEvent]) -> CodeBook:
    """Return what stands after the events, in the order of their times, without those undone.

    An event about a note or mode that does not stand (its making was undone) changes nothing.

    Raises:
        InputError: an event's fields do not fit its kind.
    """
    ordered = sorted(events, key=lambda event: (event.at, event.seq))
    parsed = [(event, parse_action(event.kind, event.body)) for event in ordered]
    undone = _undone(parsed)
    state = _State(project)
    for event, action in parsed:
        if event.op_id not in undone:
            state.apply(event, action)
    return state.book()


def _undone(parsed: Sequence[Parsed]) -> set[str]:
    """Return the undone operations; later undos are read first, so an undo can be undone."""
    undone: set[str] = set()
    for event, action in reversed(parsed):
        if isinstance(action, Undo) and event.op_id not in undone:
            undone.add(action.op_id)
    return undone


class _State:
    """The fold in progress."""

    def __init__(self, project: str) -> None:
        self.project = project
        self.notes: dict[str, CodeNote] = {}
        self.names: dict[str, str] = {}
        self.merged: dict[str, str] = {}
        self.read: set[tuple[str, str]] = set()
        self.steps: list[CodeStep] = []

    def apply(self, event: CodeEvent, action: CodeAction) -> None:
        """Change the state by one event."""
        match action:
            case WriteNote() | EditNote() | DiscardNote() | MarkRead():
                self._reading(event, action)
            case NameMode() | RenameMode() | MergeModes() | SplitMode() | Assign():
                words = self._grouping(event.op_id, action)
                self.steps.append(CodeStep(op_id=event.op_id, actor=event.actor, words=words))

    def _reading(
        self, event: CodeEvent, action: WriteNote | EditNote | DiscardNote | MarkRead
    ) -> None:
        match action:
            case WriteNote():
                self.read.add((event.actor, action.item_id))
                self.notes[event.op_id] = CodeNote(
                    id=event.op_id,
                    project=self.project,
                    item_id=action.item_id,
                    text=action.text,
                    author=event.actor,
                    at=event.at,
                )
            case EditNote():
                self._change(action.note, text=action.text)
            case DiscardNote():
                self.notes.pop(action.note, None)
            case MarkRead():
                self.read.add((event.actor, action.item_id))

    def _grouping(
        self, op_id: str, action: NameMode | RenameMode | MergeModes | SplitMode | Assign
    ) -> str:
        """Change modes or assignments and return what was done, in words."""
        match action:
            case NameMode():
                self.names[op_id] = action.name
                return f"new mode {action.name!r}"
            case RenameMode():
                return self._rename(action)
            case MergeModes():
                return self._merge(action)
            case SplitMode():
                return self._split(op_id, action)
        n = len(action.notes)
        count = "1 note" if n == 1 else f"{n} notes"
        self._assign(action.notes, action.code)
        where = "taken out" if action.code is None else f"under {self._name(action.code)!r}"
        return f"{count} {where}"

    def _rename(self, action: RenameMode) -> str:
        code = self._target(action.code)
        before = self._name(code)
        if code in self.names:
            self.names[code] = action.name
        return f"{before!r} renamed to {action.name!r}"

    def _merge(self, action: MergeModes) -> str:
        source, target = self._target(action.source), self._target(action.target)
        words = f"{self._name(source)!r} merged into {self._name(target)!r}"
        if source != target and source in self.names and target in self.names:
            self.merged[source] = target
            self._assign([n.id for n in self.notes.values() if n.code == source], target)
        return words

    def _split(self, op_id: str, action: SplitMode) -> str:
        source = self._target(action.source)
        self.names[op_id] = action.name
        self._assign([i for i in action.notes if self._code_of(i) == source], op_id)
        return f"{action.name!r} split off {self._name(source)!r}"

    def _assign(self, note_ids: Iterable[str], code: str | None) -> None:
        target = None if code is None else self._target(code)
        if target is None or target in self.names:
            for note_id in note_ids:
                self._change(note_id, code=target)

    def _change(self, note_id: str, **update: str | None) -> None:
        if note_id in self.notes:
            self.notes[note_id] = self.notes[note_id].model_copy(update=update)

    def _code_of(self, note_id: str) -> str | None:
        return self.notes[note_id].code if note_id in self.notes else None

    def _target(self, code: str) -> str:
        while code in self.merged:
            code = self.merged[code]
        return code

    def _name(self, code: str) -> str:
        return self.names.get(self._target(code), "a mode that is gone")

    def book(self) -> CodeBook:
        """Return the state as a record."""
        codes = (code for code in self.names if code not in self.merged)
        count = {code: sum(n.code == code for n in self.notes.values()) for code in self.names}
        return CodeBook(
            project=self.project,
            notes=tuple(self.notes.values()),
            codes=tuple(
                Code(id=code, name=self.names[code], n_notes=count[code]) for code in codes
            ),
            read=frozenset(self.read),
            steps=tuple(self.steps),
        )
