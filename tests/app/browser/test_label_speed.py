"""How long an annotator waits for the next item, with ten thousand items in the project."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import Visitor, load_note
from label_page import open_label, timed_decision
from seed_files import plain_items
from seed_store import events_of, seed

LABELS, WARM, ITEMS = 50, 3, 10_000
MEDIAN_MS, P95_MS = 300, 600


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("speed"), plain_items(ITEMS))


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


def test_the_next_item_is_there_in_300_ms(
    visit: Callable[..., Visitor], workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Acceptance B and L1: counted only where the machine is not busy with other things."""
    ann = visit()
    open_label(ann, "ann")
    load = os.getloadavg()[0]
    times = [timed_decision(ann, "p" if n % 2 else "n") for n in range(LABELS + WARM)][WARM:]
    load = max(load, os.getloadavg()[0])
    median, p95 = statistics.median(times), sorted(times)[int(0.95 * LABELS) - 1]
    told = (
        f"{LABELS} labels, {ITEMS} items: median {median:.0f} ms, p95 {p95:.0f} ms; {load_note()}"
    )
    with capsys.disabled():
        print(f"\n{told}")

    assert len(events_of(workspace, "ann")) == LABELS + WARM
    if load > (os.cpu_count() or 1):
        pytest.skip(f"the machine is busy, so the time does not count: {told}")
    assert median <= MEDIAN_MS, told
    assert p95 <= P95_MS, told
