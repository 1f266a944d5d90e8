"""gate: see the layout in docs."""
