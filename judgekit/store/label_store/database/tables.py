"""The tables, in SQLAlchemy Core: the same on SQLite and PostgreSQL.

JSON is canonical text and times are ISO 8601 in UTC with microseconds, so that both engines keep
the same bytes and sort them alike. Tables in `APPEND_ONLY` refuse UPDATE and DELETE by trigger.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
    }
)
APPEND_ONLY = ("label_event", "audit", "code_event", "release", "golden_resolution", "decision")
Serial = BigInteger().with_variant(Integer, "sqlite")

project = Table(
    "project",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("dataset", String(64), nullable=False),
    Column("title", Text),
    Column("settings", Text, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("at", String(32), nullable=False),
    Column("actor", String(64), nullable=False),
)

schema_version = Table(
    "schema_version",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", String(32), nullable=False),
    Column("actor", String(64), nullable=False),
    PrimaryKeyConstraint("project_id", "version"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)

guideline_version = Table(
    "guideline_version",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("version", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", String(32), nullable=False),
    Column("actor", String(64), nullable=False),
    PrimaryKeyConstraint("project_id", "ordinal"),
    UniqueConstraint("project_id", "version"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)

item = Table(
    "item",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("id", Text, nullable=False),
    Column("hash", String(80), nullable=False),
    Column("slots", Integer, nullable=False),
    Column("source", Text),
    Column("design", Text),
    Column("at", String(32), nullable=False),
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("project_id", "id"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
    # Covers the queue's queries, which must not read the bodies.
    Index("ix_item_slots", "project_id", "id", "slots"),
)

person = Table(
    "person",
    metadata,
    Column("alias", String(64), primary_key=True),
    Column("roles", Text, nullable=False),
    Column("mode", String(16), nullable=False),
    Column("verified", Boolean, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("subject", Text, unique=True),
    Column("at", String(32), nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("at", String(32), nullable=False),
    Column("actor", String(64), nullable=False),
    Column("action", String(64), nullable=False, index=True),
    Column("project", String(64)),
    Column("subject", Text),
    Column("before", Text),
    Column("after", Text),
)

assignment = Table(
    "assignment",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("annotator", String(64), nullable=False),
    Column("item_id", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("order_key", BigInteger, nullable=False),
    PrimaryKeyConstraint("project_id", "annotator", "item_id", "repeat"),
    ForeignKeyConstraint(["project_id", "item_id"], ["item.project_id", "item.id"]),
    Index("ix_assignment_order", "project_id", "annotator", "repeat", "order_key", "item_id"),
)

presentation = Table(
    "presentation",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("number", BigInteger, nullable=False),
    Column("project_id", BigInteger, nullable=False),
    Column("annotator", String(64), nullable=False),
    Column("item_id", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    # How far down the own order the annotator has come: the search for the next item starts here.
    Column("cursor", BigInteger, nullable=False),
    Column("shown_at", String(32), nullable=False),
    Column("schema_version", Integer, nullable=False),
    Column("guideline", String(64)),
    UniqueConstraint("project_id", "annotator", "number"),
    ForeignKeyConstraint(["project_id", "item_id"], ["item.project_id", "item.id"]),
    Index("ix_presentation_item", "project_id", "annotator", "item_id", "repeat"),
    Index("ix_presentation_position", "project_id", "annotator", "position"),
)

label_event = Table(
    "label_event",
    metadata,
    Column("seq", Serial, primary_key=True, autoincrement=False),
    Column("op_id", String(64), nullable=False),
    Column("project_id", BigInteger, nullable=False),
    Column("presentation_id", String(64)),
    Column("item_id", Text, nullable=False),
    Column("item_hash", String(80), nullable=False),
    Column("annotator", String(64), nullable=False),
    Column("field", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("value", Text),
    # The label inside `value`, so that queries need not read JSON.
    Column("label", Text),
    Column("rev", Integer, nullable=False),
    Column("prev_rev", Integer),
    Column("repeat", Integer, nullable=False),
    # +1 where this row makes an unanswered item answered by its annotator, -1 where it makes it
    # unanswered; else 0. Sums of it are counts that can not drift from the log.
    Column("delta", Integer, nullable=False),
    Column("dwell_ms", Integer),
    Column("active_ms", Integer),
    Column("schema_version", Integer, nullable=False),
    Column("guideline", String(64)),
    Column("design", Text),
    Column("after_reveal", Boolean, nullable=False),
    Column("actor", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    UniqueConstraint("op_id", "field"),
    UniqueConstraint("project_id", "item_id", "annotator", "field", "repeat", "rev"),
    ForeignKeyConstraint(["project_id", "item_id"], ["item.project_id", "item.id"]),
    Index("ix_label_event_own", "project_id", "annotator", "seq"),
    Index("ix_label_event_presentation", "presentation_id"),
    Index(
        "ix_label_event_answered",
        "project_id",
        "item_id",
        "annotator",
        "delta",
        "repeat",
        sqlite_where=text("delta <> 0 AND repeat = 0"),
        postgresql_where=text("delta <> 0 AND repeat = 0"),
    ),
    Index(
        "ix_label_event_skip",
        "project_id",
        "annotator",
        "item_id",
        "rev",
        sqlite_where=text("kind = 'skip'"),
        postgresql_where=text("kind = 'skip'"),
    ),
)

draft = Table(
    "draft",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("item_id", Text, nullable=False),
    Column("annotator", String(64), nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("project_id", "item_id", "annotator", "repeat"),
)

claim = Table(
    "claim",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("queue", String(16), nullable=False),
    Column("item_id", Text, nullable=False),
    Column("holder", String(64), nullable=False),
    Column("expires_at", String(32), nullable=False),
    PrimaryKeyConstraint("project_id", "queue", "item_id", "holder"),
)

too_fast = Table(
    "too_fast",
    metadata,
    Column("op_id", String(64), primary_key=True),
    Column("project_id", BigInteger, nullable=False, index=True),
    Column("annotator", String(64), nullable=False),
    Column("presentation_id", String(64), nullable=False),
    Column("dwell_ms", Integer, nullable=False),
    Column("at", String(32), nullable=False),
)

reveal = Table(
    "reveal",
    metadata,
    Column("presentation_id", String(64), primary_key=True),
    Column("project_id", BigInteger, nullable=False),
    Column("item_id", Text, nullable=False),
    Column("annotator", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    Index("ix_reveal_item", "project_id", "item_id", "annotator"),
)

release = Table(
    "release",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("version", String(64), nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Column("actor", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("project_id", "version"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)
