"""An annotator's own order and the questions to it, as SQL that both engines run alike."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, func, insert, select, text

from judgekit.model.base import Record
from judgekit.model.canonical import unit_interval
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import utc_now
from judgekit.store.label_store.scope import Scope

# Items that take no label of :a any more: wanted labels are there, or an own one is.
_CLOSED = """
SELECT e.item_id FROM label_event e
JOIN item i ON i.project_id = e.project_id AND i.id = e.item_id
WHERE e.project_id = :p AND e.delta <> 0 AND e.repeat = 0
GROUP BY e.item_id, i.slots
HAVING SUM(e.delta) >= i.slots OR SUM(CASE WHEN e.annotator = :a THEN e.delta ELSE 0 END) > 0
"""
_MINE = """
(SELECT COALESCE(SUM(e.delta), 0) FROM label_event e WHERE e.project_id = :p
    AND e.item_id = a.item_id AND e.annotator = :a AND e.delta <> 0 AND e.repeat = 0)
"""
_ALL = """
(SELECT COALESCE(SUM(e.delta), 0) FROM label_event e WHERE e.project_id = :p
    AND e.item_id = a.item_id AND e.delta <> 0 AND e.repeat = 0)
"""
_SLOTS = "(SELECT i.slots FROM item i WHERE i.project_id = :p AND i.id = a.item_id)"
_HELD = """
(SELECT COUNT(*) FROM claim c WHERE c.project_id = :p AND c.queue = 'label'
    AND c.item_id = a.item_id AND c.holder <> :a AND c.expires_at > :now)
"""
# The newest own row of the item is a skip.
_SKIPPED = """
EXISTS (SELECT 1 FROM label_event s WHERE s.project_id = :p AND s.annotator = :a
    AND s.item_id = a.item_id AND s.kind = 'skip' AND s.repeat = 0
    AND NOT EXISTS (SELECT 1 FROM label_event n WHERE n.project_id = :p
        AND n.item_id = s.item_id AND n.annotator = :a AND n.field = '_overall'
        AND n.repeat = 0 AND n.rev > s.rev))
"""
_OPEN = f"{_MINE} = 0 AND {_ALL} + {_HELD} < {_SLOTS} AND NOT {_SKIPPED}"
_OWN_PLACES = "a.project_id = :p AND a.annotator = :a AND a.repeat = 0"
_FIRST = "ORDER BY a.order_key, a.item_id LIMIT 1"
# Shown not long ago, left, and still open: comes before anything new.
_LEFT_BEHIND = f"""
SELECT a.item_id FROM assignment a WHERE {_OWN_PLACES}
AND a.item_id IN (SELECT q.item_id FROM presentation q WHERE q.project_id = :p
    AND q.annotator = :a AND q.number > :since AND q.repeat = 0)
AND {_OPEN} {_FIRST}
"""
_AHEAD = f"""
SELECT a.item_id, a.order_key FROM assignment a WHERE {_OWN_PLACES} AND a.order_key > :cursor
AND {_OPEN} {_FIRST}
"""
# Anywhere: places that others gave back, items that were added, what was left long ago.
_ANYWHERE = f"""
SELECT a.item_id FROM assignment a WHERE {_OWN_PLACES} AND a.item_id NOT IN ({_CLOSED})
AND {_OPEN} {_FIRST}
"""
_OWN_SKIPS = f"""
SELECT a.item_id, MAX(a.seq) AS seq FROM label_event a
WHERE a.project_id = :p AND a.annotator = :a AND a.kind = 'skip' AND a.repeat = 0
AND {_SKIPPED} AND {_MINE} = 0 AND {_ALL} < {_SLOTS}
GROUP BY a.item_id
"""
_PUT_OFF = f"""
SELECT a.item_id FROM ({_OWN_SKIPS}) a WHERE {_ALL} + {_HELD} < {_SLOTS} ORDER BY a.seq LIMIT 1
"""
_NOT_ASKED_AGAIN = """
NOT EXISTS (SELECT 1 FROM label_event d WHERE d.project_id = :p AND d.item_id = a.item_id
    AND d.annotator = :a AND d.field = '_overall' AND d.repeat = 1)
"""
_REPEATS = f"a.project_id = :p AND a.annotator = :a AND a.repeat = 1 AND {_NOT_ASKED_AGAIN}"
# Hidden repeats whose first label is far enough back and that were not asked yet.
_DUE = f"""
SELECT a.item_id FROM assignment a JOIN presentation q ON q.project_id = a.project_id
    AND q.annotator = a.annotator AND q.item_id = a.item_id AND q.repeat = 0
WHERE {_REPEATS} AND q.position + :gap <= :next AND {_MINE} > 0
ORDER BY q.position, a.item_id LIMIT 1
"""
_LEFT = f"""
SELECT (SELECT COUNT(*) FROM item i WHERE i.project_id = :p)
    - (SELECT COUNT(*) FROM ({_CLOSED}) k)
