"""Run by alembic: migrate over the connection that the label store gives."""

from __future__ import annotations

from alembic import context

from judgekit.store.label_store.database.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=False,
)
with context.begin_transaction():
    context.run_migrations()
