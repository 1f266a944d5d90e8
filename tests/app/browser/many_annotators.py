"""Annotators at work through the store alone: what each of the processes runs."""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from seed_store import PROJECT, open_store

from judgekit.store.label_store import Answer, LabelStore, Presentation

RACE_EVERY = 10
REPEAT_EVERY = 7


def label_in_threads(
    folder: str, url: str | None, users: list[str], labels: int
) -> dict[str, dict[str, int]]:
    """Let each user label in a thread of this process; return what the store answered, counted."""
    with open_store(Path(folder), url) as store, ThreadPoolExecutor(len(users)) as pool:
        told = pool.map(lambda user: _label(store, user, labels), users)
        return {user: dict(counts) for user, counts in zip(users, told, strict=True)}


def _label(store: LabelStore, user: str, labels: int) -> Counter[str]:
    told: Counter[str] = Counter()
    for number in range(labels):
        shown = store.queue.next_presentation(PROJECT, user)
        assert shown is not None, f"{user} has nothing left after {number}"
        if number % RACE_EVERY == 0:
            told.update(_race(store, shown, user))
            continue
        operation = str(uuid.uuid4())
        told[_save(store, shown, user, "pass", operation)] += 1
        if number % REPEAT_EVERY == 0:
            told[_save(store, shown, user, "pass", operation)] += 1
    return told


def _race(store: LabelStore, shown: Presentation, user: str) -> list[str]:
    """Two tabs of one person answer the same item at the same moment, differently."""
    start = threading.Barrier(2)

    def tab(label: str) -> str:
        start.wait()
        return _save(store, shown, user, label, str(uuid.uuid4()))

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(tab, ("pass", "fail")))


def _save(store: LabelStore, shown: Presentation, user: str, label: str, operation: str) -> str:
    answer = Answer(label=label)
    return store.labels.save(
        shown.id, answer, annotator=user, op_id=operation, rev_seen=shown.rev
    ).kind
