"""What differs between two sets of scoring rules, and what of it lets more pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from judgekit.errors import UsageError
from judgekit.model.base import Record

_LOOSER_WHEN_TRUE = ("null_is_missing", "empty_is_missing")
_STRICTER_WHEN_TRUE = (
    "critical", "case", "punctuation", "accents", "spaces", "hyphens", "strip", "changes_state",
)  # fmt: skip
_LOOSER_WHEN_HIGHER = (
    "absolute", "relative", "tolerance_s", "tolerance_days", "max_identical", "calls",
    "model_calls", "depth", "input_tokens", "output_tokens", "latency_s", "cost_usd",
)  # fmt: skip
_STRICTER_WHEN_HIGHER = ("threshold", "weight")
_LOOSER_WHEN_LONGER = ("ignore", "allowed_changes", "formats", "hand_over")
_ORDER = {
    "match": ("exact", "in_order", "any_order"),
    "compare": ("calls", "names"),
    "extra_arguments": ("fault", "allowed"),
    "order": ("as_written", "any"),
    "particles": ("required", "optional"),
    "numbers": ("as_written", "by_value"),
    "where": ("whole", "inside"),
    "duplicates": ("count", "ignore"),
}
"""Choices from strict to loose."""


_SPECS = "tools.specs."
_NARROWING = (
    "type", "enum", "const", "pattern", "format", "required", "additionalProperties", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
)  # fmt: skip
"""Keywords of a JSON Schema without which it takes more."""


class RuleChange(Record):
    """One rule that differs. `loosened`: the change can only let more pass (None = not known)."""

    rule: str
    before: Any
    after: Any
    loosened: bool | None

    def sentence(self) -> str:
        """Return the change in one line."""
        mark = {True: " (loosened)", False: " (tightened)", None: ""}[self.loosened]
        before, after = self.before, self.after
        if isinstance(before, dict) and isinstance(after, dict) and _other_kind(before, after):
            before, after = before.get("kind"), after.get("kind")
        return f"{self.rule}: {before!r:.60} -> {after!r:.60}{mark}"


def rules_changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[RuleChange, ...]:
    """Return what differs between the bodies of two sets of rules, by rule.

    Example:
        >>> change, = rules_changes({"caps": {"calls": 5}}, {"caps": {"calls": 9}})
        >>> change.rule, change.loosened
        ('caps.calls', True)
    """
    return tuple(_walk("", before, after))


def refuse_other_rules(before: dict[str, Any], after: dict[str, Any], what: str) -> None:
    """Raise UsageError where two results were scored under different rules.

    `before` and `after` are the bodies of the rules; `what` names the older result.
    """
    changes = rules_changes(before, after)
    if not changes:
        return
    shown = "; ".join(change.sentence() for change in changes[:6])
    more = f"; and {len(changes) - 6} more" if len(changes) > 6 else ""
    raise UsageError(
        f"{what} was scored under other rules, and the two cannot be compared",
        found=shown + more,
        expected="the same rules on both sides",
        mend="score the older trials again under these rules",
    )


def _walk(path: str, before: Any, after: Any) -> Iterator[RuleChange]:
    if before == after:
        return
    if path == "tools.specs":
        before, after = _by_name(before), _by_name(after)
    if isinstance(before, dict) and isinstance(after, dict) and not _other_kind(before, after):
        for key in dict.fromkeys([*before, *after]):
            inner = f"{path}.{key}" if path else str(key)
            yield from _walk(inner, before.get(key), after.get(key))
        return
    name = path.rpartition(".")[2]
    yield RuleChange(
        rule=path, before=before, after=after, loosened=_loosened(path, name, before, after)
    )


def _by_name(specs: Sequence[dict[str, Any]] | None) -> dict[str, Any]:
    """Return specifications of tools by their names, so that each is compared with its own."""
    bodies = [dict(one) for one in specs or ()]
    return {one.pop("name"): one for one in bodies}


def _other_kind(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return before.get("kind") != after.get("kind")


def _loosened(path: str, name: str, before: Any, after: Any) -> bool | None:
    if path.startswith(_SPECS) and name != "changes_state":
        return _looser_specification(path, name, before, after)
    if isinstance(after, bool) and name in (*_LOOSER_WHEN_TRUE, *_STRICTER_WHEN_TRUE):
        return after is (name in _LOOSER_WHEN_TRUE)
    if name in _LOOSER_WHEN_HIGHER:
        return _higher(before, after)
    if name in _STRICTER_WHEN_HIGHER:
        higher = _higher(before, after)
        return None if higher is None or name == "weight" else not higher
    known = _ORDER.get(name, ())
    if isinstance(before, str) and isinstance(after, str) and {before, after} <= set(known):
        return known.index(after) > known.index(before)
    return _by_length(path, name, before, after)


def _looser_specification(path: str, name: str, before: Any, after: Any) -> bool | None:
    """Judge a tool's specification: one that is gone, or a keyword less, checks less."""
    whole = path.count(".") == _SPECS.count(".") or name == "parameters"
    if (whole or name in _NARROWING) and (before is None or after is None):
        return after is None
    if name in ("required", "enum") and isinstance(before, list) and isinstance(after, list):
        added = any(entry not in before for entry in after)
        gone = any(entry not in after for entry in before)
        return None if added == gone else (gone if name == "required" else added)
    return (not before) if name == "additionalProperties" and isinstance(before, bool) else None


def _higher(before: Any, after: Any) -> bool | None:
    """Tell whether a limit rose; no limit at all is the highest."""
    limits = [one for one in (before, after) if one is not None]
    if not all(isinstance(one, int | float) for one in limits):
        return None  # a field or an argument that has the name of a limit
    if after is None:
        return True
    return False if before is None else bool(after > before)


def _by_length(path: str, name: str, before: Any, after: Any) -> bool | None:
    """Judge lists: more exceptions are looser; fewer checks are looser."""
    checks = ("failing", "forbidden", "answer_after", "claims")
    listed = name in (*_LOOSER_WHEN_LONGER, *checks)
    inside = any(f"tools.{key}." in f"{path}." for key in ("before", "traceable", "succeeded"))
    if not listed and not inside:
        return None
    old, new = before or [], after or []
    if not isinstance(old, list) or not isinstance(new, list):
        return None
    added = any(entry not in old for entry in new)
    gone = any(entry not in new for entry in old)
    if added == gone:
        return None
    return added if name in _LOOSER_WHEN_LONGER else gone
