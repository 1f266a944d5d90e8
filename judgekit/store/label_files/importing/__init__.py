"""What an import reads, and the report on it."""
