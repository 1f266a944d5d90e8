"""`judgekit approve`, `revoke` and `verify`: the signature under a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson, WorkspacePath

if TYPE_CHECKING:
    from judgekit.approval.record import Approval
    from judgekit.approval.verify import Difference
    from judgekit.store.workspace import Workspace


Grader = Annotated[str, typer.Option("--judge", help="Grader in judgekit.yaml.")]
Approver = Annotated[str, typer.Option("--approver", help="Who signs. Never guessed.")]
WhyTrusted = Annotated[str, typer.Option("--reason", help="Why the judge may be trusted.")]
DatasetName = Annotated[str | None, typer.Option("--dataset", help="Folder in annotations/.")]
PolicyName = Annotated[str | None, typer.Option("--policy", help="Policy in judgekit.yaml.")]
Reference = Annotated[str, typer.Option("--reference", help="Reference rule.")]
Criterion = Annotated[str | None, typer.Option("--criterion", help="One criterion as the unit.")]
Approved = Annotated[str, typer.Option("--judge", help="Judge in judges.lock.")]
Withdrawer = Annotated[str, typer.Option("--approver", help="Who withdraws it. Never guessed.")]
WhyWithdrawn = Annotated[str, typer.Option("--reason", help="Why.")]
Unit = Annotated[str | None, typer.Option("--unit", help="Only this unit.")]
OneJudge = Annotated[str | None, typer.Option("--judge", help="Only this judge.")]


def register(app: typer.Typer) -> None:
    """Add the three commands."""
    app.command("approve")(approve)
    app.command("revoke")(revoke)
    app.command("verify")(verify)


def approve(
    judge: Grader,
    approver: Approver = "",
    reason: WhyTrusted = "",
    dataset: DatasetName = None,
    policy: PolicyName = None,
    reference: Reference = "auto",
    criterion: Criterion = None,
    workspace: WorkspacePath = None,
    as_json: AsJson = False,
) -> None:
    """Sign a judge whose calibration on the holdout says approved, and print the diff."""
    from judgekit.approval.approve import approve as sign
    from judgekit.approval.approve import check_signature
    from judgekit.approval.lockfile import read_lock
    from judgekit.approval.warnings import signing_warnings
    from judgekit.cli.output import emit_json, print_text, say
    from judgekit.store.workspace import find_workspace
    from judgekit.wiring import evidence_of

    check_signature(approver, reason)
    place = find_workspace(workspace)
    read_lock(place.lock_path)  # found unreadable now, no look at the holdout is spent
    name = policy or place.settings.gate.policy
    evidence = evidence_of(place, judge, dataset, name, reference=reference, criterion=criterion)
    result = sign(evidence, approver=approver, reason=reason, root=place.root)
    for warning in signing_warnings(result.approval, place.grader(judge).model):
        say(f"warning: {warning}")
    if as_json:
        emit_json({**result.model_dump(mode="json"), "decision": "approved"})
    else:
        print_text(result.diff or "judges.lock is unchanged")
        say(f"the verdicts relied on are in {result.verdicts_path}; commit both files")


def revoke(
    judge: Approved,
    approver: Withdrawer = "",
    reason: WhyWithdrawn = "",
    unit: Unit = None,
    workspace: WorkspacePath = None,
    as_json: AsJson = False,
) -> None:
    """Withdraw the approvals of a judge; they stay in judges.lock with the reason."""
    from judgekit.approval.approve import revoke as withdraw
    from judgekit.cli.output import emit_json, print_text
    from judgekit.store.workspace import find_workspace

    root = find_workspace(workspace).root
    change = withdraw(root, judge, by=approver, reason=reason, unit=unit)
    if as_json:
        emit_json({"judge": judge, "revoked": True, "diff": change.diff})
    else:
        print_text(change.diff)


def verify(
    judge: OneJudge = None,
    workspace: WorkspacePath = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every number of every approval: 0 all agree, 4 something differs."""
    from judgekit.approval.lockfile import read_lock
    from judgekit.cli.output import emit_json
    from judgekit.errors import ApprovalError, NotApproved
    from judgekit.store.workspace import find_workspace

    place = find_workspace(workspace)
    standing = [
        a
        for a in read_lock(place.lock_path).approvals
        if a.revoked is None and judge in (None, a.judge)
    ]
    if not standing:
        raise NotApproved("there is no standing approval to verify", where=str(place.lock_path))
    found = [(approval, _differences(place, approval)) for approval in standing]
    if as_json:
        emit_json({"approvals": [_verified(a, differences) for a, differences in found]})
    else:
        _print_verified(found)
    if any(differences for _, differences in found):
        raise typer.Exit(ApprovalError.exit_code)


def _differences(place: Workspace, approval: Approval) -> tuple[Difference, ...]:
    """Recompute from the verdicts kept beside the labels, under the approval's own policy."""
    from judgekit.approval.gather import Candidate, gather, kept_verdicts
    from judgekit.approval.verify import Difference, current_fingerprint, verify
    from judgekit.model.fingerprint import Fingerprint
    from judgekit.model.label import OVERALL
    from judgekit.wiring import build_grader

    dataset = place.dataset(approval.dataset)
    evidence = gather(
        Candidate(
            judge=approval.judge,
            kind=approval.kind,
            fingerprint=Fingerprint(components=approval.components),
            rubric=place.rubric(approval.rubric) if approval.rubric else None,
            app_version=approval.app_version,
        ),
        dataset,
        kept_verdicts(dataset.folder, approval),
        approval.policy,
        reference=approval.reference,
        criterion=None if approval.unit == OVERALL else approval.unit,
        record_look=False,
    )
    if approval.judge not in place.settings.graders:
        gone = Difference(name="current", recorded=approval.judge, now="not in judgekit.yaml")
        return (gone, *verify(approval, evidence))
    current = build_grader(place, approval.judge).fingerprint
    return (*current_fingerprint(approval, current), *verify(approval, evidence))


def _verified(approval: Approval, differences: tuple[Difference, ...]) -> dict[str, Any]:
    return {
        "judge": approval.judge,
        "unit": approval.unit,
        "verified": not differences,
        "differences": [d.model_dump(mode="json") for d in differences],
    }


def _print_verified(found: list[tuple[Approval, tuple[Difference, ...]]]) -> None:
    from judgekit.cli.output import print_text

    for approval, differences in found:
        word = "differs" if differences else "every number recomputes"
        print_text(f"{approval.judge} ({approval.unit}): {word}")
        for d in differences:
            print_text(f"  {d.name}: recorded {d.recorded}, now {d.now}")
