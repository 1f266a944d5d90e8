"""Whatever the bytes, a reader returns records or raises our own error."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InputError
from judgekit.store.mapping import load_mapping
from judgekit.store.readers import read_items, read_labels
from judgekit.store.recorded import read_verdicts
from judgekit.store.rubrics import load_rubric
from judgekit.store.workspace import load_settings

PIECES = [b'{"id": ', b'"item_id": "a", ', b'"label": ', b'"pass"', b"}", b"\n", b",", b'"', b"1"]
PIECES += [
    b"\xff",
    b"\xef\xbb\xbf",
    b"\0",
    b"id,label\n",
    b"NaN",
    b"[",
    b": ",
    b"- ",
    b"&a ",
    b"*a",
]
PIECES += [b"PAR1", b"name: x\n", b"graders:\n", b"  ", b"!!x ", b"<<: ", b"\\ud800", b"\r", b"\t"]
CONTENT = st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(PIECES)).map(b"".join))
READERS: list[tuple[str, Callable[[Path], object]]] = [
    (f"x{suffix}", read)
    for read in (read_items, read_labels, read_verdicts)
    for suffix in (".jsonl", ".csv", ".parquet")
]
READERS += [("x.yaml", read) for read in (load_mapping, load_rubric, load_settings)]


@pytest.mark.parametrize(("name", "read"), READERS)
@given(content=CONTENT)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_bytes_give_records_or_our_own_error(
    name: str, read: Callable[[Path], object], content: bytes
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        error = error_of(lambda: read(path))
        assert error is None or error.where


def error_of(call: Callable[[], object]) -> InputError | None:
    try:
        call()
    except InputError as error:
        return error
    return None
