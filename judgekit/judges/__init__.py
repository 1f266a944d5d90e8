"""judges: see the layout in docs."""
