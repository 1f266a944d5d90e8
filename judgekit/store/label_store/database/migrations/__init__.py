"""The list of migrations, run by alembic when a database is opened."""
