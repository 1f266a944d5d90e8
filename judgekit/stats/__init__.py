"""Pure numbers: arrays in, estimates out. No items, files, clock or global random state."""
