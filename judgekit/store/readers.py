"""Read items and human labels; every refused row is named by file, line and field."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.store.files import file_hash
from judgekit.store.formats.problems import Refusal, misfit, refusal_error
from judgekit.store.formats.rows import Row, parse_object, scan_rows
from judgekit.store.mapping import Mapping

ITEM_ID_NAMES = ("item_id", "id")
LABEL_NAMES = ("human_label", "human", "label")
ANNOTATOR_NAMES = ("annotator", "rater", "annotator_id")
DEFAULT_ANNOTATOR = "human"
_TEXT_FIELDS = ("input", "output", "output_1", "output_2", "context", "reference")
_OBJECT_FIELDS = frozenset({"input", "output", "output_1", "output_2"})
_JSON_CELLS = frozenset({*_TEXT_FIELDS, "trial", "metadata", "evidence", "probs"})
_LABEL_KEYS = frozenset(Label.model_fields) - {"extra", "line"}


class LabelFile(Record):
    """The labels of one file and what was not used of it.

    `refused` is empty unless the file was read leniently. `extra_keys` counts the keys that are
    not ours (their values are in `Label.extra`). `dropped` counts labels left out by the mapping,
    by reason.
    """

    name: str
    file_hash: str
    labels: tuple[Label, ...]
    refused: tuple[Refusal, ...] = ()
    extra_keys: dict[str, int] = Field(default_factory=dict)
    dropped: dict[str, int] = Field(default_factory=dict)


def read_rows(path: Path) -> Iterator[Row]:
    """Yield `(line, row)` of a JSONL, CSV, TSV or Parquet file.

    Raises:
        InputError: the file or a row cannot be read; says file and line.
    """
    for entry in scan_rows(path):
        if isinstance(entry, Refusal):
            raise refusal_error(path.name, str(path), [entry])
        yield entry


def read_items(path: Path) -> tuple[Item, ...]:
    """Return the items of a file, in order.

    A number or boolean given as text field is read as its JSON text, an integer id as text.

    Raises:
        InputError: a row is refused (unknown key, wrong type, id missing or given twice), or
            there is no item.
    """
    items: list[Item] = []
    refused: list[Refusal] = []
    for entry in scan_items(path):
        if isinstance(entry, Refusal):
            refused.append(entry)
        else:
            items.append(entry[1])
    if refused:
        raise refusal_error(path.name, str(path), refused)
    if not items:
        raise no_rows(path, "item")
    return tuple(items)


def scan_items(path: Path) -> Iterator[tuple[int, Item] | Refusal]:
    """Yield each item of a file with its line, or why the row is refused.

    Raises:
        InputError: the file itself cannot be read.
    """
    lines: dict[str, int] = {}
    for entry in scan_rows(path):
        if isinstance(entry, Refusal):
            yield entry
            continue
        item = _item(*entry, csv=is_table(path))
        if isinstance(item, Refusal):
            yield item
        elif item.id in lines:
            yield _duplicate(item.id, entry, lines[item.id])
        else:
            lines[item.id] = entry[0]
            yield entry[0], item


def read_labels(path: Path, *, lenient: bool = False, mapping: Mapping | None = None) -> LabelFile:
    """Return the human labels of a file.

    Labels stay as they are written: what a category or number means is decided where they are
    compared with verdicts. A mapping only leaves out the ids that its `where` does not keep.

    Raises:
        InputError: a row is refused and `lenient` is off, or there is no label.
    """
    labels: list[Label] = []
    refused: list[Refusal] = []
    extra: Counter[str] = Counter()
    for label in scan_labels(path):
        if isinstance(label, Refusal):
            refused.append(label)
            continue
        extra.update(label.extra.keys())
        labels.append(label)
    if refused and not lenient:
        raise refusal_error(path.name, str(path), refused)
    if not labels:
        raise no_rows(path, "label", refused)
    kept = tuple(label for label in labels if mapping is None or mapping.selects_id(label.item_id))
    left_out = len(labels) - len(kept)
    return LabelFile(
        name=path.name,
        file_hash=file_hash(path),
        labels=kept,
        refused=tuple(refused),
        extra_keys=dict(extra),
        dropped={"where": left_out} if left_out else {},
    )


def scan_labels(path: Path) -> Iterator[Label | Refusal]:
    """Yield each label of a file, which knows its line, or why the row is refused.

    Raises:
        InputError: the file itself cannot be read.
    """
    for entry in scan_rows(path):
        yield entry if isinstance(entry, Refusal) else _label(*entry, csv=is_table(path))


def take(row: dict[str, Any], names: Sequence[str]) -> Any:
    """Remove the first of `names` that the row has and return its value, else None."""
    for name in names:
        if name in row:
            return row.pop(name)
    return None


def identifier(value: Any) -> Any:
    """Return an integer id as text; anything else as it is."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def cells(row: dict[str, Any]) -> dict[str, Any]:
    """Return a CSV or Parquet row with JSON objects and arrays in cells parsed."""
    return {key: _cell(key, value) if key in _JSON_CELLS else value for key, value in row.items()}


