"""Projects, items, people and the log of label events."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from judgekit.store.label_store.database.triggers import protect

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, indexes and triggers."""
    _make_audit()
    _make_claim()
    _make_draft()
    _make_person()
    _make_project()
    _make_reveal()
    _make_too_fast()
    _make_guideline_version()
    _make_item()
    _make_release()
    _make_schema_version()
    _make_assignment()
    _make_label_event()
    _make_presentation()
    protect(op.get_bind(), ("label_event", "audit", "release"))


def _make_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("project", sa.String(length=64), nullable=True),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_action"), "audit", ["action"], unique=False)


def _make_claim() -> None:
    op.create_table(
        "claim",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("queue", sa.String(length=16), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("holder", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "queue", "item_id", "holder", name=op.f("pk_claim")),
    )


def _make_draft() -> None:
    op.create_table(
        "draft",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("annotator", sa.String(length=64), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint(
            "project_id", "item_id", "annotator", "repeat", name=op.f("pk_draft")
        ),
    )


def _make_person() -> None:
    op.create_table(
        "person",
        sa.Column("alias", sa.String(length=64), nullable=False),
        sa.Column("roles", sa.Text(), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("verified", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("alias", name=op.f("pk_person")),
        sa.UniqueConstraint("subject", name=op.f("uq_person_subject")),
    )


def _make_project() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("dataset", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )


def _make_reveal() -> None:
    op.create_table(
        "reveal",
        sa.Column("presentation_id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("annotator", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("presentation_id", name=op.f("pk_reveal")),
    )
    op.create_index(
        "ix_reveal_item", "reveal", ["project_id", "item_id", "annotator"], unique=False
    )


def _make_too_fast() -> None:
    op.create_table(
        "too_fast",
        sa.Column("op_id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("annotator", sa.String(length=64), nullable=False),
        sa.Column("presentation_id", sa.String(length=64), nullable=False),
        sa.Column("dwell_ms", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("op_id", name=op.f("pk_too_fast")),
    )
    op.create_index(op.f("ix_too_fast_project_id"), "too_fast", ["project_id"], unique=False)


def _make_guideline_version() -> None:
    op.create_table(
        "guideline_version",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_guideline_version_project")
        ),
        sa.PrimaryKeyConstraint("project_id", "ordinal", name=op.f("pk_guideline_version")),
        sa.UniqueConstraint(
            "project_id", "version", name=op.f("uq_guideline_version_project_id_version")
        ),
    )


def _make_item() -> None:
    op.create_table(
        "item",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(length=80), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("design", sa.Text(), nullable=True),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_item_project")),
        sa.PrimaryKeyConstraint("project_id", "id", name=op.f("pk_item")),
    )
    op.create_index("ix_item_slots", "item", ["project_id", "id", "slots"], unique=False)


def _make_release() -> None:
    op.create_table(
        "release",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_release_project")),
        sa.PrimaryKeyConstraint("project_id", "version", name=op.f("pk_release")),
    )


def _make_schema_version() -> None:
    op.create_table(
        "schema_version",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name=op.f("fk_schema_version_project")
        ),
        sa.PrimaryKeyConstraint("project_id", "version", name=op.f("pk_schema_version")),
    )


def _make_assignment() -> None:
    op.create_table(
        "assignment",
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("annotator", sa.String(length=64), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("order_key", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id", "item_id"],
            ["item.project_id", "item.id"],
            name=op.f("fk_assignment_item"),
        ),
        sa.PrimaryKeyConstraint(
            "project_id", "annotator", "item_id", "repeat", name=op.f("pk_assignment")
        ),
    )
    op.create_index(
        "ix_assignment_order",
        "assignment",
        ["project_id", "annotator", "repeat", "order_key", "item_id"],
        unique=False,
    )


def _make_label_event() -> None:
    op.create_table("label_event", *_label_event_columns(), *_label_event_constraints())
    _index_label_event()


def _label_event_columns() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("op_id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("presentation_id", sa.String(length=64), nullable=True),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("item_hash", sa.String(length=80), nullable=False),
        sa.Column("annotator", sa.String(length=64), nullable=False),
        sa.Column("field", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("prev_rev", sa.Integer(), nullable=True),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("delta", sa.Integer(), nullable=False),
        sa.Column("dwell_ms", sa.Integer(), nullable=True),
        sa.Column("active_ms", sa.Integer(), nullable=True),
        sa.Column("schema_version", sa.Integer(), nullable=False),
        sa.Column("guideline", sa.String(length=64), nullable=True),
        sa.Column("design", sa.Text(), nullable=True),
        sa.Column("after_reveal", sa.Boolean(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("at", sa.String(length=32), nullable=False),
    )


def _label_event_constraints() -> tuple[sa.Constraint, ...]:
    return (
        sa.ForeignKeyConstraint(
            ["project_id", "item_id"],
            ["item.project_id", "item.id"],
            name=op.f("fk_label_event_item"),
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_label_event")),
        sa.UniqueConstraint("op_id", "field", name=op.f("uq_label_event_op_id_field")),
        sa.UniqueConstraint(
            "project_id",
            "item_id",
            "annotator",
            "field",
            "repeat",
            "rev",
            name=op.f("uq_label_event_project_id_item_id_annotator_field_repeat_rev"),
        ),
    )


def _index_label_event() -> None:
    op.create_index(
        "ix_label_event_answered",
        "label_event",
        ["project_id", "item_id", "annotator", "delta", "repeat"],
        unique=False,
        sqlite_where=sa.text("delta <> 0 AND repeat = 0"),
        postgresql_where=sa.text("delta <> 0 AND repeat = 0"),
    )
    op.create_index(
        "ix_label_event_own", "label_event", ["project_id", "annotator", "seq"], unique=False
    )
    op.create_index("ix_label_event_presentation", "label_event", ["presentation_id"], unique=False)
    op.create_index(
        "ix_label_event_skip",
        "label_event",
        ["project_id", "annotator", "item_id", "rev"],
        unique=False,
        sqlite_where=sa.text("kind = 'skip'"),
        postgresql_where=sa.text("kind = 'skip'"),
    )


def _make_presentation() -> None:
    op.create_table(
        "presentation",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("project_id", sa.BigInteger(), nullable=False),
        sa.Column("annotator", sa.String(length=64), nullable=False),
        sa.Column("item_id", sa.Text(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("shown_at", sa.String(length=32), nullable=False),
        sa.Column("schema_version", sa.Integer(), nullable=False),
        sa.Column("guideline", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id", "item_id"],
            ["item.project_id", "item.id"],
            name=op.f("fk_presentation_item"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_presentation")),
        sa.UniqueConstraint(
            "project_id",
            "annotator",
            "number",
            name=op.f("uq_presentation_project_id_annotator_number"),
        ),
    )
    op.create_index(
        "ix_presentation_item",
        "presentation",
        ["project_id", "annotator", "item_id", "repeat"],
        unique=False,
    )
    op.create_index(
        "ix_presentation_position",
        "presentation",
        ["project_id", "annotator", "position"],
        unique=False,
    )
