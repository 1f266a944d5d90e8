"""The process in which a function agent runs one attempt.

Started as `python -m judgekit.trials.worker module:function` with the request on standard input.
What the function prints goes to standard error, so that it cannot be taken for the answer. With
`--check` the function is only looked up.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import random
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Run the function once and write its answer; exceptions are printed and exit with 1."""
    module, _, function = sys.argv[1].partition(":")
    sys.stdout = sys.stderr
    if "--check" in sys.argv[2:]:
        return 0 if callable(getattr(importlib.import_module(module), function)) else 1
    request = json.loads(sys.stdin.buffer.read())
    random.seed(request["seed"])
    answer = getattr(importlib.import_module(module), function)(request)
    if inspect.isawaitable(answer):
        answer = asyncio.run(_awaited(answer))
    _write(Path(os.environ["JUDGEKIT_ANSWER"]), _encoded(answer))
    return 0


async def _awaited(answer: Any) -> Any:
    return await answer


def _encoded(answer: Any) -> bytes:
    dump = getattr(answer, "model_dump", None)
    if dump is not None:
        answer = dump(mode="json", exclude_defaults=True)
    return json.dumps(answer, allow_nan=False).encode()


def _write(path: Path, data: bytes) -> None:
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
