"""What the tests of bad files share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from judgekit.errors import InputError


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(call: Callable[[], object], kind: type[InputError] = InputError) -> InputError:
    with pytest.raises(kind) as caught:
        call()
    return caught.value
