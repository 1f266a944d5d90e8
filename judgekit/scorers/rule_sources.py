"""The code of custom comparators, as a part of the rules that name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from judgekit.errors import InputError
from judgekit.model.canonical import bytes_hash
from judgekit.model.case import Case
from judgekit.model.comparators.custom import Custom
from judgekit.model.expected import Expected
from judgekit.model.scoring import ScoringRules
from judgekit.scorers.python_function import load_function
from judgekit.scorers.source import module_file, source_hash

_NESTED = ("list",)
"""Kinds of comparators that hold others."""


def with_sources(rules: ScoringRules, cases: Iterable[Case], root: Path) -> ScoringRules:
    """Return the rules with the hash of the code of each custom comparator.

    Comparators of the rules and of the cases count, with every module of the workspace that they
    import. The functions are loaded from `root`, so that a comparison finds them.

    Raises:
        InputError: there is no such module or function, or it cannot be imported.
    """
    names = set(_in_rules(rules.body))
    names |= {name for case in cases for name in _in_case(case)}
    if not names:
        return rules
    sources = {name: _hash(name, root) for name in sorted(names)}
    # Not a copy: that would keep the hash of the rules without the sources.
    parts = {name: getattr(rules, name) for name in type(rules).model_fields}
    return ScoringRules.model_construct(**{**parts, "sources": sources})


def _hash(function: str, root: Path) -> str:
    module, _, name = function.partition(":")
    if module_file(module, root) is not None:
        load_function(module, name, root)
        return source_hash(module, root)
    try:
        spec = find_spec(module)
    except (ImportError, ValueError) as error:
        spec, why = None, f"{type(error).__name__}: {error}"
    else:
        why = "no such module"
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        raise InputError(
            f"the comparison {function!r} cannot be loaded",
            found=why,
            expected="module:function, with the module below the workspace's folder",
        )
    return bytes_hash(Path(spec.origin).read_bytes())


def _in_rules(body: Any) -> Iterator[str]:
    if isinstance(body, Mapping):
        if body.get("kind") == "custom" and isinstance(body.get("function"), str):
            yield body["function"]
        for inner in body.values():
            yield from _in_rules(inner)
    elif isinstance(body, list | tuple):
        for inner in body:
            yield from _in_rules(inner)


def _in_case(case: Case) -> Iterator[str]:
    listed: list[Mapping[str, Expected]] = [case.fields]
    listed += [call.arguments for path in case.paths.values() for call in path.calls]
    listed += [one.arguments for one in case.forbidden]
    if case.state is not None:
        listed += [row.fields for rows in case.state.tables.values() for row in rows.values()]
    for fields in listed:
        for one in fields.values():
            if isinstance(one.compare, Custom):
                yield one.compare.function
            elif one.compare.kind in _NESTED:
                yield from _in_rules(one.compare.model_dump())
