"""Triggers that refuse UPDATE and DELETE (and REPLACE, and TRUNCATE) of the log."""

from __future__ import annotations

from sqlalchemy import Connection, text

_SQLITE = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""
# REPLACE deletes without firing delete triggers on foreign connections; this one fires before.
_SQLITE_REPLACE = """
CREATE TRIGGER label_event_no_replace BEFORE INSERT ON label_event
WHEN EXISTS (SELECT 1 FROM label_event e WHERE e.seq = NEW.seq
    OR (e.op_id = NEW.op_id AND e.field = NEW.field)
    OR (e.project_id = NEW.project_id AND e.item_id = NEW.item_id
        AND e.annotator = NEW.annotator AND e.field = NEW.field
        AND e.repeat = NEW.repeat AND e.rev = NEW.rev))
BEGIN SELECT RAISE(ABORT, 'UNIQUE: label_event is append-only'); END
"""
_FUNCTION = """
CREATE OR REPLACE FUNCTION judgekit_append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$
"""
_POSTGRES = """
CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION judgekit_append_only()
"""


def protect(connection: Connection, tables: tuple[str, ...]) -> None:
    """Make the triggers of some tables."""
    if connection.dialect.name == "sqlite":
        for table in tables:
            for verb in ("update", "delete"):
                connection.execute(text(_SQLITE.format(table=table, verb=verb)))
        if "label_event" in tables:
            connection.execute(text(_SQLITE_REPLACE))
        return
    connection.execute(text(_FUNCTION))
    for table in tables:
        for verb in ("update", "delete", "truncate"):
            connection.execute(text(_POSTGRES.format(table=table, verb=verb)))
