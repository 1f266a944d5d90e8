"""One annotator's own order of items: what is next, what was done, how much is left."""

from __future__ import annotations

from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.labelling import OwnLabel, Presentation, Progress


class Queue(Part):
    """`store.queue`: everything here is about one annotator and returns nobody else's work."""

    def next_presentation(self, project: str, annotator: str) -> Presentation | None:
        """Return the item to label now, or None when nothing is left for this annotator.

        That is the item shown and not yet answered (so a reload returns the same one), else the
        first unlabelled of the own order, hash(seed, annotator, item), that still wants a label
        and nobody else holds; then hidden repeats when they are due; then skipped items, the
        longest skipped first. The item is claimed for `claim_s` seconds.

        Raises:
            InputError: there is no such project, or it is archived.
        """
        raise NotImplementedError

    def present(self, project: str, annotator: str, item_id: str) -> Presentation:
        """Show one given item: a jump, or one's own label reopened with its values.

        Raises:
            InputError: the project has no such item, or this annotator's label on it is released.
        """
        raise NotImplementedError

    def presentation(self, presentation_id: str, annotator: str) -> Presentation:
        """Return a presentation again, as it stands now.

        Raises:
            InputError: there is none of that id for this annotator.
        """
        raise NotImplementedError

    def progress(self, project: str, annotator: str) -> Progress:
        """Return the annotator's counts, queried from the log now."""
        raise NotImplementedError

    def last_labels(self, project: str, annotator: str, *, limit: int = 10) -> tuple[OwnLabel, ...]:
        """Return own current labels, newest first (hidden repeats are not told apart)."""
        raise NotImplementedError

    def labelled_ids(self, project: str, annotator: str) -> tuple[str, ...]:
        """Return the ids of own labelled items in own order, for the jump box."""
        raise NotImplementedError
