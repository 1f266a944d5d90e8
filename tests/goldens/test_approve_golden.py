from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from golden_records import BODY, expectation

from judgekit.errors import InputError
from judgekit.goldens.approve_golden import accept_golden, golden_changes, golden_proposal
from judgekit.goldens.merge import Settlement, merge
from judgekit.model.golden import Expectation, GoldenSource
from judgekit.model.item import Item
from judgekit.store.goldens_file import dataset_goldens, goldens_path

AT = datetime(2026, 11, 30, 10, tzinfo=UTC)
PARTS = {key: BODY[key] for key in Expectation.model_fields if key in BODY}


def proposed(
    folder: Path, case: str = "case-1", proposer: str = "eve", **changes: Any
) -> dict[str, Any]:
    one = expectation(**{**PARTS, **changes})
    other = one.model_copy(update={"scenario": "hard"})
    settled = Settlement(
        part="/scenario", outcome="redefined", value="edge", reason="rare", by="eve"
    )
    return golden_proposal(
        Item(id=case, group="g1", input="Where is my refund?"),
        merge(one, other, [settled]),
        folder=folder,
        split="holdout",
        reviewers=("bob", "ann"),
        proposer=proposer,
        source=GoldenSource(item_id=case, failure_mode="wrong_amount", note="promised too much"),
    )


def test_an_approved_proposal_is_the_golden_that_the_scorers_load(tmp_path: Path) -> None:
    """G10: propose, approve, load: fields, paths, forbidden calls, state and who did what."""
    golden = accept_golden(tmp_path, proposed(tmp_path), approver="lea", at=AT)
    assert dataset_goldens(tmp_path) == (golden,)
    assert (golden.reviewers, golden.proposer, golden.approver) == (("ann", "bob"), "eve", "lea")
    assert (golden.split, golden.scenario, golden.group_key) == ("holdout", "edge", "g1")
    assert golden.source.note == "promised too much"
    assert golden.redefined[0].part == "/scenario"
    assert golden.scores_paths
    assert {name: getattr(golden, name) for name in ("fields", "forbidden", "state")} == {
        name: getattr(expectation(**PARTS), name) for name in ("fields", "forbidden", "state")
    }


@pytest.mark.parametrize("approver", ["eve", "ann", "bob"])
def test_the_proposer_and_the_experts_cannot_approve(tmp_path: Path, approver: str) -> None:
    """G9: nothing is written."""
    with pytest.raises(InputError, match="neither proposer nor reviewer"):
        accept_golden(tmp_path, proposed(tmp_path), approver=approver, at=AT)
    assert not goldens_path(tmp_path).exists()


def test_approving_twice_changes_nothing(tmp_path: Path) -> None:
    """G11: an approval that died after the file was written can be repeated."""
    payload = proposed(tmp_path)
    accept_golden(tmp_path, payload, approver="lea", at=AT)
    before = goldens_path(tmp_path).read_bytes()
    accept_golden(tmp_path, payload, approver="max", at=datetime(2027, 1, 1, tzinfo=UTC))
    assert goldens_path(tmp_path).read_bytes() == before


def test_a_proposal_on_top_of_an_older_golden_is_refused(tmp_path: Path) -> None:
    """G11: two proposals of one case: the second does not overwrite the first in silence."""
    first, second = proposed(tmp_path), proposed(tmp_path, fields={"amount": {"value": 1}})
    accept_golden(tmp_path, first, approver="lea", at=AT)
    before = goldens_path(tmp_path).read_bytes()
    with pytest.raises(InputError, match="was changed after this was proposed"):
        accept_golden(tmp_path, second, approver="lea", at=AT)
    assert goldens_path(tmp_path).read_bytes() == before
    again = proposed(tmp_path, fields={"amount": {"value": 1}})
    changes = {change.part: change.kind for change in golden_changes(tmp_path, again)}
    assert changes["/fields/amount"] == "changed"
    assert changes["/fields/coupon"] == "removed"
    assert accept_golden(tmp_path, again, approver="lea", at=AT).fields["amount"].value == 1


def test_the_changes_of_a_first_proposal_are_all_added(tmp_path: Path) -> None:
    changes = golden_changes(tmp_path, proposed(tmp_path))
    assert {change.kind for change in changes} == {"added"}
    after = next(change.after for change in changes if change.part == "/fields/note")
    assert json.loads(after or "") == {"value": ""}


def test_a_broken_file_is_never_overwritten(tmp_path: Path) -> None:
    """G11: a file that cannot be read stays as it is."""
    payload = proposed(tmp_path)
    goldens_path(tmp_path).write_text("<<<<<<< ours\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"goldens\.jsonl"):
        accept_golden(tmp_path, payload, approver="lea", at=AT)
    assert goldens_path(tmp_path).read_text(encoding="utf-8") == "<<<<<<< ours\n"


def test_two_leads_approving_at_once_lose_no_case(tmp_path: Path) -> None:
    """G11: one writer at a time."""
    cases = [f"case-{n:02}" for n in range(12)]
    payloads = [proposed(tmp_path, case) for case in cases]
    threads = [
        threading.Thread(
            target=accept_golden, args=(tmp_path, one), kwargs={"approver": "lea", "at": AT}
        )
        for one in payloads
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [golden.id for golden in dataset_goldens(tmp_path)] == cases


@pytest.mark.parametrize(
    ("payload", "field"),
    [({}, "golden"), ({"golden": {}, "more": 1}, "more"), ({"golden": {"id": "x"}}, "reviewers")],
)
def test_a_payload_that_is_no_golden_is_refused(
    tmp_path: Path, payload: dict[str, Any], field: str
) -> None:
    with pytest.raises(InputError) as caught:
        accept_golden(tmp_path, payload, approver="lea", at=AT)
    assert field in str(caught.value)


def test_a_golden_needs_two_experts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two experts"):
        golden_proposal(
            Item(id="x"),
            merge(expectation(), expectation()),
            folder=tmp_path,
            split=None,
            reviewers=("ann", "ann"),
            proposer="eve",
            source=GoldenSource(),
        )
