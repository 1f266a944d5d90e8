"""approval: see the layout in docs."""
