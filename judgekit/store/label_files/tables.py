"""CSV for spreadsheets, in which no cell is a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgekit.model.label import Label
from judgekit.store.label_files.log.event_line import json_line

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
LABEL_COLUMNS = (
    "item_id",
    "criterion",
    "annotator",
    "label",
    "failure_mode",
    "evidence",
    "note",
    "guideline",
    "labelled_at",
    "origin",
    "design",
    "weight",
)


def csv_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return rows as CSV: UTF-8 text, a header, lines ended by a line feed, every cell quoted.

    A cell that a spreadsheet would run as a formula (after spaces: `=`, `+`, `-`, `@`, their wide
    forms, tab, carriage return, line feed), and a cell that starts with an apostrophe, gets one
    apostrophe in front: to read a cell back, drop one apostrophe. Absent values are empty cells.

    Example:
        >>> print(csv_text([{"a": "=1+1"}], ["a"]), end="")
        "a"
        "'=1+1"
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow([safe_cell(name) for name in columns])
    for row in rows:
        writer.writerow([safe_cell(_text(row.get(name))) for name in columns])
    return stream.getvalue()


def labels_csv(labels: Iterable[Label]) -> str:
    """Return labels as CSV that no spreadsheet runs; see `csv_text`."""
    return csv_text((label.model_dump(mode="json") for label in labels), LABEL_COLUMNS)


def safe_cell(text: str) -> str:
    """Return the cell with an apostrophe in front where it could be a formula."""
    start = text.lstrip(" \u00a0\u3000\ufeff")
    return f"'{text}" if start.startswith(_FORMULA) or text.startswith("'") else text


def read_cell(text: str) -> str:
    """Return what `safe_cell` was given."""
    return text.removeprefix("'")


def _text(value: Any) -> str:
    if value is None or value == []:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json_line({"": value}).removeprefix('{"": ').removesuffix("}")
    # NUL ends a file for many readers, a lone surrogate has no UTF-8.
    return str(value).replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
