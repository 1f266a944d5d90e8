"""The texts of a request: the rubric as the system text, the item as the prompt."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.errors import ItemError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.rubric import AtLeast, Rubric
from judgekit.model.trial import Trial

if TYPE_CHECKING:
    from jinja2 import Template

PROMPT_VERSION = "v1"
_TEMPLATES = Path(__file__).parent / "templates"
_PAIR = ("output_1", "output_2")


class Part(Record):
    """One shown field of an item: its name and the text that the judge sees."""

    name: str
    text: str


class ItemPrompt(Record):
    """The prompt about one item, and every text in which a quote may be found."""

    text: str
    shown: tuple[str, ...]


def system_text(rubric: Rubric) -> str:
    """Return the system text of a rubric: the same for every item."""
    return _template("system").render(rubric=rubric, pass_rule=pass_rule_text(rubric)).strip()


def item_prompt(item: Item, rubric: Rubric) -> ItemPrompt:
    """Return the prompt about an item.

    Raises:
        ItemError: the item lacks a field that the rubric shows.
    """
    values = shown_values(item, rubric)
    parts = [Part(name=name, text=text_of(value)) for name, value in values]
    mark = unguessable_mark(*(part.text for part in parts))
    shown = [text for _, value in values for text in leaf_texts(value)]
    text = _template("item").render(parts=parts, mark=mark).strip()
    return ItemPrompt(text=text, shown=(*shown, *(part.text for part in parts)))


def reask_prompt(prompt: str, answer: str, problem: str) -> str:
    """Return the prompt that asks again after an answer that could not be used."""
    mark = unguessable_mark(prompt, answer)
    values = {"prompt": prompt, "answer": answer, "problem": problem, "mark": mark}
    return _template("reask").render(**values).strip()


def unguessable_mark(*texts: str) -> str:
    """Return a mark that occurs in none of the texts and that depends on all of them.

    A text cannot close a part: it would have to hold a hash of itself. The mark is the same for
    the same item, so that requests can be repeated and cached.
    """
    whole = "\x1f".join(texts)
    for attempt in range(1000):
        seed = f"{attempt}\x1f{whole}".encode("utf-8", "surrogatepass")
        mark = hashlib.sha256(seed).hexdigest()[:20]
        if mark not in whole:
            return mark
    raise ItemError("no mark could be found that the text does not hold")


def shown_values(item: Item, rubric: Rubric) -> list[tuple[str, Any]]:
    """Return the name and value of every field that the rubric shows.

    Raises:
        ItemError: the item lacks one.
    """
    found: list[tuple[str, Any]] = []
    for path in rubric.shows:
        names = _PAIR if path == "output" and item.output is None else (path,)
        for name in names:
            value = _value(item, name)
            if value is None:
                raise ItemError(
                    f"item {item.id!r} has no field {path!r}, which rubric {rubric.name!r} shows",
                    where=f"item {item.id}",
                    expected=", ".join(rubric.shows),
                )
            found.append((name, value))
    return found


def _value(item: Item, path: str) -> Any:
    root, *names = path.split(".")
    value = getattr(item, root)
    for name in names:
        if isinstance(value, Trial):
            value = getattr(value, name, None)
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def text_of(value: Any) -> str:
    """Return a field as the judge sees it: text verbatim, a trial as JSON lines, else JSON."""
    if isinstance(value, str):
        return value
    return trial_text(value) if isinstance(value, Trial) else as_json(value)


def trial_text(trial: Trial) -> str:
    """Return a trial with one JSON object a line: messages, tool calls, final, state, error.

    One line is one event, so that the text of a message cannot pass for another event.
    """
    lines = [{"message": _plain(message)} for message in trial.messages]
    lines += [{"tool_call": _plain(call)} for call in trial.tool_calls]
    for name in ("final", "state", "error"):
        value = getattr(trial, name)
        if value is not None:
            lines.append({name: value})
    return "\n".join(as_json(line, indent=None) for line in lines)


def leaf_texts(value: Any) -> list[str]:
    """Return every string inside a value: a quote may come from any of them."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Record):
        return leaf_texts(_plain(value))
    if isinstance(value, dict):
        return [text for entry in value.values() for text in leaf_texts(entry)]
    if isinstance(value, list | tuple):
        return [text for entry in value for text in leaf_texts(entry)]
    return []


def pass_rule_text(rubric: Rubric) -> str:
    """Return the pass rule as a sentence."""
    if isinstance(rubric.pass_rule, AtLeast):
        return f"at least {rubric.pass_rule.at_least} criteria pass"
    return "every critical criterion passes" if rubric.pass_rule == "critical" else "all pass"


def as_json(value: Any, indent: int | None = 1) -> str:
    """Return readable JSON with text kept as Unicode and keys in their order."""
    if isinstance(value, list | tuple):
        value = [_plain(entry) for entry in value]
    return json.dumps(_plain(value), ensure_ascii=False, indent=indent)


def _plain(value: Any) -> Any:
    return (
        value.model_dump(mode="json", exclude_defaults=True) if isinstance(value, Record) else value
    )


@cache
def _template(name: str) -> Template:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["as_json"] = lambda value: as_json(value, indent=None)
    return environment.get_template(f"{name}.{PROMPT_VERSION}.j2")
