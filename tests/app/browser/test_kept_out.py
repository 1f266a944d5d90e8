"""Somebody without the role is told so, and is sent nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from app_server import AppServer
from browser_driver import CheckFailed, Visitor
from seed_files import JUDGE, SECRETS
from seed_full import seed_full

Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed_full(tmp_path_factory.mktemp("kept-out"))


@pytest.fixture(scope="module")
def server(workspace: Path, serve: Callable[..., AppServer]) -> AppServer:
    return serve(workspace)


@pytest.mark.parametrize(
    "page",
    ["adjudicate", "error_analysis", "goldens", "calibrate", "disagreements", "approvals", "admin"],
)
def test_an_annotator_gets_no_data_of_other_pages(visit: Visit, page: str) -> None:
    """M5, on the wire: "not allowed", and no name, verdict or label."""
    ann = visit()
    ann.open(f"/{page}?user=ann")
    ann.wait_probe(page=page)
    ann.expect_text("Not allowed")
    ann.expect_never_sent(*SECRETS, "leo", "case-0", "Reply 0", control="Not allowed")


def test_who_has_the_role_is_sent_what_the_others_are_not(visit: Visit) -> None:
    """The control of M5: the same page does carry the judge's name to an engineer."""
    eve = visit()
    eve.open("/calibrate?user=eve")
    eve.expect_text(JUDGE)
    with pytest.raises(CheckFailed, match="was sent"):
        eve.expect_never_sent(JUDGE, control="Calibrate")
