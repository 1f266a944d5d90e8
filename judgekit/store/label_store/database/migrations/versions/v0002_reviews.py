"""Flags, error analysis, goldens and approvals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from judgekit.store.label_store.database.triggers import protect

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, indexes and triggers."""
    _make_proposal()
    _make_code_event()
    _make_decision()
    _make_golden_case()
    _make_golden_entry()
    _make_golden_resolution()
    _make_flag()
    protect(op.get_bind(), ("code_event", "golden_resolution", "decision"))


def _make_proposal() -> None:
    op.create_table(
        "proposal",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("project", sa.String(length=64), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("payload_hash", sa.String(length=80), nullable=False),
        sa.Column("proposer", sa.String(length=64), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    op.create_index(op.f("ix_proposal_project"), "proposal", ["project"], unique=False)


def _make_code_event() -> None:
    op.create_table(
        "code_event",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("op_id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_code_event_project")),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_code_event")),
        sa.UniqueConstraint("op_id", name=op.f("uq_code_event_op_id")),
    )
    op.create_index(op.f("ix_code_event_project_id"), "code_event", ["project_id"], unique=False)


def _make_decision() -> None:
    op.create_table(
        "decision",
        sa.Column("proposal_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"], ["proposal.id"], name=op.f("fk_decision_proposal")
        ),
        sa.PrimaryKeyConstraint("proposal_id", name=op.f("pk_decision")),
    )


def _make_golden_case() -> None:
    op.create_table(
        "golden_case",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_golden_case_project")
        ),
        sa.PrimaryKeyConstraint("project_id", "case_id", name=op.f("pk_golden_case")),
    )


def _make_golden_entry() -> None:
    op.create_table(
        "golden_entry",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("expert", sa.String(length=64), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_golden_entry_project")
        ),
        sa.PrimaryKeyConstraint(
            "project_id", "case_id", "expert", "rev", name=op.f("pk_golden_entry")
        ),
    )


def _make_golden_resolution() -> None:
    op.create_table(
        "golden_resolution",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_golden_resolution_project")
        ),
        sa.PrimaryKeyConstraint(
            "project_id", "case_id", "field", "rev", name=op.f("pk_golden_resolution")
        ),
    )


def _make_flag() -> None:
    op.create_table(
        "flag",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("field", sa.String(length=64), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "item_id"], ["item.project_id", "item.id"], name=op.f("fk_flag_item")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_flag")),
    )
    op.create_index("ix_flag_item", "flag", ["project_id", "item_id"], unique=False)
