"""Comparators of field values: one file a kind, found by its name."""
