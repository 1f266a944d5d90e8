"""Decide whether an LLM judge may be trusted."""
