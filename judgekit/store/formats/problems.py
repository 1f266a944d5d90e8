"""What is wrong with a row or a key: field, found, expected."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record

SHOWN = 20
LENGTH = 80
Location = tuple[str | int, ...]


class Refusal(Record):
    """Why one row was refused. `line` is 1-based: the file's line, or the row of a Parquet file."""

    line: int
    field: str | None = None
    found: str
    expected: str

    def sentence(self) -> str:
        """Return the refusal in one line."""
        return f"{self.fact()}, expected {self.expected}"

    def fact(self) -> str:
        """Return where and what was found, without what was expected."""
        field = f" {self.field}:" if self.field else ""
        return f"line {self.line}:{field} found {self.found}"


class Problem(Record):
    """One fault of a parsed value: the path of keys to it, what was there, what should be."""

    path: tuple[str | int, ...]
    found: str
    expected: str
    others: int = 0

    @property
    def field(self) -> str | None:
        """Return the path as `a.b[0]`, or None for the whole."""
        return path_text(self.path) or None


def short(value: object) -> str:
    """Return `value` as it would be written in JSON, cut to one line."""
    plain = value is None or isinstance(value, bool)
    text = json.dumps(value) if plain else repr(value)
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 3]}..."


def path_text(path: Location) -> str:
    """Return a path as `graders.tone.rubric` or `criteria[1].id`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def explain(error: ValidationError, data: Any, model: type[BaseModel]) -> Problem:
    """Return the first fault that pydantic found in `data`, in our words."""
    faults = error.errors(include_url=False)
    located = [(_path(data, fault), fault) for fault in faults]
    path, first = _telling(located)
    same = [fault for where, fault in located if where == path]
    missing = first["type"] == "missing"
    expected = dict.fromkeys(_expected(fault, path, model) for fault in same)
    return Problem(
        path=path,
        found="nothing" if missing else _found(data, path, first["type"]),
        expected=" or ".join(expected),
        others=len({where for where, _ in located}) - 1,
    )


def misfit(line: int, error: ValidationError, data: Any, model: type[BaseModel]) -> Refusal:
    """Return the refusal of a row that does not fit `model`."""
    problem = explain(error, data, model)
    return Refusal(line=line, field=problem.field, found=problem.found, expected=problem.expected)


def unfit(message: str, error: ValidationError, data: Any, model: type[BaseModel]) -> InputError:
    """Return the error for data that does not fit `model`; `where` is the place in it."""
    problem = explain(error, data, model)
    return InputError(message, where=problem.field, found=problem.found, expected=problem.expected)


def _telling(located: list[tuple[Location, Any]]) -> tuple[Location, Any]:
    """Return the fault to show: a misspelt key explains a missing one, the deepest a union's."""
    for path, fault in located:
        if fault["type"] == "extra_forbidden":
            return path, fault
    start = located[0][0]
    inside = [entry for entry in located if entry[0][: len(start)] == start]
    return max(inside, key=lambda entry: len(entry[0]))


def refusal_error(name: str, path: str, refusals: Sequence[Refusal]) -> InputError:
    """Return one error that names every refused row (the first 20 in full)."""
    first = refusals[0]
    where = f"{path}:{first.line}" + (f" {first.field}" if first.field else "")
    if len(refusals) == 1:
        return InputError(
            f"one row of {name!r} is refused",
            where=where,
            found=first.found,
            expected=first.expected,
        )
    alike = len({refusal.expected for refusal in refusals}) == 1
    shown = [one.fact() if alike else one.sentence() for one in refusals[:SHOWN]]
    if len(refusals) > SHOWN:
        shown.append(f"and {len(refusals) - SHOWN} more")
    return InputError(
        f"{len(refusals)} rows of {name!r} are refused",
        where=where,
        found="\n    ".join(shown),
        expected=first.expected,
    )


def _path(data: Any, fault: Any) -> Location:
    """Drop the parts of pydantic's location that name union members and not keys."""
    node = data
    path: list[str | int] = []
    parts = fault["loc"]
    for index, part in enumerate(parts):
        if _holds(node, part):
            node = node[part]
        elif not (fault["type"] == "missing" and index == len(parts) - 1):
            continue
        path.append(part)
    return tuple(path)


def _holds(node: Any, part: str | int) -> bool:
    if isinstance(node, Mapping):
        return part in node
    return isinstance(node, list | tuple) and isinstance(part, int) and part < len(node)


def _found(data: Any, path: Location, kind: str) -> str:
    if kind == "extra_forbidden":
        return f"the key {path[-1]!r}"
    for part in path:
        data = data[part]
    return short(data) if path else "this combination"


def _expected(fault: Any, path: Location, model: type[BaseModel]) -> str:
    kind = fault["type"]
    if kind == "missing":
        return f"the key {path[-1]!r}"
    if kind == "extra_forbidden":
        keys = _keys(model, path[:-1])
        near = get_close_matches(str(path[-1]), keys, n=2)
        return " or ".join(map(repr, near)) if near else f"one of {', '.join(keys)}"
    if kind == "value_error":
        return str(fault["ctx"]["error"])
    if kind == "tuple_type":
        return "a list"
    return str(fault["msg"]).replace("Input should be ", "").replace("String should", "text to")


def _keys(model: type[BaseModel], path: Location) -> list[str]:
    """Return the keys that `model` allows at `path`; those of every member of a union."""
    current: Any = model
    for part in path:
        current = _step(current, part)
    fields = [entry for found in _models_in(current) for entry in found.model_fields.items()]
    return list(dict.fromkeys(field.alias or name for name, field in fields))


def _step(annotation: Any, part: str | int) -> Any:
    model = _model_in(annotation)
    if model is not None:
        for name, field in model.model_fields.items():
            if part in (name, field.alias):
                return field.annotation
        return None
    for member in _members(annotation):
        arguments = get_args(member)
        if get_origin(member) is dict and isinstance(part, str):
            return arguments[1]
        if get_origin(member) in (tuple, list) and isinstance(part, int):
            return arguments[0]
    return None


def _members(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return get_args(annotation)
    return (annotation,)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    return next(iter(_models_in(annotation)), None)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    members = _members(annotation)
    return [one for one in members if isinstance(one, type) and issubclass(one, BaseModel)]
