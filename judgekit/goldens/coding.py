"""Open and axial coding as a fold of events: notes, failure modes, saturation and shares.

A coder reads traces and writes one note about the first failure of each (open coding), then
groups the notes under named modes (axial coding). Every step is an event; the state is what
stands after all events that were not undone, so that a merge is taken back by replaying without
it and no note can be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from judgekit.errors import InputError
from judgekit.goldens.coding_actions import (
    Assign,
    CreateMode,
    EditNote,
    MarkRead,
    MergeModes,
    RenameMode,
    SplitMode,
    Unassign,
    Undo,
    WriteNote,
    parse_action,
)
from judgekit.goldens.coding_actions import CodeAction as CodeAction
from judgekit.model.base import Record
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import wilson

DISPLAY_TAIL = 0.025
"""Displayed intervals are two-sided at 95 %."""


class CodeEvent(Protocol):
    """One stored event; `body` holds the fields of its action."""

    @property
    def seq(self) -> int:
        """Return the position in the log."""

    @property
    def kind(self) -> str:
        """Return the kind of the action."""

    @property
    def body(self) -> Mapping[str, Any]:
        """Return the action's fields."""

    @property
    def actor(self) -> str:
        """Return who acted."""


class Note(Record):
    """One free note about the first failure seen in an item; `mode` is None while unassigned."""

    id: str
    item_id: str
    coder: str
    text: str
    mode: str | None = None


class Mode(Record):
    """One named failure mode and the notes under it, in the order they were written."""

    id: str
    name: str
    notes: tuple[str, ...] = ()


class ModeShare(Record):
    """How many notes a mode holds, and its share of all notes."""

    mode: str
    count: int
    share: Statistic


class Saturation(Record):
    """How far new notes still bring new modes.

    `since_new` counts the coded notes written after the one that last showed a new mode; notes
    without a mode say nothing yet and are in `n_uncoded`. `found[k]` is how many modes the first
    k + 1 coded notes showed.
    """

    n_notes: int
    n_uncoded: int
    n_modes: int
    since_new: int
    found: tuple[int, ...] = ()


class Step(Record):
    """One event that still stands and can be undone."""

    seq: int
    action: CodeAction


class Coding(Record):
    """What stands: notes in the order written, modes in the order made, and what was read.

    `read` holds (coder, item id) of every item read, with or without a note.
    """

    notes: tuple[Note, ...] = ()
    modes: tuple[Mode, ...] = ()
    read: frozenset[tuple[str, str]] = frozenset()
    steps: tuple[tuple[str, Step], ...] = ()

    @property
    def unassigned(self) -> tuple[Note, ...]:
        """Return the notes that have no mode yet."""
        return tuple(note for note in self.notes if note.mode is None)

    def note(self, note_id: str) -> Note:
        """Return one note.

        Raises:
            InputError: there is none of that id.
        """
        for note in self.notes:
            if note.id == note_id:
                return note
        raise InputError("there is no such note", found=repr(note_id))

    def mode(self, mode_id: str) -> Mode:
        """Return one mode.

        Raises:
            InputError: there is none of that id, or it was merged into another.
        """
        for mode in self.modes:
            if mode.id == mode_id:
                return mode
        raise InputError("there is no such failure mode", found=repr(mode_id))

    def note_of(self, coder: str, item_id: str) -> Note | None:
        """Return the coder's note about an item, None where there is none."""
        mine = (n for n in self.notes if n.coder == coder and n.item_id == item_id)
        return next(mine, None)

    def last_step(self, actor: str) -> Step | None:
        """Return the actor's latest step about modes that still stands: what undo takes back."""
        own = [step for who, step in self.steps if who == actor]
        return own[-1] if own else None


def fold(events: Iterable[CodeEvent]) -> Coding:
    """Return what stands after the events, in their order, without those undone.

    An event about a note or mode that does not stand (its making was undone) changes nothing.

    Raises:
        InputError: an event has an unknown kind or fields that do not fit it.
    """
    parsed = [
        (event, parse_action(event.kind, event.body))
        for event in sorted(events, key=lambda event: event.seq)
    ]
    undone = _undone([(event.seq, action) for event, action in parsed])
    state = _State()
    for event, action in parsed:
        if event.seq not in undone:
            state.apply(action, event)
    return state.coding()


def shares(coding: Coding) -> tuple[ModeShare, ...]:
    """Return count and share of each mode among all notes, most frequent first.

    The counts and the unassigned notes add up to all notes. Intervals: Wilson, two-sided 95 %,
    each note counted as independent. A share is Undefined where there is no note. It says how
    the notes read fall, not how often the mode occurs: that depends on how traces were drawn.
    """
    n = len(coding.notes)
    rows = [
        ModeShare(mode=mode.id, count=len(mode.notes), share=_share(len(mode.notes), n))
        for mode in coding.modes
    ]
    return tuple(sorted(rows, key=lambda row: -row.count))


