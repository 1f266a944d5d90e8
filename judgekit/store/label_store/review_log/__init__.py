"""The logs of error analysis and of the golden editor: written, read, imported."""
