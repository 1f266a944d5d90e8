"""YAML files that we own: read safely, every fault at file:line and key."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from judgekit.errors import InputError
from judgekit.store.files import read_bytes
from judgekit.store.formats.problems import Location, explain, path_text

MAX_BYTES = 4 * 1024 * 1024
MAX_NODES = 200_000
_PLAIN_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))
M = TypeVar("M", bound=BaseModel)


class YamlDocument:
    """One parsed YAML mapping that knows the line of each key.

    Args:
        path: the file.
        error: the exception class for faults, such as RubricError.

    Raises:
        InputError: the file is missing, not UTF-8, broken YAML, repeats a key, or no mapping.
    """

    def __init__(self, path: Path, *, error: type[InputError] = InputError) -> None:
        self.path = path
        self._error = error
        self._tree = self._load(_decoded(path, error))
        if not isinstance(self._tree, CommentedMap):
            found = (
                "an empty file" if self._tree is None else type(self._plain(self._tree)).__name__
            )
            raise error(
                f"{path.name!r} holds no keys",
                where=f"{path}:1",
                found=found,
                expected="YAML of the form key: value",
            )
        self._nodes = 0
        self.data: dict[str, Any] = self._plain(self._tree)

    def parse(self, model: type[M]) -> M:
        """Return the document as `model`.

        Raises:
            InputError: a key is unknown, missing or has a wrong value; says file:line and key.
        """
        try:
            record = model.model_validate(self.data)
        except ValidationError as error:
            problem = explain(error, self.data, model)
            more = f" (and {problem.others} more)" if problem.others else ""
            raise self.fault(
                problem.path,
                f"{self.path.name!r} cannot be used{more}",
                found=problem.found,
                expected=problem.expected,
            ) from error
        self._refuse_coerced(record, self.data, ())
        return record

    def _refuse_coerced(self, read: Any, written: Any, path: Location) -> None:
        """Refuse a value that pydantic turned into another kind, such as `true` read as 1."""
        if isinstance(written, dict):
            for key, value in written.items():
                inner = read.get(key) if isinstance(read, dict) else getattr(read, key, None)
                self._refuse_coerced(inner, value, (*path, key))
        elif isinstance(written, list) and isinstance(read, list | tuple):
            for place, (inner, value) in enumerate(zip(read, written, strict=False)):
                self._refuse_coerced(inner, value, (*path, place))
        elif _coerced(read, written):
            expected = "true or false" if isinstance(read, bool) else "a number"
            found = str(written).lower() if isinstance(written, bool) else repr(written)
            message = f"{self.path.name!r} cannot be used"
            raise self.fault(path, message, found=found, expected=expected)

    def fault(
        self, path: Location, message: str, *, found: str, expected: str, mend: str | None = None
    ) -> InputError:
        """Return the error for a fault at `path`, with file, line and key."""
        key = path_text(path)
        where = f"{self.path}:{self.line(path)}" + (f" {key}" if key else "")
        return self._error(message, where=where, found=found, expected=expected, mend=mend)

    def line(self, path: Location) -> int:
        """Return the 1-based line of the key at `path`, or of its nearest parent."""
        node: Any = self._tree
        line = 0
        for part in path:
            position = _position(node, part)
            if position is None:
                break
            line = position
            node = node[part]
        return line + 1

    def _load(self, text: str) -> Any:
        try:
            return YAML(typ="rt").load(text)
        except DuplicateKeyError as error:
            key = str(error.problem).split('"')[1:2] or ["?"]
            raise self._syntax(error, f"the key {key[0]!r} twice", "each key once") from error
        except MarkedYAMLError as error:
            raise self._syntax(error, error.problem or "broken YAML", "valid YAML") from error
        except (YAMLError, ValueError, RecursionError) as error:
            found = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise self._error(
                f"{self.path.name!r} is no YAML",
                where=f"{self.path}:1",
                found=found,
                expected="valid YAML",
            ) from error

    def _syntax(self, error: MarkedYAMLError, found: str, expected: str) -> InputError:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return self._error(
            f"{self.path.name!r} is no YAML that can be read",
            where=f"{self.path}:{line}",
            found=found,
            expected=expected,
        )

    def _plain(self, node: Any) -> Any:
        """Return plain Python values; aliases may not multiply the document without end."""
        self._nodes = getattr(self, "_nodes", 0) + 1
        if self._nodes > MAX_NODES:
            raise self._error(
                f"{self.path.name!r} is too large",
                where=f"{self.path}:1",
                found="aliases that unfold without end",
                expected=f"at most {MAX_NODES} values",
            )
        self._refuse_tag(node)
        if isinstance(node, CommentedMap):
            return {_key(key): self._plain(value) for key, value in node.items()}
        if isinstance(node, CommentedSeq):
            return [self._plain(value) for value in node]
        return _scalar(node)

    def _refuse_tag(self, node: Any) -> None:
        """Refuse tags such as !!python/object, which would otherwise be read as plain text."""
        tag = getattr(getattr(node, "tag", None), "value", None)
        if tag is not None and tag not in _PLAIN_TAGS:
            start = getattr(node, "lc", None)
            line = (start.line or 0) + 1 if start is not None else 1
            raise self._error(
                f"{self.path.name!r} holds a tag",
                where=f"{self.path}:{line}",
                found=f"the tag {str(tag)!r}",
                expected="values without a tag",
            )


def load_yaml(path: Path, model: type[M], *, error: type[InputError] = InputError) -> M:
    """Return the YAML file as `model`, faults named by file, line and key."""
    return YamlDocument(path, error=error).parse(model)


def _decoded(path: Path, error: type[InputError]) -> str:
    data = read_bytes(path)
    if len(data) > MAX_BYTES:
        limit = f"at most {MAX_BYTES // 1024 // 1024} MiB"
        raise error(f"{path.name!r} is too large", where=str(path), expected=limit)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise error(
            f"{path.name!r} is not UTF-8",
            where=f"{path}:{line}",
            found=f"byte 0x{data[fault.start]:02x}",
            expected="UTF-8",
        ) from fault


def _position(node: Any, part: str | int) -> int | None:
    try:
        if isinstance(node, CommentedMap) and part in node:
            return int(node.lc.key(part)[0])
        if isinstance(node, CommentedSeq) and isinstance(part, int) and part < len(node):
            return int(node.lc.item(part)[0])
    except (KeyError, TypeError):
        return None  # a key that came through a merge has no line of its own
    return None


def _coerced(read: Any, written: Any) -> bool:
    if isinstance(read, bool) or isinstance(written, bool):
        return isinstance(read, bool | int | float) and type(read) is not type(written)
    return isinstance(read, int | float) and isinstance(written, str)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(key)


def _scalar(node: Any) -> Any:
    """Turn ruamel's scalar classes into the plain types that JSON has."""
    if node is None or isinstance(node, bool):
        return node
    if isinstance(node, str):
        return str(node)
    if isinstance(node, int):
        return int(node)
    if isinstance(node, float):
        return float(node) if math.isfinite(node) else str(node)
    return str(node)
