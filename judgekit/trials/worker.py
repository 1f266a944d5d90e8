"""The process in which a function agent runs one attempt.

Started as `python -m judgekit.trials.worker module:function` with the request on standard input.
What the function prints goes to standard error, so that it cannot be taken for the answer.
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
    name = sys.argv[1]
    request = json.loads(sys.stdin.buffer.read())
    sys.stdout = sys.stderr
    random.seed(request["seed"])
    module, _, function = name.partition(":")
    agent = getattr(importlib.import_module(module), function)
    answer = agent(request)
    if inspect.isawaitable(answer):
        answer = asyncio.run(_awaited(answer))
    Path(os.environ["JUDGEKIT_ANSWER"]).write_bytes(_encoded(answer))
    return 0


async def _awaited(answer: Any) -> Any:
    return await answer


def _encoded(answer: Any) -> bytes:
    dump = getattr(answer, "model_dump_json", None)
    if dump is not None:
        return str(dump(exclude_none=True)).encode()
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()


if __name__ == "__main__":
    sys.exit(main())
