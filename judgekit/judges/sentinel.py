"""The fixed item for which the request is rendered in a fingerprint."""

from __future__ import annotations

from typing import Any

from judgekit.model.item import Item
from judgekit.model.rubric import Rubric
from judgekit.model.trial import Message, ToolCall, Trial

_TEXT = "sentinel text"


def sentinel_item(rubric: Rubric) -> Item:
    """Return an item with a fixed text in every field that the rubric shows.

    Example:
        >>> from judgekit.model.rubric import Criterion, FailureMode
        >>> rubric = Rubric(name="polite", task="Is it polite?", shows=("output.reply",),
        ...     criteria=(Criterion(id="polite", description="polite"),),
        ...     failure_modes=(FailureMode(id="rude", description="rude"),))
        >>> sentinel_item(rubric).output
        {'reply': 'sentinel text'}
    """
    fields: dict[str, Any] = {}
    for path in sorted(rubric.shows):
        root, *names = path.split(".")
        if root == "trial":
            fields["trial"] = _TRIAL
        elif not names:
            fields.setdefault(root, _TEXT)
        else:
            _put(fields, [root, *names])
    return Item(id="sentinel", **fields)


def _put(fields: dict[str, Any], path: list[str]) -> None:
    *parents, last = path
    for name in parents:
        found = fields.get(name)
        fields[name] = found if isinstance(found, dict) else {}
        fields = fields[name]
    fields[last] = _TEXT


_TRIAL = Trial(
    messages=(Message(role="user", content=_TEXT),),
    tool_calls=(ToolCall(name="tool", arguments={"argument": _TEXT}),),
    final={"field": _TEXT},
    state={"field": _TEXT},
    error=_TEXT,
)
