"""The log of the golden editor, begun with what the tables hold so far."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from judgekit.store.label_store.database.golden_history import logged_so_far
from judgekit.store.label_store.database.triggers import protect

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, its indexes and triggers, and write what happened before it was there."""
    table = op.create_table(
        "golden_event",
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
        sa.Column("proposal_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_golden_event_project")
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_golden_event")),
        sa.UniqueConstraint("op_id", name=op.f("uq_golden_event_op_id")),
    )
    for column in ("project_id", "proposal_id"):
        op.create_index(op.f(f"ix_golden_event_{column}"), "golden_event", [column], unique=False)
    rows = logged_so_far(op.get_bind())
    if rows:
        op.bulk_insert(table, rows)
    protect(op.get_bind(), ("golden_event",))
