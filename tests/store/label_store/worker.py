"""One annotator in a process of its own: `worker.py URL ALIAS COUNT MODE` labels and reports.

MODE `queue` labels what comes next; `same` writes newer and newer revisions of c1 as one person.
Every answer is printed as `<op_id> <kind>` once the store has given it.
"""

from __future__ import annotations

import sys
import uuid
from pathlib import Path

from judgekit.store.label_store import Answer, LabelStore, Presentation, open_label_store


def main(url: str, alias: str, count: int, mode: str) -> None:
    """Label `count` times."""
    with open_label_store(url, Path.cwd()) as store:
        for _ in range(count):
            shown = _shown(store, alias, mode)
            if shown is None:
                return
            op = uuid.uuid4().hex
            result = store.labels.save(
                shown.id, Answer(label="pass"), annotator=alias, op_id=op, rev_seen=shown.rev
            )
            print(op, result.kind, flush=True)


def _shown(store: LabelStore, alias: str, mode: str) -> Presentation | None:
    if mode == "same":
        return store.queue.present("desk", alias, "c1")
    return store.queue.next_presentation("desk", alias)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
