"""The tables of adjudication requests, error analysis, goldens and approvals."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

from judgekit.store.label_store.database.tables import Serial, metadata

flag = Table(
    "flag",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("project_id", BigInteger, nullable=False),
    Column("item_id", Text, nullable=False),
    Column("field", String(64), nullable=False),
    Column("reason", String(16), nullable=False),
    Column("actor", String(64), nullable=False),
    Column("note", Text),
    Column("seq", BigInteger, nullable=False),
    Column("at", String(32), nullable=False),
    ForeignKeyConstraint(["project_id", "item_id"], ["item.project_id", "item.id"]),
    Index("ix_flag_item", "project_id", "item_id"),
)

code_event = Table(
    "code_event",
    metadata,
    Column("seq", Serial, primary_key=True, autoincrement=False),
    Column("op_id", String(64), nullable=False, unique=True),
    Column("project_id", BigInteger, nullable=False, index=True),
    Column("kind", String(16), nullable=False),
    Column("body", Text, nullable=False),
    Column("actor", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)

golden_case = Table(
    "golden_case",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("actor", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("project_id", "case_id"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)

golden_entry = Table(
    "golden_entry",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("expert", String(64), nullable=False),
    Column("rev", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("body", Text, nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("project_id", "case_id", "expert", "rev"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)

golden_resolution = Table(
    "golden_resolution",
    metadata,
    Column("project_id", BigInteger, nullable=False),
    Column("case_id", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("rev", Integer, nullable=False),
    Column("decision", String(16), nullable=False),
    Column("body", Text, nullable=False),
    Column("actor", String(64), nullable=False),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("project_id", "case_id", "field", "rev"),
    ForeignKeyConstraint(["project_id"], ["project.id"]),
)

proposal = Table(
    "proposal",
    metadata,
    Column("id", Serial, primary_key=True),
    Column("project", String(64), index=True),
    Column("kind", String(32), nullable=False),
    Column("subject", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("payload_hash", String(80), nullable=False),
    Column("proposer", String(64), nullable=False),
    Column("note", Text),
    Column("at", String(32), nullable=False),
)

decision = Table(
    "decision",
    metadata,
    Column("proposal_id", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    Column("actor", String(64), nullable=False),
    Column("reason", Text),
    Column("at", String(32), nullable=False),
    PrimaryKeyConstraint("proposal_id"),
    ForeignKeyConstraint(["proposal_id"], ["proposal.id"]),
)
