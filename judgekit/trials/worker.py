"""The process in which a function agent runs one attempt.

Started as `python -m judgekit.trials.worker module:function` with the request on standard input.
What the function prints goes to standard error, so that it cannot be taken for the answer. With
`--check` the function is only looked up, and the answer is the text of what is wrong with it, empty
where nothing is: a module may end the process, or close its outputs, while it is imported.
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
    answer_path = Path(os.environ["JUDGEKIT_ANSWER"])
    if "--check" in sys.argv[2:]:
        _write(answer_path, _wrong(module, function).encode("utf-8", "replace"))
        return 0
    request = json.loads(sys.stdin.buffer.read())
    random.seed(request["seed"])
    answer = getattr(importlib.import_module(module), function)(request)
    if inspect.isawaitable(answer):
        answer = asyncio.run(_awaited(answer))
    _write(answer_path, _encoded(answer))
    return 0


def _wrong(module: str, function: str) -> str:
    """Return why the function cannot be called, or nothing."""
    try:
        found = getattr(importlib.import_module(module), function)
    except BaseException as error:  # noqa: BLE001 - SystemExit too: it is what is wrong
        return f"{type(error).__name__}: {error}"
    return (
        "" if callable(found) else f"{function!r} is no function but of type {type(found).__name__}"
    )


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
