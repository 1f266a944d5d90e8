"""Faults of tool specifications: many wrong calls are the specification's, not the agent's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from judgekit.model.tool_spec import LintFinding, ToolSpec

LEAST_WORDS = 5
_ALIKE = 0.85
_DEEPEST = 20
_VAGUE = re.compile(r"\b(stuff|things?|various|etc|miscellaneous|helper|handles?)\b", re.I)


def lint_tools(specs: Sequence[ToolSpec]) -> tuple[LintFinding, ...]:
    """Return what is weak in tool specifications, tool by tool.

    Example:
        >>> found = lint_tools([ToolSpec(name="get_order"), ToolSpec(name="get_orders")])
        >>> found[0].kind, found[0].tools
        ('overlapping_names', ('get_order', 'get_orders'))
    """
    pairs = [one for a, b in combinations(specs, 2) for one in _pair(a, b)]
    return (*pairs, *(one for spec in specs for one in _single(spec)))


def _pair(one: ToolSpec, other: ToolSpec) -> Iterator[LintFinding]:
    from rapidfuzz.distance import Indel

    names = (one.name, other.name)
    words = [frozenset(re.split(r"[_\W]+", name.lower())) for name in names]
    if words[0] == words[1] or Indel.normalized_similarity(*names) >= _ALIKE:
        yield LintFinding(
            kind="overlapping_names",
            tools=names,
            reason=f"the names {names[0]!r} and {names[1]!r} are easily taken for each other",
        )
    texts = [spec.description.strip().lower() for spec in (one, other)]
    if all(texts) and Indel.normalized_similarity(*texts) >= _ALIKE:
        yield LintFinding(
            kind="overlapping_descriptions",
            tools=names,
            reason=f"{names[0]!r} and {names[1]!r} are described almost alike",
        )


def _single(spec: ToolSpec) -> Iterator[LintFinding]:
    if not spec.description and spec.parameters is None:
        yield LintFinding(
            kind="no_parameters",
            tools=(spec.name,),
            reason=f"{spec.name!r} has neither a description nor a schema of its arguments here",
        )
        return
    words = spec.description.split()
    vague = _VAGUE.search(spec.description)
    if len(words) < LEAST_WORDS or vague:
        few = f"{len(words)} word{'' if len(words) == 1 else 's'}" if words else "no words"
        why = f"says {vague.group(0)!r}" if vague else f"has {few}"
        yield LintFinding(
            kind="vague_description",
            tools=(spec.name,),
            reason=f"the description of {spec.name!r} {why}; say what it does and when to use it",
        )
    if spec.parameters is None:
        yield LintFinding(
            kind="no_parameters",
            tools=(spec.name,),
            reason=f"{spec.name!r} has no schema of its arguments: none can be called malformed",
        )
        return
    for name, schema in _properties(spec.parameters):
        yield from _parameter(spec.name, name, schema)


def _parameter(tool: str, name: str, schema: Mapping[str, Any]) -> Iterator[LintFinding]:
    described = bool(str(schema.get("description", "")).strip())
    if "enum" in schema and not described:
        values = schema["enum"]
        n = len(values) if isinstance(values, list) else 0
        yield LintFinding(
            kind="undocumented_enum",
            tools=(tool,),
            parameter=name,
            reason=f"{tool}.{name} has {n} values and no word on what they mean",
        )
    elif not described and "type" not in schema and "$ref" not in schema:
        yield LintFinding(
            kind="undocumented_parameter",
            tools=(tool,),
            parameter=name,
            reason=f"{tool}.{name} has neither a type nor a description",
        )


def _properties(schema: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a schema at any depth; what is in a list has the list's name."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return
    found = schema.get("properties")
    for name, one in found.items() if isinstance(found, Mapping) else ():
        if isinstance(one, Mapping):
            inner = f"{path}.{name}" if path else str(name)
            yield inner, one
            yield from _properties(one, inner, depth + 1)
    yield from _properties(schema.get("items"), path, depth + 1)
