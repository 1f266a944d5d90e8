"""Releases and the files they write: labels.jsonl, items.jsonl, dataset.yaml."""
