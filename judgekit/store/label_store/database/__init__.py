"""The database: engine, tables, migrations and how its faults are told."""
