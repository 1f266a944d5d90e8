"""The label store: one object per process, safe in threads, several processes at once."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from judgekit.store.label_store.adjudicating.adjudication import Adjudication
from judgekit.store.label_store.database.engine import Database, open_database
from judgekit.store.label_store.keeping.backup import back_up
from judgekit.store.label_store.keeping.events import EventLog
from judgekit.store.label_store.keeping.releases import Ratings, Releases
from judgekit.store.label_store.labelling.drafts import Claims, Drafts
from judgekit.store.label_store.labelling.labels import Labels
from judgekit.store.label_store.labelling.queue import Queue
from judgekit.store.label_store.records.events import EventMirror
from judgekit.store.label_store.reviewing.codes import Codes
from judgekit.store.label_store.reviewing.goldens import Goldens
from judgekit.store.label_store.reviewing.proposals import Proposals
from judgekit.store.label_store.setting_up.people import AuditLog, People
from judgekit.store.label_store.setting_up.projects import Projects


class LabelStore:
    """Everything about human labels, in parts. Make it with `open_label_store`.

    Attributes:
        projects: open and change projects, import items.
        people: who may do what.
        audit: every change of a role, seed, overlap or sign-in.
        queue: an annotator's next item, progress and own labels.
        labels: save, skip, undo.
        drafts: half-typed work.
        claims: who holds an item for a while.
        adjudication: what differs, and decisions about it.
        codes: error analysis.
        goldens: expert entries of golden cases.
        proposals: what waits in Approvals.
        releases: frozen folds of the log.
        ratings: raw pairs for agreement, and pace.
        events: the append-only log.
        url: the database's address without password.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.url = database.shown_url
        self.projects = Projects(database)
        self.people = People(database)
        self.audit = AuditLog(database)
        self.queue = Queue(database)
        self.labels = Labels(database)
        self.drafts = Drafts(database)
        self.claims = Claims(database)
        self.adjudication = Adjudication(database)
        self.codes = Codes(database)
        self.goldens = Goldens(database)
        self.proposals = Proposals(database)
        self.releases = Releases(database)
        self.ratings = Ratings(database)
        self.events = EventLog(database)

    def backup(self, path: Path) -> Path:
        """Write a whole copy of the SQLite database to a new file (`VACUUM INTO`).

        Raises:
            InputError: the file exists, or the database is PostgreSQL (use `pg_dump`).
        """
        return back_up(self._database, path)

    def close(self) -> None:
        """Close all connections; the store cannot be used after."""
        self._database.close()

    def __enter__(self) -> LabelStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_label_store(
    url: str | None, root: Path, *, mirror: EventMirror | None = None
) -> LabelStore:
    """Open the label database, make or upgrade its tables, and bring the mirror up to date.

    Args:
        url: `postgresql+psycopg://...` or `sqlite:///...`; None is `<root>/.judgekit/labels.db`.
        root: the workspace's folder.
        mirror: where saved events also go; None keeps them in the database only.

    Raises:
        StoreFailed: (exit 5) the database is corrupt, locked, read-only, not reachable, or
            written by a newer judgekit. One message, no traceback.

    Example:
        >>> import tempfile
        >>> with open_label_store(None, Path(tempfile.mkdtemp())) as store:
        ...     store.projects.list()
        ()
    """
    store = LabelStore(open_database(url, root, mirror=mirror))
    try:
        store.events.catch_up()
    except BaseException:
        store.close()
        raise
    return store
