"""The tables, in SQLAlchemy Core: the same on SQLite and PostgreSQL.

JSON is canonical text and times are ISO 8601 in UTC with microseconds, so that both engines keep
the same bytes and sort them alike. Tables in `APPEND_ONLY` refuse UPDATE and DELETE by trigger.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
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

from judgekit.store.label_store.database.columns import (
    alias,
    body,
    in_item,
    in_project,
    item_id,
    moment,
    project_id,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
    }
)
APPEND_ONLY = (
    "label_event",
    "audit",
    "code_event",
    "golden_event",
    "release",
    "golden_resolution",
    "decision",
)
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
    moment(),
    alias("actor"),
)

schema_version = Table(
    "schema_version",
    metadata,
    project_id(),
    Column("version", Integer, nullable=False),
    body(),
    moment(),
    alias("actor"),
    PrimaryKeyConstraint("project_id", "version"),
    in_project(),
)

guideline_version = Table(
    "guideline_version",
    metadata,
    project_id(),
    Column("ordinal", Integer, nullable=False),
    Column("version", String(64), nullable=False),
    body(),
    moment(),
    alias("actor"),
    PrimaryKeyConstraint("project_id", "ordinal"),
    UniqueConstraint("project_id", "version"),
    in_project(),
)

item = Table(
    "item",
    metadata,
    project_id(),
    Column("id", Text, nullable=False),
    Column("hash", String(80), nullable=False),
    Column("slots", Integer, nullable=False),
    Column("source", Text),
    Column("design", Text),
    moment(),
    body(),
    PrimaryKeyConstraint("project_id", "id"),
    in_project(),
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
    moment(),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Serial, primary_key=True),
    moment(),
    alias("actor"),
    Column("action", String(64), nullable=False, index=True),
    Column("project", String(64)),
    Column("subject", Text),
    Column("before", Text),
    Column("after", Text),
)

assignment = Table(
    "assignment",
    metadata,
    project_id(),
    alias("annotator"),
    item_id(),
    Column("repeat", Integer, nullable=False),
    Column("order_key", BigInteger, nullable=False),
    PrimaryKeyConstraint("project_id", "annotator", "item_id", "repeat"),
    in_item(),
    Index("ix_assignment_order", "project_id", "annotator", "repeat", "order_key", "item_id"),
)

presentation = Table(
    "presentation",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("number", BigInteger, nullable=False),
    project_id(),
    alias("annotator"),
    item_id(),
    Column("repeat", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    # How far down the own order the annotator has come: the search for the next item starts here.
    Column("cursor", BigInteger, nullable=False),
    moment("shown_at"),
    Column("schema_version", Integer, nullable=False),
    Column("guideline", String(64)),
    UniqueConstraint("project_id", "annotator", "number"),
    in_item(),
    Index("ix_presentation_item", "project_id", "annotator", "item_id", "repeat"),
    Index("ix_presentation_position", "project_id", "annotator", "position"),
)

label_event = Table(
    "label_event",
    metadata,
    Column("seq", Serial, primary_key=True, autoincrement=False),
    Column("op_id", String(64), nullable=False),
    project_id(),
    Column("presentation_id", String(64)),
    item_id(),
    Column("item_hash", String(80), nullable=False),
    alias("annotator"),
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
    alias("actor"),
    moment(),
    UniqueConstraint("op_id", "field"),
    UniqueConstraint("project_id", "item_id", "annotator", "field", "repeat", "rev"),
    in_item(),
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
    project_id(),
    item_id(),
    alias("annotator"),
    Column("repeat", Integer, nullable=False),
    body(),
    moment(),
    PrimaryKeyConstraint("project_id", "item_id", "annotator", "repeat"),
)

claim = Table(
    "claim",
    metadata,
    project_id(),
    Column("queue", String(16), nullable=False),
    item_id(),
    alias("holder"),
    moment("expires_at"),
    PrimaryKeyConstraint("project_id", "queue", "item_id", "holder"),
)

too_fast = Table(
    "too_fast",
    metadata,
    Column("op_id", String(64), primary_key=True),
    project_id(index=True),
    alias("annotator"),
    Column("presentation_id", String(64), nullable=False),
    Column("dwell_ms", Integer, nullable=False),
    moment(),
)

reveal = Table(
    "reveal",
    metadata,
    Column("presentation_id", String(64), primary_key=True),
    project_id(),
    item_id(),
    alias("annotator"),
    moment(),
    Index("ix_reveal_item", "project_id", "item_id", "annotator"),
)

release = Table(
    "release",
    metadata,
    project_id(),
    Column("version", String(64), nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    body(),
    alias("actor"),
    moment(),
    PrimaryKeyConstraint("project_id", "version"),
    in_project(),
)