def is_table(path: Path) -> bool:
    """Tell whether the file has cells rather than JSON values."""
    return path.suffix.lower() in (".csv", ".tsv", ".parquet")


def no_rows(path: Path, kind: str, refused: Sequence[Refusal] = ()) -> InputError:
    """Return the error for a file without a usable row."""
    found = f"{len(refused)} refused rows" if refused else "no row"
    return InputError(
        f"{path.name!r} holds no {kind}",
        where=str(path),
        found=found,
        expected=f"at least one {kind}",
    )


def _item(line: int, row: dict[str, Any], *, csv: bool) -> Item | Refusal:
    data = {key: _as_text(key, value) for key, value in (cells(row) if csv else row).items()}
    for key in ("id", "group"):
        if key in data:
            data[key] = identifier(data[key])
    try:
        return Item.model_validate(data)
    except ValidationError as error:
        return misfit(line, error, data, Item)


def _label(line: int, row: dict[str, Any], *, csv: bool) -> Label | Refusal:
    rest = cells(row) if csv else dict(row)
    known: dict[str, Any] = {"line": line}
    for field, names in (
        ("item_id", ITEM_ID_NAMES),
        ("label", LABEL_NAMES),
        ("annotator", ANNOTATOR_NAMES),
    ):
        value = take(rest, names)
        if value is not None:
            known[field] = value if field == "label" else identifier(value)
    known.setdefault("annotator", DEFAULT_ANNOTATOR)
    own = _LABEL_KEYS & rest.keys() - known.keys()
    known |= {key: rest.pop(key) for key in own}
    if isinstance(known.get("evidence"), str):
        known["evidence"] = (known["evidence"],)
    if known.get("label", "?") == "":
        return Refusal(line=line, field="label", found="an empty text", expected="pass or fail")
    try:
        return Label.model_validate({**known, "extra": rest})
    except ValidationError as error:
        return misfit(line, error, known, Label)


def _duplicate(item_id: str, entry: Any, first: int) -> Refusal:
    return Refusal(
        line=entry[0],
        field="id",
        found=f"{item_id!r}, which line {first} has too",
        expected="each id once",
    )


def _as_text(key: str, value: Any) -> Any:
    if key in _TEXT_FIELDS and isinstance(value, bool | int | float):
        return json.dumps(value)
    return value


def _cell(key: str, value: Any) -> Any:
    """Parse a cell that holds a JSON object, or an array where the field may be one."""
    opening = "{" if key in _OBJECT_FIELDS else ("{", "[")
    if isinstance(value, str) and value.startswith(opening):
        try:
            return parse_object(f'{{"cell": {value}}}')["cell"]
        except ValueError:
            return value  # text that happens to start with a bracket
    return value
