"""The log and what is read from it: events, releases, ratings, backup."""
