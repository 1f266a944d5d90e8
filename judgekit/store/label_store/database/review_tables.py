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

from judgekit.store.label_store.database.columns import (
    alias,
    body,
    in_item,
    in_project,
    item_id,
    moment,
    project_id,
)
from judgekit.store.label_store.database.tables import Serial, metadata

flag = Table(
    "flag",
    metadata,
    Column("id", Serial, primary_key=True),
    project_id(),
    item_id(),
    Column("field", String(64), nullable=False),
    Column("reason", String(16), nullable=False),
    alias("actor"),
    Column("note", Text),
    Column("seq", BigInteger, nullable=False),
    moment(),
    in_item(),
    Index("ix_flag_item", "project_id", "item_id"),
)

code_event = Table(
    "code_event",
    metadata,
    Column("seq", Serial, primary_key=True, autoincrement=False),
    Column("op_id", String(64), nullable=False, unique=True),
    project_id(index=True),
    Column("kind", String(16), nullable=False),
    body(),
    alias("actor"),
    moment(),
    in_project(),
)

golden_event = Table(
    "golden_event",
    metadata,
    Column("seq", Serial, primary_key=True, autoincrement=False),
    Column("op_id", String(64), nullable=False, unique=True),
    project_id(index=True),
    Column("kind", String(16), nullable=False),
    body(),
    alias("actor"),
    moment(),
    # Of the event that made a proposal: its number here, which no file knows.
    Column("proposal_id", BigInteger, index=True),
    in_project(),
)

golden_case = Table(
    "golden_case",
    metadata,
    project_id(),
    Column("case_id", Text, nullable=False),
    alias("actor"),
    moment(),
    PrimaryKeyConstraint("project_id", "case_id"),
    in_project(),
)

golden_entry = Table(
    "golden_entry",
    metadata,
    project_id(),
    Column("case_id", Text, nullable=False),
    alias("expert"),
    Column("rev", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    body(),
    moment(),
    PrimaryKeyConstraint("project_id", "case_id", "expert", "rev"),
    in_project(),
)

golden_resolution = Table(
    "golden_resolution",
    metadata,
    project_id(),
    Column("case_id", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("rev", Integer, nullable=False),
    Column("decision", String(16), nullable=False),
    body(),
    alias("actor"),
    moment(),
    PrimaryKeyConstraint("project_id", "case_id", "field", "rev"),
    in_project(),
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
    alias("proposer"),
    Column("note", Text),
    moment(),
)

decision = Table(
    "decision",
    metadata,
    Column("proposal_id", BigInteger, nullable=False),
    Column("state", String(16), nullable=False),
    alias("actor"),
    Column("reason", Text),
    moment(),
    PrimaryKeyConstraint("proposal_id"),
    ForeignKeyConstraint(["proposal_id"], ["proposal.id"]),
)
