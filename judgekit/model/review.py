"""What marks an item that code sent to people: read when its file is opened for labelling."""

from __future__ import annotations

REVIEW_KEY = "judgekit_review"
"""Metadata: the reasons. The item was picked, not drawn."""

SUSPECTED_KEY = "judgekit_suspected"
"""Metadata: true where the question is whether the trial is in order, not what a rubric asks."""

TO_CHECK = "to check"
"""Field of the context that shows people the reasons, where they are the question itself."""
