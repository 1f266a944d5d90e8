"""calibration: see the layout in docs."""
