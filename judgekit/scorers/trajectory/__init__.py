"""What an agent did: its calls against the expected ones. Pure functions over records."""
