"""Example agents of the workspace. Everything in them is synthetic."""
