from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from desk import open_desk

from judgekit.store.label_store import LabelStore, open_label_store

WORKER = Path(__file__).with_name("worker.py")


def start(url: str, alias: str, count: int, mode: str = "queue") -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), url, alias, str(count), mode]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> list[list[str]]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return [line.split() for line in out.splitlines()]


def test_annotators_at_once_lose_nothing_and_share_the_places(url: str, tmp_path: Path) -> None:
    """Acceptance C, small: every label of every process is there, once."""
    with open_label_store(url, tmp_path) as store:
        open_desk(store, 90, overlap_share=0.0, labels_per_item=2)
        workers = [start(url, f"w{k}", 20) for k in range(6)]
        said = [line for worker in workers for line in finished(worker)]
        assert Counter(kind for _, kind in said) == {"saved": 120}
        events = list(store.events.since())
        assert sorted(e.op_id for e in events) == sorted(op for op, _ in said)
        assert [e.seq for e in events] == list(range(1, 121))
        fill = store.ratings.fill("desk")
        assert set(fill) <= {0, 1, 2}
        assert fill.get(1, 0) + 2 * fill[2] == 120


def test_writers_on_one_item_get_revisions_without_gaps(url: str, tmp_path: Path) -> None:
    """Optimistic revisions: every loser is told, nothing is written over."""
    with open_label_store(url, tmp_path) as store:
        open_desk(store, 2)
        workers = [start(url, "ana", 15, "same") for _ in range(4)]
        said = [line for worker in workers for line in finished(worker)]
        kinds = Counter(kind for _, kind in said)
        assert set(kinds) <= {"saved", "conflict"}
        assert sum(kinds.values()) == 60
        assert [e.rev for e in store.events.since()] == list(range(1, kinds["saved"] + 1))


@pytest.mark.parametrize("n_acknowledged", [1, 2, 5, 9, 14])
def test_a_killed_process_loses_no_acknowledged_label(
    url: str, tmp_path: Path, n_acknowledged: int
) -> None:
    """Fast 3: kill -9 in the middle of labelling."""
    with open_label_store(url, tmp_path) as store:
        open_desk(store, 400)
        worker = start(url, "ana", 400)
        assert worker.stdout is not None
        said = [worker.stdout.readline().split()[0] for _ in range(n_acknowledged)]
        worker.send_signal(signal.SIGKILL)
        said += [line.split()[0] for line in worker.stdout.read().splitlines() if " " in line]
        worker.communicate(timeout=60)
        stored = [e.op_id for e in store.events.since()]
        assert len(stored) == len(set(stored))
        assert set(said) <= set(stored)
        assert len(stored) - len(said) <= 1
        assert_usable(store)


def assert_usable(store: LabelStore) -> None:
    shown = store.queue.next_presentation("desk", "ana")
    assert shown is not None
    assert shown.answer is None
