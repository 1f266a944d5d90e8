"""Approvals: a second person decides; what is written is what the page showed."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import pytest
from judge_desk import command, component, example_workspace, open_project, opened, sent, texts
from streamlit.testing.v1 import AppTest

from judgekit.approval.lockfile import read_lock
from judgekit.model.canonical import bytes_hash
from judgekit.store.label_files.imports import apply_import, plan_import
from judgekit.store.label_store import LabelStore, Proposed, open_label_store
from judgekit.store.workspace import find_workspace

DESK = Path("annotations") / "refund_desk"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return example_workspace(tmp_path, monkeypatch)


@pytest.fixture
def labelled(root: Path) -> Path:
    """The example's labels are in the log, none of them released."""
    open_project(root)
    path = root / DESK / "labels.jsonl"
    import_labels(root, path.read_text(encoding="utf-8").splitlines()[:60])
    path.unlink()
    return root


def import_labels(root: Path, lines: list[str]) -> None:
    source = ("labels.jsonl", ("\n".join(lines) + "\n").encode())
    with open_label_store(None, root) as store:
        plan = plan_import(store, "refund_desk", source, kind="labels", actor="lea")
        apply_import(store, plan, actor="lea")


def propose_release(user: str = "lea") -> AppTest:
    app = opened("approvals", user=user)
    app.toggle("prepare-release").set_value(True).run()
    app.button("propose-release").click().run()
    assert "Proposed: a lead who is not you decides it." in texts(app)
    return app


def rows(app: AppTest, key: str) -> dict[str, str]:
    return {row[0]: row[1] for row in component(app, key)["rows"]}


def propose_judge(root: Path, capsys: pytest.CaptureFixture[str], proposer: str = "eve") -> None:
    """Look at the holdout and propose policy-rules, as the button on Calibrate does."""
    command(capsys, root, "calibrate", "--judge", "policy-rules")
    app = opened("calibrate", user=proposer, split="holdout", judges=["policy-rules"])
    app.text_input("why-policy-rules").set_value("May holdout").run()
    app.button("propose-policy-rules").click().run()
    assert "Proposed: it waits in Approvals" in texts(app)


def test_an_annotator_is_told_not_allowed_and_gets_no_proposal(labelled: Path) -> None:
    propose_release()
    app = opened("approvals", user="ann")
    assert "Not allowed" in texts(app)
    assert "sha256:" not in sent(app)


def test_the_proposer_of_a_release_cannot_approve_it(labelled: Path) -> None:
    """P1: no button on the page, and the store refuses as well."""
    app = propose_release()
    assert "another lead decides it" in texts(app)
    assert [b.key for b in app.button if b.key in ("approve", "send-back")] == []
    with open_label_store(None, labelled) as store:
        (one,) = store.proposals.list()
        refused = store.proposals.approve(one.id, approver="lea", payload_hash=one.payload_hash)
    assert refused.kind == "not_decided"
    assert not (labelled / DESK / "labels.jsonl").exists()


def test_an_engineer_sees_what_waits_and_cannot_decide(labelled: Path) -> None:
    propose_release()
    app = opened("approvals", user="eve")
    assert "Only a lead approves or sends back." in texts(app)
    assert [b.key for b in app.button if b.key == "approve"] == []


def test_approving_writes_the_file_whose_hash_the_page_showed(labelled: Path) -> None:
    """P2."""
    propose_release()
    app = opened("approvals", user="leo")
    assert rows(app, "release-summary")["items that still wait for adjudication"].isdigit()
    shown = rows(app, "release-summary")["labels.jsonl"]
    app.button("approve").click().run()
    assert f"labels.jsonl has {shown}" in texts(app)
    assert bytes_hash((labelled / DESK / "labels.jsonl").read_bytes()) == shown
    with open_label_store(None, labelled) as store:
        (release,) = store.releases.list("refund_desk")
        (decided,) = store.proposals.list(state="approved")
    assert (release.actor, release.hashes["labels.jsonl"]) == ("leo", shown)
    assert (decided.proposer, decided.decided_by) == ("lea", "leo")


def test_labels_given_after_the_proposal_are_not_in_the_release(labelled: Path, root: Path) -> None:
    """P3: before the approval and after it."""
    propose_release()
    every = json_lines(root)
    import_labels(labelled, every[60:64])
    app = opened("approvals", user="leo")
    shown = rows(app, "release-summary")["labels.jsonl"]
    app.button("approve").click().run()
    import_labels(labelled, every[64:68])
    data = (labelled / DESK / "labels.jsonl").read_bytes()
    assert bytes_hash(data) == shown
    assert len(data.splitlines()) == 60


def json_lines(root: Path) -> list[str]:
    from judge_desk import REPOSITORY

    return (REPOSITORY / DESK / "labels.jsonl").read_text(encoding="utf-8").splitlines()


