"""Golden cases: notes and failure modes, candidates, and the reviewed records."""
