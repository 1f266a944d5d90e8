"""Twenty annotators at once: every label is stored once, and every clash is told to somebody."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from many_annotators import RACE_EVERY, REPEAT_EVERY, label_in_threads
from seed_files import plain_items
from seed_store import PROJECT, open_store, seed

from judgekit.store.label_files.mirror import read_event_folder
from judgekit.store.label_store import ProjectSettings

PROCESSES, IN_EACH, LABELS = 4, 5, 100
USERS = [f"user{number:02d}" for number in range(PROCESSES * IN_EACH)]
SETTINGS = ProjectSettings(
    labels_per_item=len(USERS), overlap_share=0, overlap_min=0, repeat_share=0, min_dwell_ms=0
)


def test_two_thousand_labels_of_twenty_annotators_on_sqlite(tmp_path: Path) -> None:
    """Acceptance C."""
    _twenty_label(tmp_path, None)


def test_two_thousand_labels_of_twenty_annotators_on_postgresql(
    tmp_path: Path, postgresql_url: str
) -> None:
    """Acceptance C."""
    _twenty_label(tmp_path, postgresql_url)


def _twenty_label(folder: Path, url: str | None) -> None:
    seed(folder, plain_items(LABELS), settings=SETTINGS, url=url)

    told = _run(folder, url)

    raced = -(-LABELS // RACE_EVERY)
    repeated = sum(n % REPEAT_EVERY == 0 and n % RACE_EVERY != 0 for n in range(LABELS))
    for user, counts in told.items():
        clashes = counts["conflict"] + counts["stale"]
        assert (counts["saved"], counts["already_saved"], clashes) == (LABELS, repeated, raced), (
            user,
            counts,
        )
    with open_store(folder, url) as store:
        events = list(store.events.since(0, project=PROJECT))
    assert len(events) == len(USERS) * LABELS
    assert len({(e.annotator, e.item_id) for e in events}) == len(events)
    assert {e.rev for e in events} == {1}
    assert [e.seq for e in events] == sorted({e.seq for e in events})
    mirrored = read_event_folder(folder / "annotations" / PROJECT)
    assert Counter(e.key for own in mirrored.values() for e in own) == Counter(
        e.key for e in events
    )


def _run(folder: Path, url: str | None) -> dict[str, Counter[str]]:
    shares = [USERS[n::PROCESSES] for n in range(PROCESSES)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        jobs = [pool.submit(label_in_threads, str(folder), url, own, LABELS) for own in shares]
        return {user: Counter(told) for job in jobs for user, told in job.result().items()}


def test_a_store_that_loses_a_clash_would_be_seen(tmp_path: Path) -> None:
    """The count of clashes can fail: a second tab that waits its turn is no clash."""
    seed(tmp_path, plain_items(1), settings=SETTINGS)

    told = label_in_threads(str(tmp_path), None, ["user00"], 1)["user00"]

    assert told["saved"] == 1
    with pytest.raises(AssertionError, match="nothing left"):
        label_in_threads(str(tmp_path), None, ["user00"], 1)
