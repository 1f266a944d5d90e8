"""Frozen records that every stage takes and returns."""
