"""Goldens: an entry or a draft that cannot be read is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from golden_desk import golden_workspace, opened, texts

from judgekit.store.label_store import LabelStore, open_label_store


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return golden_workspace(tmp_path, monkeypatch)


@pytest.fixture
def store(root: Path) -> Iterator[LabelStore]:
    with open_label_store(None, root) as opened_store:
        yield opened_store


@pytest.mark.parametrize("bodies", [({},), ({"value": 1},), ({}, {"value": 1})])
def test_an_entry_that_cannot_be_read_is_told_and_is_no_traceback(
    root: Path, store: LabelStore, bodies: tuple[dict[str, Any], ...]
) -> None:
    """An older import may have let one in."""
    for case in ("case-1", "case-2"):
        for expert, body in zip(("eve", "bob"), bodies, strict=False):
            store.goldens.save("desk", case, body, expert=expert, rev_seen=0, done=True)
    for user in ("eve", "bob"):
        app = opened(user, case="case-1")
        assert not app.exception
        if user == "eve" or len(bodies) == 2:
            assert "entry cannot be read" in texts(app)
    assert not opened("eve", **{"goldens-tab": "Agreement"}).exception


def test_a_draft_that_cannot_be_read_is_told_and_is_no_traceback(
    root: Path, store: LabelStore
) -> None:
    store.goldens.save("desk", "case-1", {"value": 1}, expert="eve", rev_seen=0)
    assert "entry cannot be read" in texts(opened("eve", case="case-1"))