"""
_PUT_OFF_COUNT = f"SELECT COUNT(*) FROM ({_OWN_SKIPS}) k"
_PENDING = f"""
SELECT COUNT(*) FROM assignment a WHERE {_REPEATS} AND ({_MINE} > 0 OR {_ALL} < {_SLOTS})
"""
_LOOK_BACK = 100


class Place(Record):
    """An item to show, and how far down the own order that brings the annotator."""

    item_id: str
    cursor: int


class Order:
    """The questions, about one annotator in one project, inside one transaction."""

    def __init__(self, connection: Connection, scope: Scope, annotator: str) -> None:
        self._connection = connection
        self._scope = scope
        self._annotator = annotator
        self._values = {"p": scope.id, "a": annotator}

    def is_enrolled(self) -> bool:
        """Return whether every item has its place in this annotator's order."""
        a = t.assignment.c
        own = (a.project_id == self._scope.id, a.annotator == self._annotator, a.repeat == 0)
        items = t.item.c.project_id == self._scope.id
        return self._count(select(func.count()).select_from(t.assignment).where(*own)) == (
            self._count(select(func.count()).select_from(t.item).where(items))
        )

    def enrol(self) -> None:
        """Give the annotator a place in the order for every item that has none yet.

        Hidden repeats are planned here, among items early enough for the gap to fit.
        """
        if self.is_enrolled():
            return
        a, settings = t.assignment.c, self._scope.settings
        own = (a.project_id == self._scope.id, a.annotator == self._annotator, a.repeat == 0)
        known = set(self._connection.execute(select(a.item_id).where(*own)).scalars())
        items = select(t.item.c.id).where(t.item.c.project_id == self._scope.id)
        keys = {
            item_id: order_key(settings.seed, self._annotator, item_id)
            for item_id in self._connection.execute(items).scalars()
        }
        ranked = sorted(keys, key=lambda item_id: (keys[item_id], item_id))
        early = set(ranked[: max(0, len(ranked) - settings.repeat_gap)])
        new = [item_id for item_id in ranked if item_id not in known]
        places = [(item_id, 0) for item_id in new]
        places += [(item_id, 1) for item_id in new if item_id in early and self._again(item_id)]
        shared = {"project_id": self._scope.id, "annotator": self._annotator}
        rows = [
            shared | {"item_id": item_id, "repeat": repeat, "order_key": keys[item_id]}
            for item_id, repeat in places
        ]
        self._connection.execute(insert(t.assignment), rows)

    def n_places(self) -> int:
        """Return the length of the order, repeats among it."""
        a = t.assignment.c
        own = (a.project_id == self._scope.id, a.annotator == self._annotator)
        return self._count(select(func.count()).select_from(t.assignment).where(*own))

    def fresh(self) -> Place | None:
        """Return the first open item in own order that was not skipped."""
        now = utc_now()
        number, cursor = self._reached()
        behind = self._one(_LEFT_BEHIND, now=now, since=number - _LOOK_BACK)
        if behind is not None:
            return Place(item_id=behind, cursor=cursor)
        values = self._values | {"now": now, "cursor": cursor}
        ahead = self._connection.execute(text(_AHEAD), values).one_or_none()
        if ahead is not None:
            return Place(item_id=ahead.item_id, cursor=ahead.order_key)
        anywhere = self._one(_ANYWHERE, now=now)
        return None if anywhere is None else Place(item_id=anywhere, cursor=cursor)

    def cursor(self) -> int:
        """Return how far down the own order the annotator has come, -1 at the start."""
        return self._reached()[1]

    def put_off(self) -> str | None:
        """Return the open item that was skipped longest ago."""
        return self._one(_PUT_OFF, now=utc_now())

    def due(self) -> str | None:
        """Return the item of a hidden repeat that is due now."""
        gap = self._scope.settings.repeat_gap
        return self._one(_DUE, gap=gap, next=self.next_position())

    def next_position(self) -> int:
        """Return the position that the next new item gets."""
        p = t.presentation.c
        query = select(func.coalesce(func.max(p.position), 0)).where(
            p.project_id == self._scope.id, p.annotator == self._annotator
        )
        return self._count(query) + 1

    def n_left(self) -> int:
        """Return how many items still take a label of this annotator, repeats among them."""
        left = self._number(_LEFT)
        pending = self._number(_PENDING)
        return left + pending if left or self.due() else 0

    def n_skipped(self) -> int:
        """Return how many of those were skipped."""
        return self._number(_PUT_OFF_COUNT)

    def _reached(self) -> tuple[int, int]:
        """Return the number and the cursor of the newest presentation."""
        p = t.presentation.c
        query = select(p.number, p.cursor).where(
            p.project_id == self._scope.id, p.annotator == self._annotator
        )
        row = self._connection.execute(query.order_by(p.number.desc()).limit(1)).one_or_none()
        return (0, -1) if row is None else (row.number, row.cursor)

    def _again(self, item_id: str) -> bool:
        settings = self._scope.settings
        place = unit_interval(settings.seed, "repeat", self._annotator, item_id)
        return place < settings.repeat_share

    def _one(self, query: str, **values: object) -> str | None:
        found = self._connection.execute(text(query), self._values | values).scalar_one_or_none()
        return None if found is None else str(found)

    def _number(self, query: str) -> int:
        return int(self._connection.execute(text(query), self._values).scalar_one())

    def _count(self, query: object) -> int:
        return int(self._connection.execute(query).scalar_one())  # type: ignore[call-overload]


def order_key(seed: str, annotator: str, item_id: str) -> int:
    """Return the item's place in the annotator's order: 63 bits of a hash.

    Example:
        >>> order_key("1", "ana", "a") == order_key("1", "ana", "a")
        True
        >>> order_key("1", "ana", "a") == order_key("1", "ben", "a")
        False
    """
    digest = hashlib.sha256("\x1f".join((seed, "order", annotator, item_id)).encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
