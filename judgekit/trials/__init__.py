"""The agent under test: k isolated trials of each case, recorded whole."""
