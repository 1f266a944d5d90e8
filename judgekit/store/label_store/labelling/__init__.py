"""One annotator at work: own queue, presentations, saving, drafts, claims."""
