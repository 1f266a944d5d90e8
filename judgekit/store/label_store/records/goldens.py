"""Records of the golden editor: what two experts fill in, apart from each other."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime

from judgekit.model.base import Record


class GoldenEntry(Record):
    """One expert's expected fields, tools, arguments and state of one case.

    `body` is a JSON object whose shape judgekit.goldens owns. `rev` counts the savings.
    """

    project: str
    case_id: str
    expert: str
    body: dict[str, Any]
    state: Literal["draft", "done"] = "draft"
    rev: int
    at: AwareDatetime


class GoldenResolution(Record):
    """What was settled about one differing field: redefined to `value`, or excluded."""

    project: str
    case_id: str
    field: str
    decision: Literal["redefine", "exclude", "reopen"]
    value: Any = None
    reason: str
    actor: str
    rev: int
    at: AwareDatetime


class GoldenCase(Record):
    """One case as `viewer` may see it: `other` is None until both entries are done.

    `experts` are those assigned or writing (at most two); names are shown to nobody but leads,
    so pages use "you" and "the other". `resolutions` are empty before both are done.
    """

    project: str
    case_id: str
    viewer: str
    mine: GoldenEntry | None
    other: GoldenEntry | None = None
    n_experts: int
    n_done: int
    both_done: bool = False
    resolutions: tuple[GoldenResolution, ...] = ()


class GoldenSaved(Record):
    """The entry is on the disk."""

    kind: Literal["golden_saved"] = "golden_saved"
    entry: GoldenEntry


class GoldenConflict(Record):
    """Refused: the same expert saved a newer revision elsewhere. Show both and ask."""

    kind: Literal["golden_conflict"] = "golden_conflict"
    yours: dict[str, Any]
    stored: GoldenEntry


class GoldenClosed(Record):
    """Refused: two other experts have the case, the entry is done, or both are done."""

    kind: Literal["golden_closed"] = "golden_closed"
    reason: str


GoldenSaveResult = GoldenSaved | GoldenConflict | GoldenClosed
