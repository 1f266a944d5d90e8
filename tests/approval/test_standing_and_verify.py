from datetime import timedelta
from pathlib import Path

import pytest
from evidence_records import FINGERPRINT, NOW, POLICY, evidence, report

from judgekit.approval.approve import approve, revoke
from judgekit.approval.lockfile import read_lock
from judgekit.approval.record import Lock
from judgekit.approval.standing import check_approval
from judgekit.approval.verify import Difference, verify
from judgekit.errors import FingerprintChanged, NotApproved
from judgekit.model.fingerprint import Fingerprint


@pytest.fixture
def lock(tmp_path: Path) -> Lock:
    approve(evidence(), approver="carla", reason="r", root=tmp_path, now=NOW)
    return read_lock(tmp_path / "judges.lock")


def test_an_unchanged_judge_stands_approved(lock: Lock) -> None:
    check = check_approval(lock, "reply", FINGERPRINT, policy=POLICY, now=NOW)
    assert check.demand().judge == "reply"


def test_a_changed_component_is_named_with_the_mending_command(lock: Lock) -> None:
    other = Fingerprint(components={"request": "sha256:zz", "rubric": "sha256:bb"})
    check = check_approval(lock, "reply", other, policy=POLICY, now=NOW)
    with pytest.raises(FingerprintChanged, match="request changed") as caught:
        check.demand()
    assert caught.value.components == ("request",)
    assert "judgekit run --grader reply" in (caught.value.mend or "")


def test_an_expired_approval_does_not_stand(lock: Lock) -> None:
    check = check_approval(lock, "reply", FINGERPRINT, policy=POLICY, now=NOW + timedelta(days=90))
    assert (check.standing, check.sentence) == (
        "expired",
        "the approval of 'reply' for 'refund_reply' expired at 2027-02-28 12:00 UTC",
    )


def test_another_policy_does_not_stand(lock: Lock) -> None:
    looser = POLICY.model_copy(update={"max_false_pass_rate": 0.2})
    check = check_approval(lock, "reply", FINGERPRINT, policy=looser, now=NOW)
    assert check.standing == "policy"
    assert check.sentence.endswith("max_false_pass_rate")


def test_a_revoked_or_missing_approval_does_not_stand(lock: Lock, tmp_path: Path) -> None:
    revoked = revoke(tmp_path, "reply", by="dora", reason="drift", now=NOW).lock
    assert check_approval(revoked, "reply", FINGERPRINT, policy=None, now=NOW).standing == "revoked"
    with pytest.raises(NotApproved, match="no approval in judges"):
        check_approval(lock, "other", FINGERPRINT, policy=None, now=NOW).demand()


def test_the_same_evidence_verifies(lock: Lock) -> None:
    assert verify(lock.approvals[0], evidence()) == ()


def test_every_number_that_differs_is_named(lock: Lock) -> None:
    other = report(n_pairs=99, confusion={"human_pass_judge_pass": 39, "human_fail_judge_fail": 60})
    assert verify(lock.approvals[0], evidence(report=other, labels_hash="sha256:m")) == (
        Difference(name="labels_hash", recorded="sha256:l", now="sha256:m"),
        Difference(name="n_pairs", recorded="100", now="99"),
        Difference(name="confusion.human_pass_judge_pass", recorded="40", now="39"),
    )


def test_a_decision_that_no_longer_approves_is_named(lock: Lock) -> None:
    found = verify(lock.approvals[0], evidence(report=report(decision="need_labels")))
    assert found == (Difference(name="decision", recorded="approved", now="need_labels"),)
