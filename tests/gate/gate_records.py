"""Graders and locks built in code for the gate's tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from judgekit.approval.record import Approval, Lock
from judgekit.model.fingerprint import Fingerprint
from judgekit.model.grader import GraderKind
from judgekit.model.item import Item
from judgekit.model.policy import GatePolicy, Policy
from judgekit.model.verdict import Verdict

NOW = datetime(2026, 11, 30, tzinfo=UTC)


class FakeGrader:
    """A grader that answers by a function: True, False, or fields of a verdict."""

    def __init__(
        self,
        name: str,
        kind: GraderKind = "judge",
        answer: Callable[[Item], bool | dict[str, Any]] = lambda item: True,
        model: str | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.fingerprint = Fingerprint(components={"request": name})
        self.calls: list[str] = []
        self._answer = answer
        self._model = model

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        self.calls.append(item.id)
        answer = self._answer(item)
        fields = {"status": "scored", "passed": answer} if isinstance(answer, bool) else answer
        return Verdict(
            item_id=item.id,
            grader=self.name,
            fingerprint=self.fingerprint.value,
            item_hash=item.content_hash,
            regrade=regrade,
            model=self._model,
            **fields,
        )

    async def aclose(self) -> None:
        return None


def policy(**gate: Any) -> Policy:
    return Policy(max_false_pass_rate=0.1, gate=GatePolicy(**gate))


def lock_for(grader: FakeGrader, given: Policy, **changes: Any) -> Lock:
    fields: dict[str, Any] = {
        "judge": grader.name,
        "unit": "_overall",
        "fingerprint": grader.fingerprint.value,
        "components": grader.fingerprint.components,
        "dataset": "desk",
        "split": "holdout",
        "reference": "auto",
        "labels_hash": "l",
        "verdicts_hash": "v",
        "items_hash": "i",
        "n_pairs": 100,
        "n_groups": 100,
        "confusion": {},
        "figures": {},
        "conditions": (),
        "policy": given,
        "looks": 1,
        "approver": "carla",
        "reason": "r",
        "approved_at": NOW,
    }
    return Lock(approvals=(Approval(**(fields | changes)),))


def items(n: int, **fields: Any) -> list[Item]:
    return [Item(id=f"i{number:03}", output="text", **fields) for number in range(n)]
