"""Which items need an adjudicator, computed from what stands now."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    and_,
    case,
    func,
    literal,
    or_,
    select,
    union,
)

from judgekit.model.base import Record
from judgekit.model.label import OVERALL
from judgekit.store.label_store.database import review_tables as rt
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.keeping.current import SUPERSEDED, adjudication_rows
from judgekit.store.label_store.records.adjudication import AdjudicationTask, TaskState
from judgekit.store.label_store.records.events import ADJUDICATION
from judgekit.store.label_store.records.labelling import UNSURE
from judgekit.store.label_store.scope import Scope

NO_TASK = ("judge_wrong",)


class Question(Record):
    """One item: how its labels stand, and which of its fields wait for a decision."""

    item_id: str
    state: TaskState
    reasons: tuple[str, ...]
    agreement: float | None
    n_labels: int
    n_excluded: int = 0

    def task(self, project: str, *, claimed: bool) -> AdjudicationTask:
        """Return the question as the queue shows it."""
        return AdjudicationTask(
            project=project,
            item_id=self.item_id,
            state=self.state,
            reasons=self.reasons,
            agreement=self.agreement,
            n_labels=self.n_labels,
            claimed_by_other=claimed,
        )


Counts = dict[str, int]
Votes = dict[str, dict[str, Counts]]


class Questions:
    """Reads votes, decisions and flags once and answers for every item that it covers.

    Without `item_id` and `whole` it covers what may need a decision: items with differing or
    unsure labels, flags or decisions; the many that agree are not read.
    """

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        *,
        item_id: str | None = None,
        whole: bool = False,
    ) -> None:
        covered: Select[Any] | None = None
        if item_id is not None:
            covered = select(literal(item_id))
        elif not whole:
            covered = _contested(scope)
        i = t.item.c
        wanted = select(i.id, i.slots).where(i.project_id == scope.id)
        if covered is not None:
            wanted = wanted.where(i.id.in_(covered))
        self._slots: dict[str, int] = {r.id: r.slots for r in connection.execute(wanted)}
        self._votes = _votes(connection, scope, covered)
        self._decided: dict[str, dict[str, Row[Any]]] = defaultdict(dict)
        for row in adjudication_rows(connection, scope, item_id=item_id):
            self._decided[row.item_id][row.field] = row
        self._flags: dict[str, list[Row[Any]]] = defaultdict(list)
        for row in _flags(connection, scope, item_id):
            self._flags[row.item_id].append(row)

    def all(self) -> list[Question]:
        """Return the question of every item with a label, a flag or a decision."""
        ids = sorted({*self._votes, *self._flags, *self._decided})
        return [self.of(item_id) for item_id in ids]

    def of(self, item_id: str) -> Question:
        """Return the question of one item."""
        votes = self._votes.get(item_id, {})
        decided = self._decided.get(item_id, {})
        reasons: dict[str, set[str]] = defaultdict(set)
        for field, counts in votes.items():
            if len(counts) > 1:
                reasons[field].add("disagreement")
            if UNSURE in counts:
                reasons[field].add("unsure")
        closed = {field for field, row in decided.items() if row.value is not None}
        for flag in self._flags.get(item_id, ()):
            row = decided.get(flag.field)
            if row is None or row.value is None or row.seq <= flag.seq:
                reasons[flag.field].add(flag.reason)
                closed.discard(flag.field)
        for field, row in decided.items():
            if row.value is None:
                reasons[field].add("reopened")
        open_fields = set(reasons) - closed
        n_labels = max((sum(counts.values()) for counts in votes.values()), default=0)
        return Question(
            item_id=item_id,
            state=self._state(item_id, open_fields, closed, n_labels),
            reasons=tuple(sorted({why for field in open_fields for why in reasons[field]})),
            agreement=_agreement(votes),
            n_labels=n_labels,
            n_excluded=sum(row.kind == "exclude" for row in decided.values()),
        )

    def _state(
        self, item_id: str, open_fields: set[str], closed: set[str], n_labels: int
    ) -> TaskState:
        if open_fields:
            return "open"
        if closed:
            return "decided"
        return "incomplete" if n_labels < max(2, self._slots.get(item_id, 1)) else "agreeing"

    def is_single(self, question: Question) -> bool:
        """Return whether the item wants no more than the one label that it has."""
        return question.n_labels >= self._slots.get(question.item_id, 1)


def own_items(connection: Connection, scope: Scope, annotator: str) -> set[str]:
    """Return the items on which a label of this annotator stands."""
    e = t.label_event.c
    query = (
        select(e.item_id)
        .where(e.project_id == scope.id, e.annotator == annotator, e.delta != 0, e.repeat == 0)
        .group_by(e.item_id)
        .having(func.sum(e.delta) > 0)
    )
    return set(connection.execute(query).scalars())


def count_rest(connection: Connection, scope: Scope, known: set[str]) -> tuple[int, int]:
    """Return how many items beside `known` agree and how many are incomplete."""
    e, i = t.label_event.c, t.item.c
    query = (
        select(e.item_id, func.sum(e.delta).label("n"), i.slots)
        .join(t.item, and_(i.project_id == e.project_id, i.id == e.item_id))
        .where(e.project_id == scope.id, e.delta != 0, e.repeat == 0)
        .group_by(e.item_id, i.slots)
    )
    agreeing = incomplete = 0
    for item_id, n, slots in connection.execute(query):
        if item_id not in known:
            agreeing += n >= max(2, slots)
            incomplete += 0 < n < slots
    return agreeing, incomplete


def _standing(scope: Scope) -> tuple[Any, ...]:
    """Return the conditions that pick annotators' labels that stand."""
    e = t.label_event.c
    return (
        e.project_id == scope.id,
        e.repeat == 0,
        e.annotator != ADJUDICATION,
        e.label.is_not(None),
        ~SUPERSEDED,
    )