def test_the_counts_of_the_difference_are_those_of_the_lines(labelled: Path, root: Path) -> None:
    """P5: against the release before."""
    propose_release()
    opened("approvals", user="leo").button("approve").click().run()
    before = (labelled / DESK / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    import_labels(labelled, json_lines(root)[60:67])
    propose_release("leo")
    app = opened("approvals", user="lea")
    counts = rows(app, "release-counts")
    app.button("approve").click().run()
    after = (labelled / DESK / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
    added = sum(line.startswith("+") for line in lines)
    assert (counts["added"], counts["changed"], counts["removed"]) == (str(added), "0", "0")


def test_sending_back_needs_a_reason_which_the_proposer_sees(labelled: Path) -> None:
    """P4."""
    propose_release()
    app = opened("approvals", user="leo")
    app.button("send-back").click().run()
    assert "needs a reason" in texts(app)
    (box,) = [box for box in app.text_input if str(box.key).startswith("reason-")]
    box.set_value("Ben is not done.").run()
    app.button("send-back").click().run()
    back = opened("approvals", user="lea")
    assert "Sent back to you: " in texts(back)
    assert "leo: Ben is not done." in texts(back)
    assert not (labelled / DESK / "labels.jsonl").exists()


def test_a_judge_is_approved_through_the_function_of_approve(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_project(root)
    propose_judge(root, capsys)
    app = opened("approvals", user="leo")
    figures = component(app, "judge-figures")["rows"]
    expected = command(capsys, root, "calibrate", "--judge", "policy-rules")
    told = next(row[2] for row in figures if row[0] == "kappa")
    assert told.startswith(f"{expected['kappa']['value']:.3f}")
    sign(app, "Read all 11 disagreements.")
    assert "policy-rules is approved in judges.lock" in texts(app)
    (approval,) = read_lock(root / "judges.lock").approvals
    assert (approval.approver, approval.self_approved) == ("leo", False)
    assert approval.fingerprint == expected["fingerprint"]
    assert command(capsys, root, "verify")["approvals"][0]["verified"] is True
    looks = (root / DESK / "looks.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(looks) == 1


def sign(app: AppTest, reason: str) -> None:
    (box,) = [box for box in app.text_input if str(box.key).startswith("reason-")]
    box.set_value(reason).run()
    app.button("approve").click().run()


def test_whoever_labelled_cannot_approve_a_judge_here(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P1: `allow_self_approval` holds on the command line only."""
    settings = root / "judgekit.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("leo: {roles", "ben: {roles"), encoding="utf-8")
    open_project(root)
    propose_judge(root, capsys)
    app = opened("approvals", user="ben")
    sign(app, "fine")
    assert "self-approval is not allowed here" in texts(app)
    assert not (root / "judges.lock").exists()


def test_a_judge_that_changed_since_it_was_proposed_is_not_approved(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_project(root)
    propose_judge(root, capsys)
    path = root / DESK / "labels.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    flip(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    looks = (root / DESK / "looks.jsonl").read_bytes()
    app = opened("approvals", user="leo")
    assert "is not what was proposed any more" in texts(app)
    sign(app, "fine")
    assert "Not approved." in texts(app)
    assert not (root / "judges.lock").exists()
    assert (root / DESK / "looks.jsonl").read_bytes() == looks


def flip(rows: list[dict[str, Any]]) -> None:
    """Turn the labels of one passing holdout item into fails."""
    from judge_desk import REPOSITORY

    data = find_workspace(REPOSITORY).dataset("refund_desk")
    holdout = {item.id for item in data.items_of("holdout")}
    chosen = next(r["item_id"] for r in rows if r["item_id"] in holdout and r["label"] == "pass")
    for row in rows:
        if row["item_id"] == chosen:
            row["label"] = "fail"


def test_a_guideline_holds_only_after_a_second_person_read_the_difference(root: Path) -> None:
    open_project(root)
    app = opened("approvals", user="lea")
    app.toggle("prepare-guideline").set_value(True).run()
    app.text_input("guideline-version").set_value("v2")
    app.text_area("guideline-text").set_value("Pass only what the policy says.").run()
    app.button("propose-guideline").click().run()
    assert guideline(root) != "v2"
    other = opened("approvals", user="leo")
    sides = component(other, "guideline-diff")["sides"]
    assert any(piece["only"] for piece in sides[1]["pieces"])
    other.button("approve").click().run()
    assert guideline(root) == "v2"


def guideline(root: Path) -> str | None:
    with open_label_store(None, root) as store:
        known = store.projects.get("refund_desk").guideline
    return known.version if known else None


def test_a_candidate_goes_to_two_experts_and_is_no_golden_yet(root: Path) -> None:
    open_project(root)
    with open_label_store(None, root) as store:
        candidate(store)
    app = opened("approvals", user="leo")
    assert ["item", "case-001-1"] in component(app, "candidate")["rows"]
    app.button("approve").click().run()
    assert "waits in Goldens for two experts" in texts(app)
    assert '"case-001-1"' not in (root / DESK / "goldens.jsonl").read_text()  # the synthetic ones


def candidate(store: LabelStore) -> None:
    payload = {
        "item_id": "case-001-1",
        "use": "regression",
        "mode_name": "promise <b>x</b>",
        "note": "![](http://127.0.0.2/x.png)",
    }
    found = store.proposals.propose(
        "golden_candidate", "case-001-1", payload, proposer="eve", project="refund_desk"
    )
    assert isinstance(found, Proposed)
