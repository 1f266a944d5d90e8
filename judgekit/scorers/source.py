"""The source of a python grader and of everything it imports from the workspace."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from judgekit.errors import InputError
from judgekit.model.canonical import bytes_hash, content_hash


def source_hash(module: str, root: Path) -> str:
    """Return the hash of a module and of the workspace modules it imports, at any depth.

    Imports inside functions count too. Line ends are made alike, so that a checkout on another
    system gives the same hash.

    Raises:
        InputError: a file cannot be read as Python.
    """
    return content_hash({name: _file_hash(path) for name, path in sources(module, root).items()})


def sources(module: str, root: Path) -> dict[str, Path]:
    """Return the files of a module and of its imports below `root`, by module name."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = module_file(name, root)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += _parents(name)
        waiting += _imports(path, name)
    return dict(sorted(found.items()))


def module_file(name: str, root: Path) -> Path | None:
    """Return the file of a module below `root`, or None where it is not of the workspace."""
    parts = name.split(".")
    if parts[0] == "judgekit":  # covered by the version of the grading code
        return None
    base = root.joinpath(*parts)
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


def _file_hash(path: Path) -> str:
    return bytes_hash(path.read_bytes().replace(b"\r\n", b"\n"))


def _parents(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _imports(path: Path, name: str) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes(), filename=path.name)
    except SyntaxError as error:
        raise InputError(
            f"{path.name} is not valid Python: {error.msg}", where=f"{path.name}:{error.lineno}"
        ) from error
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from _from_import(node, package)


def _from_import(node: ast.ImportFrom, package: str) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        parts = package.split(".")
        kept = parts[: len(parts) - node.level + 1]
        base = ".".join([*kept, base] if base else kept)
    yield base
    yield from (f"{base}.{alias.name}" for alias in node.names)
