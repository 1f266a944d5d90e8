"""Projects, their versions and their items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, func, insert, select, update

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json
from judgekit.model.item import Item
from judgekit.store.label_store.database import tables as t
from judgekit.store.label_store.database.engine import LostRace, utc_now
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.setup import (
    GuidelineVersion,
    ItemImport,
    LabelSchema,
    Project,
    ProjectSettings,
    StoredItem,
)
from judgekit.store.label_store.scope import (
    Scope,
    guideline_of,
    item_from,
    item_of,
    parsed,
    schema_of,
    scope_from,
    scope_of,
)
from judgekit.store.label_store.setting_up.audit_rows import add_changes, add_row
from judgekit.store.label_store.setting_up.items import add_items, draw_slots


class Projects(Part):
    """`store.projects`: open a project, change it, import items."""

    def create(self, project: Project, *, actor: str) -> Project:
        """Open a project (its `n_items` is ignored) and return it.

        Raises:
            InputError: there is one of that name, or its settings cannot be used.
        """
        row = {
            "name": project.name,
            "dataset": project.dataset,
            "title": project.title,
            "settings": canonical_json(project.settings.model_dump(mode="json")),
            "archived": project.archived,
            "at": utc_now(),
            "actor": actor,
        }
        try:
            with self._db.write() as connection:
                connection.execute(insert(t.project).values(row))
                scope = scope_of(connection, project.name)
                _add_schema(connection, scope, project.label_schema, actor)
                if project.guideline is not None:
                    _add_guideline(connection, scope, project.guideline, actor)
                after = {"dataset": project.dataset, "seed": project.settings.seed}
                add_row(
                    connection, "project.create", actor=actor, project=project.name, after=after
                )
        except LostRace as error:
            raise InputError(
                f"there is a project called {project.name!r} already",
                found=repr(project.name),
                expected="a name that is free",
            ) from error
        return self.get(project.name)

    def get(self, name: str) -> Project:
        """Return a project with its newest schema and guideline.

        Raises:
            InputError: there is none of that name; the message lists what there is.
        """
        with self._db.read() as connection:
            return _project(connection, scope_of(connection, name))

    def list(self, *, archived: bool = False) -> tuple[Project, ...]:
        """Return the projects by name, archived ones only when asked."""
        query = select(t.project).order_by(t.project.c.name)
        with self._db.read() as connection:
            scopes = [scope_from(row) for row in connection.execute(query)]
            return tuple(
                _project(connection, scope) for scope in scopes if archived or not scope.archived
            )

    def change_settings(self, name: str, settings: ProjectSettings, *, actor: str) -> Project:
        """Replace the settings; each changed one is an audit row with before and after."""
        with self._db.write() as connection:
            scope = scope_of(connection, name)
            before = scope.settings.model_dump(mode="json")
            after = settings.model_dump(mode="json")
            if before != after:
                _update(connection, scope, settings=canonical_json(after))
                add_changes(connection, "settings", before, after, actor=actor, project=name)
                draw_slots(connection, scope.model_copy(update={"settings": settings}))
        return self.get(name)

    def change_schema(self, name: str, schema: LabelSchema, *, actor: str) -> Project:
        """Make the next schema version, unless nothing but `version` differs from the newest."""
        with self._db.write() as connection:
            scope = scope_of(connection, name)
            newest = schema_of(connection, scope.id)
            wanted = schema.model_copy(update={"version": newest.version})
            if wanted != newest:
                made = schema.model_copy(update={"version": newest.version + 1})
                _add_schema(connection, scope, made, actor)
                add_row(
                    connection,
                    "schema.version",
                    actor=actor,
                    project=name,
                    before={"version": newest.version},
                    after={"version": made.version},
                )
        return self.get(name)

    def change_guideline(self, name: str, guideline: GuidelineVersion, *, actor: str) -> Project:
        """Make a guideline version. The same version with the same text changes nothing.

        Raises:
            InputError: the version exists with another text.
        """
        with self._db.write() as connection:
            scope = scope_of(connection, name)
            newest = guideline_of(connection, scope.id)
            if _add_guideline(connection, scope, guideline, actor):
                add_row(
                    connection,
                    "guideline.version",
                    actor=actor,
                    project=name,
                    before={"version": newest.version if newest else None},
                    after={"version": guideline.version},
                )
        return self.get(name)

    def schemas(self, name: str) -> tuple[LabelSchema, ...]:
        """Return all schema versions, oldest first."""
        table = t.schema_version
        with self._db.read() as connection:
            scope = scope_of(connection, name)
            query = select(table.c.body).where(table.c.project_id == scope.id)
            bodies = connection.execute(query.order_by(table.c.version)).scalars()
            return tuple(parsed(LabelSchema, body) for body in bodies)

    def guidelines(self, name: str) -> tuple[GuidelineVersion, ...]:
        """Return all guideline versions, oldest first."""
        with self._db.read() as connection:
            return _guidelines(connection, scope_of(connection, name))

    def archive(self, name: str, *, archived: bool, actor: str) -> Project:
        """Put a project away, or bring it back. Nothing is deleted."""
        with self._db.write() as connection:
            scope = scope_of(connection, name)
            if scope.archived != archived:
                _update(connection, scope, archived=archived)
                add_row(
                    connection,
                    "project.archive",
                    actor=actor,
                    project=name,
                    before={"archived": scope.archived},
                    after={"archived": archived},
                )
        return self.get(name)

    def import_items(
        self,
        name: str,
        items: Iterable[Item],
        *,
        actor: str,
        source: str | None = None,
        designs: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> ItemImport:
        """Add items in one transaction; the same id with the same content is known.

        An id with other content is a conflict, and then nothing is written. `designs` gives the
        sampling design by item id where it is not the project's.
        """
        with self._db.write() as connection:
            scope = scope_of(connection, name)
            report = add_items(
                connection,
                scope,
                tuple(items),
                source=source,
                designs=designs or {},
                dry_run=dry_run,
            )
            if report.written:
                after = {"n_new": report.n_new, "source": source}
                add_row(connection, "items.import", actor=actor, project=name, after=after)
        return report

    def items(
        self, name: str, *, offset: int = 0, limit: int | None = None
    ) -> tuple[StoredItem, ...]:
        """Return items by id, whole (for leads, engineers and export; not for annotators)."""
        with self._db.read() as connection:
            scope = scope_of(connection, name)
            query = select(t.item).where(t.item.c.project_id == scope.id).order_by(t.item.c.id)
            rows = connection.execute(
                query.offset(offset).limit(limit) if limit else query.offset(offset)
            )
            return tuple(StoredItem(**dict(item_from(row))) for row in rows)

    def item(self, name: str, item_id: str) -> StoredItem:
        """Return one item, whole.

        Raises:
            InputError: the project has no item of that id.
        """
        with self._db.read() as connection:
            return StoredItem(**dict(item_of(connection, scope_of(connection, name), item_id)))

    def meant_id(self, name: str, typed: str) -> str:
        """Return the id of the item that a person typed: as it stands, else without outer blanks.

        An id that has outer blanks is found without them, where it is the only one.
        """
        bare = typed.strip()
        with self._db.read() as connection:
            scope = scope_of(connection, name)
            i = t.item.c
            like = i.id.contains(bare, autoescape=True)
            found = connection.scalars(select(i.id).where(i.project_id == scope.id, like)).all()
        same = [item_id for item_id in found if item_id.strip() == bare]
        for exact in (typed, bare):
            if exact in same:
                return exact
        return same[0] if bare and len(same) == 1 else bare


def _project(connection: Connection, scope: Scope) -> Project:
    count = select(func.count()).select_from(t.item).where(t.item.c.project_id == scope.id)
    return Project(
        name=scope.name,
        dataset=scope.dataset,
        title=scope.title,
        label_schema=schema_of(connection, scope.id),
        guideline=guideline_of(connection, scope.id),
        settings=scope.settings,
        archived=scope.archived,
        n_items=connection.execute(count).scalar_one(),
    )


def _update(connection: Connection, scope: Scope, **values: object) -> None:
    connection.execute(update(t.project).where(t.project.c.id == scope.id).values(**values))


def _add_schema(connection: Connection, scope: Scope, schema: LabelSchema, actor: str) -> None:
    row = {
        "project_id": scope.id,
        "version": schema.version,
        "body": canonical_json(schema.model_dump(mode="json")),
        "at": utc_now(),
        "actor": actor,
    }
    connection.execute(insert(t.schema_version).values(row))


def _guidelines(connection: Connection, scope: Scope) -> tuple[GuidelineVersion, ...]:
    table = t.guideline_version
    query = select(table.c.body).where(table.c.project_id == scope.id).order_by(table.c.ordinal)
    return tuple(parsed(GuidelineVersion, body) for body in connection.execute(query).scalars())


def _add_guideline(
    connection: Connection, scope: Scope, guideline: GuidelineVersion, actor: str
) -> bool:
    known = _guidelines(connection, scope)
    same = [old for old in known if old.version == guideline.version]
    if same and same[0].text == guideline.text:
        return False
    if same:
        raise InputError(
            f"the guideline version {guideline.version!r} exists with another text",
            found=repr(guideline.version),
            expected="a new version name for a new text",
        )
    at = utc_now()
    body = {"version": guideline.version, "text": guideline.text, "at": at, "actor": actor}
    row = {
        "project_id": scope.id,
        "ordinal": len(known) + 1,
        "version": guideline.version,
        "body": canonical_json(body),
        "at": at,
        "actor": actor,
    }
    connection.execute(insert(t.guideline_version).values(row))
    return True
