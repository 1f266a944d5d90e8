"""What a set of recorded trials says: quality, calls, cost, temperature, routing."""
