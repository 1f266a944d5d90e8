"""File formats: rows of JSONL, CSV and Parquet, and YAML with line numbers."""