def _contested(scope: Scope) -> Select[Any]:
    """Return the query for items that may need a decision."""
    e, f = t.label_event.c, rt.flag.c
    unsure = func.max(case((e.label == UNSURE, 1), else_=0))
    differing = (
        select(e.item_id)
        .where(*_standing(scope))
        .group_by(e.item_id, e.field)
        .having(or_(func.count(e.label.distinct()) > 1, unsure == 1))
    )
    flagged = select(f.item_id).where(f.project_id == scope.id, f.reason.not_in(NO_TASK))
    decided = select(e.item_id).where(e.project_id == scope.id, e.annotator == ADJUDICATION)
    both = union(differing, flagged, decided).subquery()
    return select(both.c.item_id)


def _votes(connection: Connection, scope: Scope, covered: Select[Any] | None) -> Votes:
    e = t.label_event.c
    query = select(e.item_id, e.field, e.label, func.count()).where(*_standing(scope))
    if covered is not None:
        query = query.where(e.item_id.in_(covered))
    votes: Votes = defaultdict(dict)
    for item, field, label, count in connection.execute(
        query.group_by(e.item_id, e.field, e.label)
    ):
        votes[item].setdefault(field, {})[label] = count
    return votes


def _flags(connection: Connection, scope: Scope, item_id: str | None) -> list[Row[Any]]:
    f = rt.flag.c
    query = select(rt.flag).where(f.project_id == scope.id, f.reason.not_in(NO_TASK))
    if item_id is not None:
        query = query.where(f.item_id == item_id)
    return list(connection.execute(query))


def _agreement(votes: dict[str, Counts]) -> float | None:
    """Return the share of agreeing pairs over all fields, None without a pair."""
    pairs = agreeing = 0
    for counts in votes.values():
        n = sum(counts.values())
        pairs += n * (n - 1) // 2
        agreeing += sum(k * (k - 1) // 2 for k in counts.values())
    return agreeing / pairs if pairs else None


def whole_item(fields: set[str]) -> list[str]:
    """Return fields in the order of the page: `_overall` first, criteria by name."""
    return sorted(fields, key=lambda field: (field != OVERALL, field))
