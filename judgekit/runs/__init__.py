"""runs: see the layout in docs."""
