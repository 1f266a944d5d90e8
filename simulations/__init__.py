"""Simulations of the decision rule: `make simulate` writes docs/evidence/."""
