"""store: see the layout in docs."""
