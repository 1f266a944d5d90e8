"""The form of the log on the disk: aliases, file names, lines."""
