"""What `judgekit doctor` looks at; every check returns findings and raises nothing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from typing import TYPE_CHECKING, Literal

from judgekit.errors import ApprovalError, JudgekitError, NotRun
from judgekit.model.base import Record

if TYPE_CHECKING:
    from judgekit.approval.record import Approval, Lock
    from judgekit.model.grader import Grader
    from judgekit.store.dataset import Dataset
    from judgekit.store.workspace import Workspace

Level = Literal["ok", "warning", "stale", "error"]
DISTRIBUTION = "judgekit-calibration"


class Finding(Record):
    """One thing that was checked. `stale` = an approval does not fit, `error` = unusable."""

    check: str
    level: Level
    message: str
    where: str | None = None
    mend: str | None = None


def from_error(check: str, error: JudgekitError, level: Level = "error") -> Finding:
    """Return the finding that an error of ours amounts to."""
    message = f"{error.message} (found {error.found})" if error.found else error.message
    return Finding(check=check, level=level, message=message, where=error.where, mend=error.mend)


def check_environment() -> Iterator[Finding]:
    """Check Python and that every package judgekit needs is installed."""
    python = ".".join(str(part) for part in sys.version_info[:3])
    missing = [name for name in _required() if not _installed(name)]
    if missing:
        yield Finding(
            check="environment",
            level="error",
            message=f"packages are missing: {', '.join(missing)}",
            mend=f"pip install {DISTRIBUTION}",
        )
        return
    found = metadata.version(DISTRIBUTION) if _installed(DISTRIBUTION) else "from source"
    yield Finding(check="environment", level="ok", message=f"Python {python}, judgekit {found}")


def _required() -> list[str]:
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    return [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines if "extra ==" not in line]


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_rubrics(place: Workspace) -> Iterator[Finding]:
    """Check that every rubric file can be used under its own name."""
    paths = sorted((place.root / "rubrics").glob("*.yaml"))
    for path in paths:
        try:
            rubric = place.rubric(path.stem)
        except JudgekitError as error:
            yield from_error("rubric", error)
        else:
            yield Finding(
                check="rubric",
                level="ok",
                message=f"{rubric.name}: {len(rubric.criteria)} criteria, "
                f"{len(rubric.failure_modes)} failure modes",
            )
    if not paths:
        yield Finding(check="rubric", level="warning", message="there is no rubric in rubrics/")


def build_all(place: Workspace) -> tuple[dict[str, Grader], list[Finding]]:
    """Build every grader, sending nothing, and return them with what went wrong."""
    from judgekit.wiring import build_grader

    built: dict[str, Grader] = {}
    findings: list[Finding] = []
    for name in place.settings.graders:
        try:
            grader = build_grader(place, name)
            value = grader.fingerprint.value
        except JudgekitError as error:
            # An extra that is not installed is a choice, not a fault of the workspace.
            optional = (error.mend or "").startswith("pip install")
            found = from_error("grader", error, "warning" if optional else "error")
            findings.append(found.model_copy(update={"message": f"{name}: {found.message}"}))
        else:
            built[name] = grader
            message = f"{name}: {grader.kind}, fingerprint {value[:19]}"
            findings.append(Finding(check="grader", level="ok", message=message))
    return built, findings


def check_keys(graders: dict[str, Grader]) -> Iterator[Finding]:
    """Check that the environment variables of each judge are set; values are never shown."""
    for name, grader in graders.items():
        read = getattr(getattr(grader, "provider", None), "secret_headers", None)
        if read is None:
            continue
        try:
            headers = read()
        except NotRun as error:
            found = from_error("key", error, "warning")
            yield found.model_copy(update={"message": f"{name}: {found.message}"})
        else:
            message = f"{name}: " + ("set, not shown" if headers else "needs none")
            yield Finding(check="key", level="ok", message=message)


def check_models(place: Workspace, graders: dict[str, Grader]) -> Iterator[Finding]:
    """Warn of model names without a date; weights that are hashed need none."""
    from judgekit.approval.warnings import is_dated

    for name, grader in graders.items():
        model = place.settings.graders[name].model
        sends = hasattr(grader, "show_prompt")
        if not sends or not model or "weights" in grader.fingerprint.components:
            continue
        if not is_dated(model):
            yield Finding(
                check="model",
                level="warning",
                message=f"{name}: the model name {model!r} carries no date, so the provider may "
                "change what stands behind it",
                where=f"judgekit.yaml: graders.{name}.model",
                mend="name a dated version of the model",
            )


def check_dataset(place: Workspace) -> Iterator[Finding]:
    """Check that the dataset can be read and that its labels are released."""
    if place.settings.dataset is None:
        yield Finding(check="dataset", level="warning", message="judgekit.yaml names no dataset")
        return
    from judgekit.store.label_files.released.labels_file import refuse_edited

    try:
        data = place.dataset()
        refuse_edited(data.folder)
    except JudgekitError as error:
        yield from_error("dataset", error)
        return
    word = ", synthetic" if data.synthetic else ""
    message = f"{data.name}: {len(data.items)} items, {len(data.labels)} labels{word}"
    yield Finding(check="dataset", level="ok", message=message)
    yield from _check_events(data)


def _check_events(data: Dataset) -> Iterator[Finding]:
    """Warn of labels that no release has, and of lines that are no events."""
    folder = data.folder / "events"
    labelled: set[tuple[str, str]] = set()
    broken: list[str] = []
    for path in sorted(folder.glob("*.jsonl")):
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                broken.append(f"{path}:{number}")
                continue
            if isinstance(event, dict) and event.get("kind", "label") == "label":
                item_id = str(event.get("item_id", event.get("item")))
                labelled.add((item_id, str(event.get("annotator", path.stem))))
    if broken:
        yield Finding(
            check="labels",
            level="warning",
            message=f"{_lines(len(broken))} in events/ cannot be read",
            where=broken[0],
            mend="restore the file from version control; `judgekit labels export` mends a torn "
            "last line",
        )
    waiting = labelled - {(label.item_id, label.annotator) for label in data.labels}
    if waiting:
        yield Finding(
            check="labels",
            level="warning",
            message=f"{len(waiting)} labels are in events/ and not in labels.jsonl",
            where=str(folder),
            mend="judgekit labels export",
        )


def _lines(n: int) -> str:
    return "1 line" if n == 1 else f"{n} lines"


def check_lock(place: Workspace, graders: dict[str, Grader]) -> Iterator[Finding]:
    """Check that judges.lock can be read and that every approval in it stands today."""
    from judgekit.approval.lockfile import read_lock

    try:
        lock = read_lock(place.lock_path)
    except ApprovalError as error:
        yield from_error("lock", error, "stale")
        return
    except JudgekitError as error:
        yield from_error("lock", error)
        return
    for approval in lock.approvals:
        yield _check_approval(place, lock, approval, graders)
    yield from _unapproved(place, lock)


def _check_approval(
    place: Workspace, lock: Lock, approval: Approval, graders: dict[str, Grader]
) -> Finding:
    from judgekit.approval.standing import check_approval

    name = f"{approval.judge} ({approval.unit})"
    if approval.judge not in graders:
        message = f"{name}: the lock approves a judge that is not usable here"
        return Finding(check="lock", level="stale", message=message, mend="judgekit revoke")
    in_gate = approval.judge in place.settings.gate.judges
    policy = place.settings.policies.get(place.settings.gate.policy) if in_gate else None
    standing = check_approval(
        lock,
        approval.judge,
        graders[approval.judge].fingerprint,
        policy=policy,
        now=datetime.now(UTC),
        unit=approval.unit,
    )
    if standing.standing == "approved":
        return Finding(check="lock", level="ok", message=f"{name}: approved, and still fits")
    # A revoked judge that no gate asks is history, not a fault.
    level: Level = "ok" if standing.standing == "revoked" and not in_gate else "stale"
    return Finding(check="lock", level=level, message=standing.sentence, mend=standing.mend)


def _unapproved(place: Workspace, lock: Lock) -> Iterator[Finding]:
    from judgekit.approval.standing import how_to_approve

    for name in place.settings.gate.judges:
        kind = place.settings.graders[name].kind
        if kind == "judge" and not lock.find(name):
            yield Finding(
                check="lock",
                level="warning",
                message=f"{name}: the gate asks this judge, and it is not approved yet",
                mend=how_to_approve(name),
            )


async def check_online(graders: dict[str, Grader]) -> list[Finding]:
    """Knock at each endpoint without a key; any answer at all counts as reachable."""
    findings: list[Finding] = []
    seen: set[str] = set()
    for name, grader in graders.items():
        provider = getattr(grader, "provider", None)
        address = getattr(provider, "base_url", None)
        embedded = "weights" in grader.fingerprint.components
        if provider is None or address is None or address in seen or embedded:
            continue
        seen.add(address)
        try:
            reply = await provider.transport.post(address, b"", {})
        except JudgekitError as error:
            findings.append(from_error("endpoint", error, "warning"))
        else:
            message = f"{name}: the endpoint answers (HTTP {reply.status})"
            findings.append(Finding(check="endpoint", level="ok", message=message))
        finally:
            await grader.aclose()
    return findings
