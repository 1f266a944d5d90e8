"""Labels as files: event log, fold into labels.jsonl, releases, import and export. No SQL."""
