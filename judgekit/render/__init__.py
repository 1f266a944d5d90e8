"""render: see the layout in docs."""
