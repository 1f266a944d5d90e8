"""Find the JSON object in a reply that may wrap it in prose or a code fence."""

from __future__ import annotations

from typing import Any


def json_of_text(content: Any) -> str:
    """Return the JSON part of a reply's text, or the text itself where there is none.

    `content` is a string, a list of text parts, or None.
    """
    text = "".join(map(_part, content)) if isinstance(content, list) else str(content or "")
    stripped = text.strip()
    if stripped.startswith("{") or "{" not in stripped:
        return stripped
    from instructor.v2.core.json import extract_json_from_codeblock

    try:
        return str(extract_json_from_codeblock(stripped))
    except (ValueError, RecursionError):  # too many open braces: no object is in there
        return stripped


def _part(part: Any) -> str:
    return str(part.get("text") or "") if isinstance(part, dict) else ""
