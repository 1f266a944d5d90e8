"""The texts of a calibration by columns: hashes and disagreements, as from rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from judgekit.calibration.column_files import UNSURE
from judgekit.calibration.report import Disagreement
from judgekit.model.canonical import bytes_hash
from judgekit.model.verdict import Verdict
from judgekit.stats.confusion import PASS_FAIL
from judgekit.store.mapping import label_text

_VERDICT = (
    '{{"failed_criteria":[],"item_id":{},"passed":{},"passed_criteria":[],"status":"{}",'
    '"unsupported":null}}'
)
_STATUS = {0: ("true", "scored"), 1: ("false", "scored"), -1: ("null", "invalid")}


def pair_hashes(ids: Any, human: Any, judge: Any, seen: Any) -> tuple[str, str]:
    """Return the hashes of the reference labels and of the verdicts, the latter where `seen`.

    `ids` are the items' ids, `human` and `judge` the codes of the answers.
    """
    import numpy as np

    names = ids.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    quoted = [json.dumps(names[i], ensure_ascii=False) for i in order]
    answers, verdicts = human[order].tolist(), judge[order].tolist()
    labels = (f'[{q},"{PASS_FAIL[h]}",""]' for q, h in zip(quoted, answers, strict=True))
    shown = np.asarray(seen)[order].tolist()
    rows = (
        _VERDICT.format(q, *_STATUS.get(code, ("null", "abstained")))
        for q, code, there in zip(quoted, verdicts, shown, strict=True)
        if there
    )
    return _hash(labels), _hash(rows)


def _hash(parts: Iterable[str]) -> str:
    return bytes_hash(f"[{','.join(parts)}]".encode())


def disagreements_of(
    rows: Any, human: Any, judge: str, fingerprint: str
) -> tuple[Disagreement, ...]:
    """Return the disagreements of verdict rows with human codes."""
    found = []
    for row, answer in zip(rows.to_pylist(), human.tolist(), strict=True):
        verdict = _verdict(row, judge, fingerprint)
        said = PASS_FAIL[row["code"]]
        found.append(
            Disagreement(
                item_id=row["item_id"], human=PASS_FAIL[answer], judge=said, failure_mode=None,
                verdict=verdict,
            )
        )  # fmt: skip
    return tuple(found)


def _verdict(row: dict[str, Any], judge: str, fingerprint: str) -> Verdict:
    code, text = row["code"], label_text(row["label"])
    statuses = {0: "scored", 1: "scored", UNSURE: "abstained"}
    scored = code in (0, 1)
    return Verdict(
        item_id=row["item_id"],
        grader=judge,
        fingerprint=fingerprint,
        item_hash="",
        status=statuses.get(code, "invalid"),
        passed=code == 0 if scored else None,
        reason=None if scored else f"the recorded label is {text!r}",
        model=row["model"] or None,
        raw=row["raw"] or None,
        criterion=row["criterion"] or None,
    )
