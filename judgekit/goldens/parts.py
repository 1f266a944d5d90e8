"""An expectation as named parts, and back: the unit in which two experts agree or differ."""

from __future__ import annotations

import unicodedata
from typing import Any

from pydantic import TypeAdapter, ValidationError

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json
from judgekit.model.expected import Expected
from judgekit.model.golden import (
    Expectation,
    ExpectedRow,
    ForbiddenCall,
    Scenario,
    ToolPath,
    pointer,
    pointer_keys,
)
from judgekit.store.formats.problems import path_text

Parts = dict[str, Any]
"""Pointer -> JSON value. A part that is not there was not filled in; no value is null."""

_NO_EQUALITY = frozenset({"pattern", "json_schema", "similarity", "custom"})
_ROW_KEYS = 3  # /state/<table>/<key>
_PATH_KEYS = 2  # /paths/<id>


def parts_of(expectation: Expectation, *, whole: frozenset[str] = frozenset()) -> Parts:
    """Return the parts of an expectation.

    A path is split into its calls and one part for each argument, and a row of the state into its
    fields, unless its pointer is in `whole`.
    """
    parts: Parts = {}
    for name, expected in expectation.fields.items():
        parts[pointer("fields", name)] = _plain(expected)
    for path_id, path in expectation.paths.items():
        parts |= _path_parts(pointer("paths", path_id), path, whole)
    for call in expectation.forbidden:
        parts.setdefault(pointer("forbidden", call.tool), []).append(_plain(call))
    if expectation.state is not None:
        for table, rows in expectation.state.tables.items():
            for key, row in rows.items():
                parts |= _row_parts(pointer("state", table, key), row, whole)
        for change in expectation.state.allowed_changes:
            parts[pointer("allowed_changes", change.table, change.key, change.field)] = True
    if expectation.scenario is not None:
        parts["/scenario"] = expectation.scenario
    if expectation.failure_modes:
        parts["/failure_modes"] = sorted(set(expectation.failure_modes))
    return parts


def expectation_of(parts: Parts) -> Expectation:
    """Return the expectation of some parts; an argument without its path is left out.

    Raises:
        InputError: a part does not hold what its pointer asks for.
    """
    body: dict[str, Any] = {}
    for part in sorted(parts, key=lambda name: (name.count("/"), name)):
        _place(body, pointer_keys(part), parts[part])
    try:
        return Expectation.model_validate(body)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise InputError(
            "the merged expectation is not one", where=path_text(fault["loc"]), found=fault["msg"]
        ) from error


def checked_value(part: str, value: Any) -> Any:
    """Return the value of a part in the form that it is stored in.

    Raises:
        InputError: the value does not fit the part; says where in it, what was found and what was
            expected.
    """
    try:
        read = _adapter(pointer_keys(part)).validate_python(value)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        inside = path_text(tuple(fault["loc"]))
        raise InputError(
            f"the value of {part} cannot be used",
            where=f"{part} {inside}".strip(),
            found=repr(value)[:200],
            expected=str(fault.get("ctx", {}).get("error", fault["msg"])),
        ) from error
    if isinstance(read, list):
        return [_plain(entry) for entry in read]
    return _plain(read)


def comparable(value: Any) -> str:
    """Return a text that is the same for values that mean the same.

    Numbers by value (1 and 1.0), text by its composed Unicode form (NFC); true and 1, "" and
    null stay apart, and so does every other difference of text.
    """
    return canonical_json(_normal(value))


def same_expected(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Tell whether two expectations mean the same value, whatever else is said beside it.

    Under one declared comparator that reads both as equal (`text`: Yes and yes), they do. Patterns,
    schemas, similarity and functions do not say that two expected values are one.
    """
    if comparable(first.get("compare")) != comparable(second.get("compare")):
        return _bare(first) == _bare(second)
    one, other = Expected.model_validate(first), Expected.model_validate(second)
    if _bare(first) == _bare(second):
        return True
    if one.expect != other.expect or one.compare.kind in _NO_EQUALITY:
        return False
    decide = one.compare.decide
    return decide(one.value, other.value) is True and decide(other.value, one.value) is True


def _bare(expected: dict[str, Any]) -> str:
    return comparable([expected.get("expect", "value"), expected.get("value")])


def _normal(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_normal(entry) for entry in value]
    if isinstance(value, dict):
        return {_normal(key): _normal(entry) for key, entry in value.items()}
    return value


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    return value


def _path_parts(part: str, path: ToolPath, whole: frozenset[str]) -> Parts:
    if part in whole:
        return {part: _plain(path)}
    bare = [call.model_copy(update={"arguments": {}}) for call in path.calls]
    parts: Parts = {part: _plain(path.model_copy(update={"calls": tuple(bare)}))}
    for index, call in enumerate(path.calls):
        for name, expected in call.arguments.items():
            inner = part + pointer("calls", str(index), "arguments", name)
            parts[inner] = _plain(expected)
    return parts


def _row_parts(part: str, row: ExpectedRow, whole: frozenset[str]) -> Parts:
    if part in whole or not row.fields:
        return {part: _plain(row)}
    return {part + pointer(name): _plain(expected) for name, expected in row.fields.items()}


def _place(body: dict[str, Any], keys: list[str], value: Any) -> None:
    root = keys[0]
    if root in ("scenario", "failure_modes"):
        body[root] = value
    elif root == "forbidden":
        body.setdefault(root, []).extend(value)
    elif root == "allowed_changes":
        table, key, field = keys[1:]
        change = {"table": table, "key": key, "field": field}
        body.setdefault("state", {}).setdefault(root, []).append(change)
    elif root == "state":
        _place_row(body.setdefault("state", {}).setdefault("tables", {}), keys, value)
    elif root == "paths" and len(keys) > _PATH_KEYS:
        _place_argument(body.get(root, {}).get(keys[1]), keys, value)
    else:
        body.setdefault(root, {})[keys[1]] = _copied(value)


def _place_row(tables: dict[str, Any], keys: list[str], value: Any) -> None:
    rows = tables.setdefault(keys[1], {})
    if len(keys) == _ROW_KEYS:
        rows[keys[2]] = _copied(value)
    else:
        rows.setdefault(keys[2], {}).setdefault("fields", {})[keys[3]] = value


def _place_argument(path: dict[str, Any] | None, keys: list[str], value: Any) -> None:
    calls = (path or {}).get("calls", [])
    index = int(keys[3])
    if index < len(calls):
        calls[index].setdefault("arguments", {})[keys[5]] = value


def _copied(value: Any) -> Any:
    """Return a deep copy, so that placing arguments does not change the caller's parts."""
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    return [_copied(entry) for entry in value] if isinstance(value, list) else value


def _adapter(keys: list[str]) -> TypeAdapter[Any]:
    kinds: dict[tuple[str, int], Any] = {
        ("fields", 2): Expected,
        ("paths", 2): ToolPath,
        ("paths", 6): Expected,
        ("forbidden", 2): list[ForbiddenCall],
        ("state", 3): ExpectedRow,
        ("state", 4): Expected,
        ("allowed_changes", 4): bool,
        ("scenario", 1): Scenario,
        ("failure_modes", 1): list[str],
    }
    kind = kinds.get((keys[0], len(keys)))
    if kind is None:
        raise InputError(
            "there is no such part of a golden case", found=pointer(*keys), expected="/fields/NAME"
        )
    return TypeAdapter(kind)