def saturation(coding: Coding) -> Saturation:
    """Return how many coded notes were written since the last one that showed a new mode."""
    seen: set[str] = set()
    since, found = 0, []
    for note in coding.notes:
        if note.mode is None:
            continue
        since = 0 if note.mode not in seen else since + 1
        seen.add(note.mode)
        found.append(len(seen))
    return Saturation(
        n_notes=len(coding.notes),
        n_uncoded=len(coding.unassigned),
        n_modes=len(seen),
        since_new=since,
        found=tuple(found),
    )


def check_name(coding: Coding, name: str, *, renaming: str | None = None) -> str:
    """Return a mode's name without outer space, if it is one and no other mode bears it.

    Raises:
        InputError: the name is empty, has several lines, is over 80 characters, or is taken.
    """
    clean = " ".join(name.split())
    if not clean or len(clean) > 80:
        raise InputError(
            "a failure mode needs a short name",
            found=f"{len(clean)} characters",
            expected="1 to 80 characters",
        )
    taken = (m for m in coding.modes if m.name.casefold() == clean.casefold() and m.id != renaming)
    if next(taken, None):
        raise InputError(
            "another failure mode has this name",
            found=repr(clean),
            mend="assign to that mode, or merge the two",
        )
    return clean


def _share(count: int, n: int) -> Statistic:
    bounds = wilson(count, n, DISPLAY_TAIL)
    if bounds is None:
        return Undefined(undefined="there are no notes")
    return Estimate(value=count / n, low=bounds.low, high=bounds.high, n=n, method="wilson")


def _undone(actions: Sequence[tuple[int, CodeAction]]) -> set[int]:
    """Return the undone positions; later undos are read first, so an undo can be undone."""
    undone: set[int] = set()
    for seq, action in reversed(actions):
        if isinstance(action, Undo) and seq not in undone:
            undone.add(action.seq)
    return undone


class _State:
    """The fold in progress."""

    def __init__(self) -> None:
        self.notes: dict[str, Note] = {}
        self.names: dict[str, str] = {}
        self.merged: dict[str, str] = {}
        self.read: set[tuple[str, str]] = set()
        self.steps: list[tuple[str, Step]] = []

    def apply(self, action: CodeAction, event: CodeEvent) -> None:
        """Change the state by one action."""
        match action:
            case WriteNote() | EditNote() | MarkRead():
                self._reading(action, event.actor)
                return
            case Undo():
                return
            case _:
                self._grouping(action)
        self.steps.append((event.actor, Step(seq=event.seq, action=action)))

    def _reading(self, action: WriteNote | EditNote | MarkRead, actor: str) -> None:
        match action:
            case WriteNote():
                self.read.add((actor, action.item_id))
                note = Note(
                    id=action.note_id, item_id=action.item_id, coder=actor, text=action.text
                )
                self.notes.setdefault(action.note_id, note)
            case EditNote():
                self._change(action.note_id, text=action.text)
            case MarkRead():
                self.read.add((actor, action.item_id))

    def _grouping(self, action: CodeAction) -> None:
        match action:
            case CreateMode():
                self.names.setdefault(action.mode_id, action.name)
                self._assign(action.note_ids, action.mode_id)
            case RenameMode() if self._standing(action.mode_id):
                self.names[self._target(action.mode_id)] = action.name
            case MergeModes():
                self._merge(action.mode_id, action.into)
            case SplitMode():
                self._split(action)
            case Assign():
                self._assign(action.note_ids, action.mode_id)
            case Unassign():
                for note_id in action.note_ids:
                    self._change(note_id, mode=None)

    def _change(self, note_id: str, **update: str | None) -> None:
        if note_id in self.notes:
            self.notes[note_id] = self.notes[note_id].model_copy(update=update)

    def _target(self, mode_id: str) -> str:
        while mode_id in self.merged:
            mode_id = self.merged[mode_id]
        return mode_id

    def _standing(self, mode_id: str) -> bool:
        return self._target(mode_id) in self.names

    def _assign(self, note_ids: Iterable[str], mode_id: str) -> None:
        if self._standing(mode_id):
            for note_id in note_ids:
                self._change(note_id, mode=self._target(mode_id))

    def _merge(self, mode_id: str, into: str) -> None:
        source, target = self._target(mode_id), self._target(into)
        if source == target or source not in self.names or target not in self.names:
            return
        self.merged[source] = target
        self._assign([n.id for n in self.notes.values() if n.mode == source], target)

    def _split(self, action: SplitMode) -> None:
        source = self._target(action.mode_id)
        self.names.setdefault(action.new_mode_id, action.name)
        moved = [i for i in action.note_ids if i in self.notes and self.notes[i].mode == source]
        self._assign(moved, action.new_mode_id)

    def coding(self) -> Coding:
        """Return the state as a record."""
        modes = tuple(
            Mode(
                id=mode_id,
                name=name,
                notes=tuple(n.id for n in self.notes.values() if n.mode == mode_id),
            )
            for mode_id, name in self.names.items()
            if mode_id not in self.merged
        )
        return Coding(
            notes=tuple(self.notes.values()),
            modes=modes,
            read=frozenset(self.read),
            steps=tuple(self.steps),
        )
