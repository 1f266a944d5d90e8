"""Rows of a JSONL, CSV, TSV or Parquet file, each with its line number.

Lines end at a line feed only (a carriage return before it is dropped), so that U+2028 and its
kind may stand inside a JSON string. A row that cannot be read is yielded as a `Refusal`; a file
that cannot be read raises.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from judgekit.errors import InputError
from judgekit.model.nesting import deeper_than
from judgekit.store.files import open_input
from judgekit.store.formats.problems import Refusal

DEEPEST = 150
"""Levels of a row: what reads a deeper one would run out of stack somewhere."""
MAX_LINE_BYTES = 32 * 1024 * 1024
Row = tuple[int, dict[str, Any]]
Scan = Iterator[Row | Refusal]
_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


class _BadValueError(ValueError):
    """A value that JSON readers accept and we do not."""


def scan_rows(path: Path) -> Scan:
    """Yield `(line, row)` or a `Refusal` for each row; blank lines are skipped.

    Raises:
        InputError: the file is missing, a folder, unreadable, not UTF-8, of an unknown suffix,
            or not what its suffix says.
    """
    scanner = _SCANNERS.get(path.suffix.lower())
    if scanner is None:
        raise InputError(
            f"{path.name!r} has a suffix that is not known",
            where=str(path),
            found=path.suffix or "no suffix",
            expected=", ".join(sorted(_SCANNERS)),
        )
    return scanner(path)


def holds_texts(path: Path) -> bool:
    """Tell whether every cell of the file is a text, whatever it stands for (CSV, TSV)."""
    return path.suffix.lower() in (".csv", ".tsv")


def parse_object(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`.

    Raises:
        ValueError: it is broken JSON or not an object, repeats a key, or holds NaN, an infinity
            or a lone surrogate.
    """
    value = _DECODER.decode(text)
    if not isinstance(value, dict):
        raise _BadValueError(f"a JSON {_kind(value)}")
    if "\\u" in text:
        _refuse_surrogates(value)
    if text.count("[") + text.count("{") > DEEPEST and deeper_than(value, DEEPEST):
        raise _BadValueError(f"JSON nested too deeply (over {DEEPEST} levels)")
    return value


def _scan_jsonl(path: Path) -> Scan:
    with open_input(path) as handle:
        for line, raw in raw_lines(handle, path):
            if isinstance(raw, Refusal):
                yield raw
                continue
            text = _decode(raw, path, line).strip(" \t\r")
            if text:
                yield _json_row(line, text)


def raw_lines(handle: BinaryIO, path: Path) -> Iterator[tuple[int, bytes | Refusal]]:
    """Yield each line without its line feed, the first without a byte order mark.

    Raises:
        InputError: the file is UTF-16.
    """
    line = 0
    while raw := handle.readline(MAX_LINE_BYTES + 1):
        line += 1
        if line == 1:
            raw = _without_bom(raw, path)
        if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            _skip_line(handle)
            limit = f"at most {MAX_LINE_BYTES // 1024 // 1024} MiB"
            yield line, Refusal(line=line, found="a longer line", expected=limit)
        else:
            yield line, raw.removesuffix(b"\n")


def _skip_line(handle: BinaryIO) -> None:
    while raw := handle.readline(MAX_LINE_BYTES):
        if raw.endswith(b"\n"):
            return


def _json_row(line: int, text: str) -> Row | Refusal:
    if "\0" in text:
        return Refusal(line=line, found="a NUL byte", expected="UTF-8 text")
    try:
        return line, parse_object(text)
    except json.JSONDecodeError as error:
        found = f"broken JSON ({error.msg} at column {error.colno})"
    except _BadValueError as error:
        found = str(error)
    except RecursionError:
        found = "JSON nested too deeply"
    except ValueError:
        found = "a number with too many digits"
    return Refusal(line=line, found=found, expected="one JSON object")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _BadValueError(f"the key {twice!r} twice")
    return row


def _no_constant(text: str) -> float:
    raise _BadValueError(f"{text}, which is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _BadValueError(f"{text}, which is too large a number")
    return number


def _refuse_surrogates(row: dict[str, Any]) -> None:
    try:
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _BadValueError("a lone surrogate (half of a character)") from error


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
)


