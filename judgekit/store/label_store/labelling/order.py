"""An annotator's own order and the questions to it, as SQL that both engines run alike."""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, func, insert, select, text

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
# Items whose free places are held by others at this moment.
_HELD = """
SELECT c.item_id FROM claim c JOIN item i ON i.project_id = c.project_id AND i.id = c.item_id
WHERE c.project_id = :p AND c.queue = 'label' AND c.holder <> :a AND c.expires_at > :now
GROUP BY c.item_id, i.slots
HAVING COUNT(*) + (SELECT COALESCE(SUM(e.delta), 0) FROM label_event e
    WHERE e.project_id = :p AND e.item_id = c.item_id AND e.delta <> 0 AND e.repeat = 0) >= i.slots
"""
_SKIPPED = """
SELECT s.item_id, s.seq FROM label_event s
WHERE s.project_id = :p AND s.annotator = :a AND s.kind = 'skip' AND s.repeat = 0
AND NOT EXISTS (SELECT 1 FROM label_event n WHERE n.project_id = s.project_id
    AND n.item_id = s.item_id AND n.annotator = s.annotator AND n.field = '_overall'
    AND n.repeat = 0 AND n.rev > s.rev)
"""
_FRESH = f"""
SELECT a.item_id FROM assignment a
WHERE a.project_id = :p AND a.annotator = :a AND a.repeat = 0
AND a.item_id NOT IN ({_CLOSED}) AND a.item_id NOT IN ({_HELD})
AND a.item_id NOT IN (SELECT k.item_id FROM ({_SKIPPED}) k)
ORDER BY a.order_key, a.item_id LIMIT 1
"""
_PUT_OFF = f"""
SELECT k.item_id FROM ({_SKIPPED}) k
WHERE k.item_id NOT IN ({_CLOSED}) AND k.item_id NOT IN ({_HELD}) ORDER BY k.seq LIMIT 1
"""
# Hidden repeats whose first label is far enough back and that were not asked yet.
_DUE = """
SELECT r.item_id FROM assignment r
JOIN presentation q ON q.project_id = r.project_id AND q.annotator = r.annotator
    AND q.item_id = r.item_id AND q.repeat = 0
WHERE r.project_id = :p AND r.annotator = :a AND r.repeat = 1
AND (SELECT COALESCE(SUM(e.delta), 0) FROM label_event e WHERE e.project_id = :p
    AND e.item_id = r.item_id AND e.annotator = :a AND e.delta <> 0 AND e.repeat = 0) > 0
AND NOT EXISTS (SELECT 1 FROM label_event d WHERE d.project_id = :p AND d.item_id = r.item_id
    AND d.annotator = :a AND d.field = '_overall' AND d.repeat = 1)
GROUP BY r.item_id HAVING MAX(q.position) + :gap <= :next
ORDER BY MIN(q.position), r.item_id LIMIT 1
"""
_LEFT = f"""
SELECT (SELECT COUNT(*) FROM item i WHERE i.project_id = :p)
    - (SELECT COUNT(*) FROM ({_CLOSED}) k)
"""
_PUT_OFF_COUNT = f"SELECT COUNT(*) FROM ({_SKIPPED}) k WHERE k.item_id NOT IN ({_CLOSED})"
_PENDING = f"""
SELECT COUNT(*) FROM assignment r WHERE r.project_id = :p AND r.annotator = :a AND r.repeat = 1
AND NOT EXISTS (SELECT 1 FROM label_event d WHERE d.project_id = :p AND d.item_id = r.item_id
    AND d.annotator = :a AND d.field = '_overall' AND d.repeat = 1)
AND (r.item_id NOT IN ({_CLOSED}) OR EXISTS (SELECT 1 FROM label_event o
    WHERE o.project_id = :p AND o.item_id = r.item_id AND o.annotator = :a AND o.delta <> 0
    AND o.repeat = 0))
"""


class Order:
    """The questions, about one annotator in one project, inside one transaction."""

    def __init__(self, connection: Connection, scope: Scope, annotator: str) -> None:
        self._connection = connection
        self._scope = scope
        self._annotator = annotator
        self._values = {"p": scope.id, "a": annotator}

    def enrol(self) -> None:
        """Give the annotator a place in the order for every item that has none yet."""
        a = t.assignment.c
        own = (a.project_id == self._scope.id, a.annotator == self._annotator, a.repeat == 0)
        n_own = self._count(select(func.count()).select_from(t.assignment).where(*own))
        items = t.item.c.project_id == self._scope.id
        if n_own == self._count(select(func.count()).select_from(t.item).where(items)):
            return
        known = set(self._connection.execute(select(a.item_id).where(*own)).scalars())
        ids = self._connection.execute(select(t.item.c.id).where(items)).scalars().all()
        rows = [row for key in ids if key not in known for row in self._places(key)]
        self._connection.execute(insert(t.assignment), rows)

    def fresh(self) -> str | None:
        """Return the first open item in own order that was not skipped."""
        return self._one(_FRESH, now=utc_now())

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

    def _places(self, item_id: str) -> list[dict[str, object]]:
        seed = self._scope.settings.seed
        place: dict[str, object] = {
            "project_id": self._scope.id,
            "annotator": self._annotator,
            "item_id": item_id,
            "repeat": 0,
            "order_key": order_key(seed, self._annotator, item_id),
        }
        share = self._scope.settings.repeat_share
        again = unit_interval(seed, "repeat", self._annotator, item_id) < share
        return [place, place | {"repeat": 1}] if again else [place]

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
