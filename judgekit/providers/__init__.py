"""providers: see the layout in docs."""
