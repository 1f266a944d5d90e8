"""cli: see the layout in docs."""
