"""Graders without a network, and the script that the kill tests start and kill."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from judgekit.model.fingerprint import Fingerprint
from judgekit.model.item import Item
from judgekit.model.verdict import Attempt, Usage, Verdict
from judgekit.runs.runner import run


class FakeGrader:
    """Pass even items, fail odd ones; write every call to a log."""

    kind = "scorer"

    def __init__(
        self,
        name: str = "fake",
        *,
        sleep_s: float = 0.0,
        calls: Path | None = None,
        version: str = "1",
        cost_usd: float | None = 0.0,
        answer: Callable[[Item], dict[str, object]] | None = None,
    ) -> None:
        self.name = name
        self.fingerprint = Fingerprint(components={"source": version})
        self.asked: list[tuple[str, int]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._sleep_s = sleep_s
        self._calls = calls
        self._cost_usd = cost_usd
        self._answer = answer

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        self.asked.append((item.id, regrade))
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        if self._calls is not None:
            fd = os.open(self._calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(fd, f"{item.id}\n".encode())
            os.close(fd)
        try:
            await asyncio.sleep(self._sleep_s)
            return self._verdict(item, regrade)
        finally:
            self._at_once -= 1

    def _verdict(self, item: Item, regrade: int) -> Verdict:
        fields: dict[str, object] = {
            "status": "scored",
            "passed": int(item.id[1:]) % 2 == 0,
            "attempts": (
                Attempt(cost_usd=self._cost_usd, usage=Usage(input_tokens=10, output_tokens=2)),
            ),
        }
        if self._answer is not None:
            fields |= self._answer(item)
        return Verdict.model_validate(
            {
                "item_id": item.id,
                "grader": self.name,
                "fingerprint": self.fingerprint.value,
                "item_hash": item.content_hash,
                "regrade": regrade,
                **fields,
            }
        )

    async def aclose(self) -> None:
        return None


def make_items(n: int) -> list[Item]:
    return [Item(id=f"i{k}", output=f"text {k}") for k in range(n)]


def main(folder: Path, n: int, concurrency: int, sleep_s: float) -> None:
    grader = FakeGrader(sleep_s=sleep_s, calls=folder / "calls.log")
    asyncio.run(run([grader], make_items(n), journal_dir=folder, concurrency=concurrency))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
