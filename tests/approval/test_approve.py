from datetime import UTC, datetime
from pathlib import Path

import pytest
from evidence_records import NOW, POLICY, evidence, report

from judgekit.approval.approve import NotApprovable, Rejected, approve, revoke
from judgekit.approval.lockfile import read_lock
from judgekit.approval.warnings import signing_warnings
from judgekit.errors import ApprovalError, InputError, NotApproved, UsageError


def sign(root: Path, **changes: object):
    return approve(evidence(**changes), approver="carla", reason="May holdout", root=root, now=NOW)


def test_an_approval_records_what_it_rests_on_and_prints_the_diff(tmp_path: Path) -> None:
    result = sign(tmp_path)
    assert '+judge = "reply"' in result.diff
    approval = read_lock(tmp_path / "judges.lock").approvals[0]
    assert (approval.fingerprint, approval.components) == (
        evidence().fingerprint.value,
        {"request": "sha256:aa", "rubric": "sha256:bb"},
    )
    assert approval.policy == POLICY
    assert approval.models == ("m-2026-01-01",)
    assert approval.figures["unscored"] == {"invalid": 2}
    assert approval.approved_at == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert approval.expires_at == datetime(2027, 2, 28, 12, tzinfo=UTC)
    assert (approval.self_approved, approval.allow_synthetic) == (False, False)


def test_the_verdicts_relied_on_are_kept_in_the_order_of_items(tmp_path: Path) -> None:
    result = sign(tmp_path)
    assert result.verdicts_path == "annotations/desk/verdicts/reply.jsonl"
    lines = (tmp_path / result.verdicts_path).read_text(encoding="utf-8").splitlines()
    assert [line.split('"')[3] for line in lines] == ["a", "b"]


@pytest.mark.parametrize(("approver", "reason"), [("", "x"), ("carla", "  ")])
def test_a_signature_is_never_guessed(tmp_path: Path, approver: str, reason: str) -> None:
    with pytest.raises(UsageError, match="signed"):
        approve(evidence(), approver=approver, reason=reason, root=tmp_path)
    assert not (tmp_path / "judges.lock").exists()


@pytest.mark.parametrize(
    ("changes", "error", "code"),
    [
        ({"report": report(decision="rejected")}, Rejected, 1),
        ({"report": report(decision="need_labels")}, NotApprovable, 3),
        ({"report": report(decision=None)}, NotApprovable, 3),
        ({"report": report(approvable=False)}, NotApprovable, 3),
        ({"split": "development"}, NotApprovable, 3),
        ({"kind": "recorded"}, UsageError, 2),
        ({"kind": "scorer"}, UsageError, 2),
        ({"origins": {"human": 3, "model": 1}}, ApprovalError, 4),
        ({"dataset_synthetic": True}, ApprovalError, 4),
        ({"designs": ("random", "targeted")}, ApprovalError, 4),
    ],
)
def test_evidence_that_cannot_carry_an_approval_is_refused(
    tmp_path: Path, changes: dict[str, object], error: type[Exception], code: int
) -> None:
    with pytest.raises(error) as caught:
        sign(tmp_path, **changes)
    assert caught.value.exit_code == code  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []


def test_the_lock_says_where_synthetic_labels_were_allowed(tmp_path: Path) -> None:
    allowed = POLICY.model_copy(update={"allow_synthetic": True})
    sign(tmp_path, policy=allowed, origins={"synthetic": 100})
    assert "allow_synthetic = true\napproved_at" in (tmp_path / "judges.lock").read_text()


def test_an_annotator_who_approves_is_marked_or_refused(tmp_path: Path) -> None:
    result = approve(evidence(), approver="Ana", reason="r", root=tmp_path, now=NOW)
    assert result.approval.self_approved
    strict = POLICY.model_copy(update={"allow_self_approval": False})
    with pytest.raises(ApprovalError, match="allow_self_approval"):
        approve(evidence(policy=strict), approver="ana", reason="r", root=tmp_path, now=NOW)


def test_in_the_app_who_labelled_never_approves_and_nothing_is_written(tmp_path: Path) -> None:
    """P1: `allow_self_approval: true` holds on the command line only."""
    with pytest.raises(ApprovalError, match="not allowed here"):
        approve(evidence(), approver="Ana", reason="x", root=tmp_path, self_approval=False)
    assert list(tmp_path.iterdir()) == []


def test_whoever_signs_is_told_what_is_weak_about_it(tmp_path: Path) -> None:
    policy = POLICY.model_copy(update={"allow_synthetic": True, "expires_after_days": None})
    given = evidence(policy=policy, origins={"synthetic": 3})
    weak = approve(given, approver="ana", reason="r", root=tmp_path, now=NOW).approval
    told = " ".join(signing_warnings(weak, "m-latest"))
    for words in ("carries no date", "self_approved", "synthetic", "does not expire"):
        assert words in told
    strong = sign(tmp_path).approval
    assert signing_warnings(strong, "m-2026-01-01") == signing_warnings(strong, None) == ()


def test_a_revoked_approval_stays_in_the_file_with_its_reason(tmp_path: Path) -> None:
    sign(tmp_path)
    change = revoke(tmp_path, "reply", by="dora", reason="it drifted", now=NOW)
    assert "+[approval.revoked]" in change.diff
    kept = read_lock(tmp_path / "judges.lock").approvals[0].revoked
    assert kept is not None
    assert (kept.by, kept.reason) == ("dora", "it drifted")
    with pytest.raises(NotApproved, match="no standing approval of 'reply'"):
        revoke(tmp_path, "reply", by="dora", reason="again", now=NOW)


def test_a_lock_that_cannot_be_read_stops_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "judges.lock").write_text("schema = 2\n", encoding="utf-8")
    with pytest.raises(InputError, match="newer"):
        sign(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["judges.lock"]


def test_raw_replies_are_not_kept_beside_the_labels(tmp_path: Path) -> None:
    loud = tuple(v.model_copy(update={"raw": "SECRET"}) for v in evidence().verdicts)
    result = sign(tmp_path, verdicts=loud)
    text = (tmp_path / result.verdicts_path).read_text(encoding="utf-8")
    assert ("SECRET" in text, text.count("\n")) == (False, 2)
