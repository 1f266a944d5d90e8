"""The deciding steps of `judgekit demo`: calibrate, approve, gate, and what one word undoes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judgekit.cli.demo_steps import (
    CANDIDATES,
    DESK,
    NEW_WORD,
    OLD_WORD,
    RULES,
    Ran,
    Step,
    run_command,
)

APPROVER, REASON = "demo", "earned it on the synthetic holdout"
REPORT = Path("report.html")
RUBRIC = Path("rubrics", "refund_reply.yaml")
GATES = (("buggy", 1), ("fixed", 0))


def calibrate_all(root: Path) -> Step:
    """Calibrate every candidate on the holdout and say what was decided and why."""
    ran = tuple(run_command(["calibrate", "--judge", name], root) for name in CANDIDATES)
    lines = [line for one in ran for line in decision_lines(one)]
    decisions = {one.answer.get("judge"): one.answer.get("decision") for one in ran}
    others = [d for name, d in decisions.items() if name != RULES]
    return Step(
        title="Calibrate every candidate against the labels of the holdout",
        lines=tuple(lines),
        ran=ran,
        as_expected=decisions.get(RULES) == "approved" and "approved" not in others,
    )


def decision_lines(ran: Ran) -> list[str]:
    """Return the decision about one judge and the conditions that decided it."""
    answer = ran.answer
    if "decision" not in answer:
        return [f"{ran.line}: {error_text(ran)}"]
    decision = answer["decision"] or "no decision"
    counts = f"{answer['n_pairs']} pairs in {answer['n_groups']} conversations"
    unscored = sum(answer.get("unscored", {}).values())
    missing = answer.get("dropped", {}).get("missing", 0)
    more = f", {unscored} more were not usable" if unscored else ""
    more += f", {missing} are not recorded" if missing else ""
    lines = [f"{answer['judge']}: {decision} ({counts}{more})"]
    wanted = answer["conditions"]
    if decision != "approved":
        wanted = [c for c in wanted if c["outcome"] != "safe"] or wanted
    return lines + [f"  {condition['sentence']}" for condition in wanted]


def error_text(ran: Ran) -> str:
    """Return what a command said went wrong, in one line."""
    error = ran.answer.get("error", {})
    text = error.get("message") or ran.messages.strip().splitlines()[-1:] or ["no answer"]
    return f"exit {ran.exit_code}: {text if isinstance(text, str) else text[0]}"


def approve_earned(root: Path, calibrated: Step) -> Step:
    """Approve each judge whose calibration says approved; the others get nothing."""
    lines, ran = [], []
    for one in calibrated.ran:
        name = str(one.answer.get("judge"))
        if one.answer.get("decision") != "approved" or not one.answer.get("approvable"):
            lines.append(f"{name}: no")
            continue
        options = ["--judge", name, "--approver", APPROVER, "--reason", REASON]
        ran.append(run_command(["approve", *options], root))
        done = ran[-1].exit_code == 0
        lines.append(f"{name}: {'signed in judges.lock' if done else error_text(ran[-1])}")
    lines.append("the labels are synthetic: the policy allows that, and judges.lock says so")
    return Step(
        title="Approve what has earned it",
        lines=tuple(lines),
        ran=tuple(ran),
        as_expected=[one.exit_code for one in ran] == [0],
    )


def gate_versions(root: Path) -> Step:
    """Gate two versions of the agent with the approved judge."""
    ran = tuple(_gate(version, root) for version, _ in GATES)
    lines = []
    for (version, _), one in zip(GATES, ran, strict=True):
        lines.append(f"agent_{version}.jsonl: {gate_text(one)}")
    return Step(
        title="Gate two versions of the agent with the approved judge",
        lines=tuple(lines),
        ran=ran,
        as_expected=[one.exit_code for one in ran] == [code for _, code in GATES],
    )


def _gate(version: str, root: Path) -> Ran:
    return run_command(["gate", "--items", f"{DESK.as_posix()}/agent_{version}.jsonl"], root)


def gate_text(ran: Ran) -> str:
    """Return the gate's outcome and the rule behind it."""
    answer = ran.answer
    if "outcome" not in answer:
        return error_text(ran)
    reasons: list[Any] = [c["sentence"] for c in answer["conditions"] if c["limit"] is not None][:1]
    if ran.exit_code == 4:
        reasons = [g["sentence"] for g in answer["graders"] if g["sentence"]]
    return f"{answer['outcome']}, exit {ran.exit_code}; {'; '.join(reasons)}"


def change_one_word(root: Path) -> Step:
    """Change one word of the rubric, gate again, and put the word back."""
    path = root / RUBRIC
    before = path.read_bytes()
    changed = before.replace(OLD_WORD.encode(), NEW_WORD.encode(), 1)
    path.write_bytes(changed)
    try:
        ran = _gate("fixed", root)
    finally:
        path.write_bytes(before)
    lines = (f"{OLD_WORD!r} became {NEW_WORD!r}: {gate_text(ran)}", "the word was put back")
    return Step(
        title=f"Change one word in {RUBRIC.as_posix()}",
        lines=lines,
        ran=(ran,),
        as_expected=ran.exit_code == 4 and changed != before,
    )


def write_report(root: Path, calibrated: Step) -> Step:
    """Write the calibrations as one HTML page; repeating a look is free."""
    names = [str(one.answer["judge"]) for one in calibrated.ran if "judge" in one.answer]
    judges = [word for name in names for word in ("--judge", name)]
    ran = run_command(["calibrate", *judges, "--html", REPORT.as_posix()], root)
    done = (root / REPORT).is_file()
    lines = [f"open {root / REPORT}" if done else error_text(ran)]
    if done and ran.exit_code == 1:
        lines.insert(0, "exit 1 because not every candidate is approved; the page is complete")
    return Step(
        title="The report, with every disagreement",
        lines=tuple(lines),
        ran=(ran,),
        as_expected=done,
    )
