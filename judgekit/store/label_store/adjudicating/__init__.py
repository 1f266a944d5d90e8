"""Adjudication: what needs it, what is shown of it, and decisions."""
