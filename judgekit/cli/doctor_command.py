"""`judgekit doctor`: is everything here fit for use, and if not, what mends it?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson, WorkspacePath
from judgekit.cli.output import emit_json, print_text

if TYPE_CHECKING:
    from judgekit.cli.doctor_checks import Finding

OK, UNUSABLE, STALE = 0, 2, 4
_MARKS = {"ok": "ok     ", "warning": "warning", "stale": "STALE  ", "error": "ERROR  "}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor_command)


def doctor_command(
    workspace: WorkspacePath = None,
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="GRADER", help="Name what differs from judges.lock."),
    ] = None,
    online: Annotated[
        bool, typer.Option("--online", help="Also knock at the endpoints; costs nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check the environment and the workspace. 0 fit, 2 unusable, 4 an approval does not fit."""
    if why is not None:
        return _explain(workspace, why, as_json=as_json)
    findings = examine(workspace, online=online)
    code = exit_code(findings)
    if as_json:
        emit_json(
            {"findings": [f.model_dump(mode="json", exclude_none=True) for f in findings]}
            | {"exit_code": code}
        )
    else:
        print_text(findings_text(findings))
    return code


def examine(workspace: Path | None, *, online: bool) -> list[Finding]:
    """Return the findings of every check, in the order of the report."""
    from judgekit.cli import doctor_checks as checks
    from judgekit.errors import JudgekitError
    from judgekit.store.workspace import find_workspace

    findings = list(checks.check_environment())
    try:
        place = find_workspace(workspace)
    except JudgekitError as error:
        return [*findings, checks.from_error("workspace", error)]
    findings.append(checks.Finding(check="workspace", level="ok", message=str(place.root)))
    findings += checks.check_rubrics(place)
    graders, built = checks.build_all(place)
    findings += built
    findings += checks.check_keys(graders)
    findings += checks.check_models(place, graders)
    findings += checks.check_dataset(place)
    findings += checks.check_lock(place, graders)
    if online:
        import asyncio

        findings += asyncio.run(checks.check_online(graders))
    return findings


def exit_code(findings: list[Finding]) -> int:
    """Return 2 where something is unusable, else 4 where an approval does not fit, else 0."""
    levels = {finding.level for finding in findings}
    if "error" in levels:
        return UNUSABLE
    return STALE if "stale" in levels else OK


def findings_text(findings: list[Finding]) -> str:
    """Return the findings as text, the worst summed up in the last line."""
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.level]} {finding.check}: {finding.message}")
        lines += [f"          where: {finding.where}"] if finding.where else []
        lines += [f"          mend: {finding.mend}"] if finding.mend else []
    counts = {level: sum(f.level == level for f in findings) for level in _MARKS}
    stale = counts["stale"]
    fit = "1 approval that does not fit" if stale == 1 else f"{stale} approvals that do not fit"
    lines.append(
        f"{_count(counts['error'], 'error')}, {fit}, {_count(counts['warning'], 'warning')}"
    )
    return "\n".join(lines)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _explain(workspace: Path | None, name: str, *, as_json: bool) -> int:
    from judgekit.store.workspace import find_workspace
    from judgekit.wiring import build_grader

    place = find_workspace(workspace)
    place.grader(name)
    now = build_grader(place, name).fingerprint
    rows = _differences(place.lock_path, name, now)
    if as_json:
        emit_json({"grader": name, "fingerprint": now.value, "approvals": rows})
    else:
        print_text(_differences_text(name, rows))
    return STALE if any(row["changed"] for row in rows) else OK


def _differences(path: Path, name: str, now: Any) -> list[dict[str, Any]]:
    from judgekit.approval.lockfile import read_lock
    from judgekit.approval.standing import how_to_approve
    from judgekit.errors import NotApproved

    found = read_lock(path).find(name)
    if not found:
        raise NotApproved(
            f"{name!r} has no approval to compare with",
            where=str(path),
            mend=how_to_approve(name),
        )
    return [
        {
            "unit": approval.unit,
            "approved": approval.fingerprint,
            "changed": [
                {
                    "component": part,
                    "approved": approval.components.get(part),
                    "now": now.components.get(part),
                }
                for part in now.changed(approval.components)
            ],
        }
        for approval in found
    ]


def _differences_text(name: str, rows: list[dict[str, Any]]) -> str:
    lines = []
    for row in rows:
        if not row["changed"]:
            lines.append(f"{name} ({row['unit']}): nothing changed since it was approved")
            continue
        parts = ", ".join(change["component"] for change in row["changed"])
        lines.append(f"{name} ({row['unit']}): changed since it was approved: {parts}")
        lines += [
            f"  {c['component']}: approved {c['approved'] or 'absent'}, now {c['now'] or 'absent'}"
            for c in row["changed"]
        ]
    return "\n".join(lines)
