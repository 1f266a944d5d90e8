"""Releases, agreement as raw pairs, and pace."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import combinations
from statistics import median
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, text

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import LostRace
from judgekit.store.label_store.keeping.current import current_labels
from judgekit.store.label_store.keeping.rows import last_seq
from judgekit.store.label_store.labelling.state import released_seq
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.keeping import LabelPair, Pace, Release, RepeatPair
from judgekit.store.label_store.scope import Scope, scope_of
from judgekit.store.label_store.setting_up.audit_rows import add_row

_FILL = """
SELECT n, COUNT(*) FROM (SELECT i.id, COALESCE(SUM(e.delta), 0) AS n FROM item i
    LEFT JOIN label_event e ON e.project_id = i.project_id AND e.item_id = i.id
        AND e.delta <> 0 AND e.repeat = 0
    WHERE i.project_id = :p GROUP BY i.id) f GROUP BY n ORDER BY n
"""


class Releases(Part):
    """`store.releases`: frozen folds of the log. A release is never changed."""

    def add(self, release: Release) -> Release:
        """Record a release whose files are written (`at` and `actor` are taken as given).

        Raises:
            InputError: the version exists, or `last_seq` is beyond the log or before the last.
        """
        row = {
            "version": release.version,
            "last_seq": release.last_seq,
            "body": canonical_json(release.model_dump(mode="json")),
            "actor": release.actor,
            "at": release.at.isoformat(),
        }
        try:
            with self._db.write() as connection:
                scope = scope_of(connection, release.project)
                _refuse_bad_seq(connection, scope, release)
                connection.execute(insert(t.release).values(row | {"project_id": scope.id}))
                after = {"version": release.version, "last_seq": release.last_seq}
                add_row(
                    connection,
                    "release.add",
                    actor=release.actor,
                    project=release.project,
                    after=after,
                )
        except LostRace as error:
            raise InputError(
                f"there is a release {release.version!r} already",
                found=repr(release.version),
                expected="a version that is free",
            ) from error
        return release

    def list(self, project: str) -> tuple[Release, ...]:
        """Return the releases, oldest first."""
        r = t.release.c
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            query = select(r.body).where(r.project_id == scope.id).order_by(r.last_seq, r.at)
            return tuple(_release(body) for body in connection.execute(query).scalars())

    def get(self, project: str, version: str) -> Release:
        """Return one release.

        Raises:
            InputError: there is none of that version.
        """
        found = {release.version: release for release in self.list(project)}
        if version not in found:
            raise InputError(
                f"the project {project!r} has no release {version!r}",
                found=repr(version),
                expected=", ".join(sorted(found)) or "a release; none is there yet",
            )
        return found[version]


class Ratings(Part):
    """`store.ratings`: raw counts for judgekit.stats, for leads and engineers only."""

    def pairs(self, project: str, *, field: str | None = None) -> tuple[LabelPair, ...]:
        """Return current labels of two annotators of one item; no adjudicators, no repeats."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            rows = current_labels(connection, scope, field=field)
        by_field: dict[tuple[str, str], list[Row[Any]]] = defaultdict(list)
        for row in rows:
            if row.repeat == 0 and not row.after_reveal:
                by_field[row.item_id, row.field].append(row)
        return tuple(
            LabelPair(
                item_id=one.item_id,
                field=one.field,
                annotator_1=one.annotator,
                label_1=one.label,
                annotator_2=two.annotator,
                label_2=two.label,
            )
            for key in sorted(by_field)
            for one, two in combinations(by_field[key], 2)
        )

    def repeat_pairs(self, project: str, *, annotator: str | None = None) -> tuple[RepeatPair, ...]:
        """Return first label and hidden repeat of every re-labelled item."""
        with self._db.read() as connection:
            rows = current_labels(connection, scope_of(connection, project), annotator=annotator)
        labels = {(r.item_id, r.field, r.annotator, r.repeat): r.label for r in rows}
        return tuple(
            RepeatPair(
                item_id=item_id,
                field=field,
                annotator=who,
                first=labels[item_id, field, who, 0],
                repeat=label,
            )
            for (item_id, field, who, repeat), label in sorted(labels.items())
            if repeat == 1 and (item_id, field, who, 0) in labels
        )

    def pace(self, project: str, *, very_fast_ms: int = 1000) -> tuple[Pace, ...]:
        """Return counts of refused and very fast labels by annotator."""
        e, f = t.label_event.c, t.too_fast.c
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            query = select(e.annotator, e.dwell_ms).where(
                e.project_id == scope.id,
                e.field == "_overall",
                e.kind.in_(("label", "unsure")),
                e.dwell_ms.is_not(None),
            )
            dwell: dict[str, list[int]] = defaultdict(list)
            for row in connection.execute(query):
                dwell[row.annotator].append(row.dwell_ms)
            refused = select(f.annotator, func.count()).where(f.project_id == scope.id)
            pairs = connection.execute(refused.group_by(f.annotator)).all()
            too_fast = Counter({row[0]: row[1] for row in pairs})
        return tuple(
            _pace(who, dwell.get(who, []), too_fast[who], very_fast_ms)
            for who in sorted({*dwell, *too_fast})
        )

    def fill(self, project: str) -> dict[int, int]:
        """Return the number of items by how many annotators labelled them."""
        with self._db.read() as connection:
            scope = scope_of(connection, project)
            rows = connection.execute(text(_FILL), {"p": scope.id}).all()
            return {int(row[0]): int(row[1]) for row in rows}


def _refuse_bad_seq(connection: Connection, scope: Scope, release: Release) -> None:
    last, before = last_seq(connection), released_seq(connection, scope.id)
    if not before <= release.last_seq <= last:
        raise InputError(
            "a release cannot end there",
            found=f"sequence number {release.last_seq}",
            expected=f"one from {before} to {last}",
        )


def _release(body: str) -> Release:
    return Release.model_validate(json.loads(body))


def _pace(who: str, dwell: list[int], n_too_fast: int, very_fast_ms: int) -> Pace:
    return Pace(
        annotator=who,
        n_labels=len(dwell),
        n_too_fast=n_too_fast,
        n_very_fast=sum(ms < very_fast_ms for ms in dwell),
        very_fast_ms=very_fast_ms,
        median_dwell_ms=round(median(dwell)) if dwell else None,
    )