def _kind(value: object) -> str:
    names = {list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
    return names.get(type(value), "null")


def _without_bom(raw: bytes, path: Path) -> bytes:
    if raw.startswith(_UTF16_BOMS):
        raise _not_utf8(path, 1, "UTF-16", "UTF-16")
    return raw.removeprefix(_UTF8_BOM)


def _decode(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x} at column {error.start + 1}"
        raise _not_utf8(path, line, found, "ISO-8859-1") from error


def _not_utf8(path: Path, line: int, found: str, encoding: str) -> InputError:
    return InputError(
        f"{path.name!r} is not UTF-8",
        where=f"{path}:{line}",
        found=found,
        expected="UTF-8",
        mend=f"if it is {encoding}: iconv -f {encoding} -t UTF-8 {path.name} > new{path.suffix}",
    )


def _scan_csv(path: Path, *, delimiter: str = ",") -> Scan:
    with open_input(path) as handle:
        csv.field_size_limit(MAX_LINE_BYTES)
        reader = csv.reader(_csv_lines(handle, path), delimiter=delimiter, strict=True)
        header = _header(reader, path)
        yield from _csv_rows(reader, header)


def _csv_lines(handle: BinaryIO, path: Path) -> Iterator[str]:
    for line, raw in raw_lines(handle, path):
        if isinstance(raw, Refusal):
            raise InputError(
                f"a line of {path.name!r} is too long",
                where=f"{path}:{line}",
                found=raw.found,
                expected=raw.expected,
            )
        if b"\0" in raw:
            raise InputError(
                f"{path.name!r} holds a NUL byte", where=f"{path}:{line}", expected="UTF-8 text"
            )
        yield _decode(raw, path, line) + "\n"


def _header(reader: Any, path: Path) -> list[str]:
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error as error:
        raise InputError(
            f"the header of {path.name!r} is broken", where=f"{path}:1", found=str(error)
        ) from error
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice or "" in header:
        raise InputError(
            f"the header of {path.name!r} does not name each column once",
            where=f"{path}:1",
            found=f"{twice[0]!r} twice" if twice and twice[0] else "a column without a name",
            expected="a first row that names each column once",
        )
    return header


def _csv_rows(reader: Any, header: list[str]) -> Scan:
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Refusal(
                line=line, found=f"a broken row ({error})", expected="quoted cells closed"
            )
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            yield Refusal(
                line=line, found=f"{len(cells)} cells", expected=f"{len(header)}, as the header"
            )
            continue
        yield line, {name: cell for name, cell in zip(header, cells, strict=True) if cell != ""}


def _scan_tsv(path: Path) -> Scan:
    return _scan_csv(path, delimiter="\t")


def _scan_parquet(path: Path) -> Scan:
    import pyarrow
    from pyarrow import parquet

    with open_input(path) as handle:
        content = io.BytesIO(handle.read())
    try:
        batches = parquet.ParquetFile(content).iter_batches()
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                yield _parquet_row(number, row)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            f"{path.name!r} is not a Parquet file that can be read",
            where=str(path),
            found=str(error).splitlines()[0][:120],
            expected="Parquet",
        ) from error


def _parquet_row(number: int, row: dict[str, Any]) -> Row | Refusal:
    clean = _without_nulls(row)
    bad = next((key for key, value in clean.items() if not _finite_inside(value)), None)
    if bad is None:
        return number, clean
    return Refusal(line=number, field=bad, found="NaN or an infinity", expected="a finite number")


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(entry) for key, entry in value.items() if entry is not None}
    if isinstance(value, list):
        return [_without_nulls(entry) for entry in value]
    return value


def _finite_inside(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_finite_inside(entry) for entry in value.values())
    if isinstance(value, list):
        return all(_finite_inside(entry) for entry in value)
    return True


_SCANNERS: dict[str, Callable[[Path], Scan]] = {
    ".jsonl": _scan_jsonl,
    ".ndjson": _scan_jsonl,
    ".csv": _scan_csv,
    ".tsv": _scan_tsv,
    ".parquet": _scan_parquet,
}
