"""Every record that the label store takes or returns. All are frozen."""
