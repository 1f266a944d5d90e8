"""Faults of a trial that code can see: one file a family, its detectors found by themselves."""
