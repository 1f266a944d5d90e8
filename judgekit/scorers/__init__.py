"""scorers: see the layout in docs."""
