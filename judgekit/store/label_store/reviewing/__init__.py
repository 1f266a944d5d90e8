"""After labelling: adjudication, error analysis, goldens, proposals."""
