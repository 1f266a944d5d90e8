"""A label store on SQLite and, where there is one, on PostgreSQL."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgekit.store.label_store import LabelStore, open_label_store

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from postgres_server import fresh_database, missing_postgres, running_postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    with running_postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'labels.db'}"
    if why := missing_postgres():
        pytest.skip(why)
    return fresh_database(request.getfixturevalue("postgres_server"))


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[LabelStore]:
    with open_label_store(url, tmp_path) as opened:
        yield opened
