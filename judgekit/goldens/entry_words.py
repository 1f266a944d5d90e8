"""The words of an entry's line: names, JSON values and what follows them."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError

from judgekit.errors import InputError
from judgekit.model.canonical import canonical_json
from judgekit.model.expected import Expected
from judgekit.store.formats.rows import parse_object

_VALUE_WORDS = {"missing": {"expect": "missing"}, "null": {"expect": "null"}}
_KIND = re.compile(r"^as\s+(\w+)\s*(.*)$", re.S)
_OPTION = re.compile(r"^([A-Za-z_]\w*)=")


class Fault(Exception):
    """A line that cannot be read: what was there and what should be."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"found {found}, expected {expected}")
        self.found = found
        self.expected = expected


def read_argument(line: str) -> tuple[str, Expected]:
    """Return the name and the expectation of `name = VALUE | OPTION ...`.

    Raises:
        Fault: the line cannot be read.
    """
    name, rest = _name_before(line, "=")
    return name, read_expected(rest)


def read_expected(text: str) -> Expected:
    """Return the expectation of `VALUE | OPTION ...`.

    Raises:
        Fault: it cannot be read.
    """
    text = text.strip()
    value, options = _value(text)
    body = dict(value)
    for option in options:
        body |= _option(option)
    try:
        return Expected.model_validate(body)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        why = str(fault.get("ctx", {}).get("error", fault["msg"]))
        raise Fault(f"{text!r:.80}", why) from error


def expected_text(expected: Expected) -> str:
    """Return an expectation as it is typed; `read_expected` gives it back."""
    words = [_written(expected.value) if expected.expect == "value" else expected.expect]
    body = expected.model_dump(mode="json", exclude_defaults=True, by_alias=True)
    if "compare" in body:
        options = {key: value for key, value in body["compare"].items() if key != "kind"}
        given = [f"{key}={canonical_json(value)}" for key, value in sorted(options.items())]
        words.append(" ".join(["as", body["compare"]["kind"], *given]))
    if expected.critical:
        words.append("critical")
    if "weight" in body:
        words.append(f"weight {canonical_json(body['weight'])}")
    return " | ".join(words)


def head_and_options(line: str) -> tuple[str, list[str]]:
    """Return what stands before the first `|`, and what stands between and after them."""
    head, *options = split_outside_quotes(line, "|")
    return head, options


def read_name(text: str) -> str:
    """Return a name, typed as it is or as JSON text.

    Raises:
        Fault: it is empty or broken.
    """
    text = text.strip()
    if not text:
        raise Fault("no name", "a name")
    if not text.startswith('"'):
        return text
    name = _json(text)
    if not isinstance(name, str):
        raise Fault(f"{text!r:.60}", "a name")
    return name


def read_names(text: str, *, at_most: int) -> list[str]:
    """Return names between slashes: `orders / R-1`.

    Raises:
        Fault: a name is empty or broken, or there are too many.
    """
    parts = split_outside_quotes(text, "/")
    if len(parts) > at_most:
        raise Fault(f"{text!r:.60}", f"at most {at_most} names; one with a slash in quotes")
    return [read_name(part) for part in parts]


def _name_before(line: str, mark: str) -> tuple[str, str]:
    if line.startswith('"'):
        try:
            name, end = json.JSONDecoder().raw_decode(line)
        except ValueError as error:
            raise Fault(f"{line!r:.60}", "a name in JSON quotes, closed") from error
        rest = line[end:].lstrip()
        if rest.startswith(mark):
            return str(name), rest[1:]
        raise Fault(f"{line!r:.60}", f"{mark} after the name")
    name, found, rest = line.partition(mark)
    if not found or not name.strip():
        raise Fault(f"{line!r:.60}", "name = VALUE")
    return name.strip(), rest


def _value(text: str) -> tuple[dict[str, Any], list[str]]:
    if not text:
        raise Fault("no value", 'a JSON value; "" for empty text, null or missing for none')
    word = text.partition("|")[0].strip()
    if word in _VALUE_WORDS:
        return dict(_VALUE_WORDS[word]), split_outside_quotes(text, "|")[1:]
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        raise _not_json(word, error) from error
    rest = text[end:].strip()
    if rest and not rest.startswith("|"):
        raise _not_json(word, None)
    return {"value": _json(text[:end])}, split_outside_quotes(rest, "|")[1:]


def _not_json(word: str, error: Exception | None) -> Fault:
    if word[:1] in "[{":
        where = f" at column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        return Fault(f"{word!r:.60}, which is broken JSON{where}", "one JSON value")
    quoted = json.dumps(word.strip('"'), ensure_ascii=False)
    return Fault(f"{word!r:.60}, which is no JSON value", f"{quoted:.60} for text, or a number")


def _json(text: str) -> Any:
    try:
        return parse_object(f'{{"value": {text}}}')["value"]
    except (ValueError, RecursionError) as error:
        raise Fault(f"{text!r:.60}", f"one JSON value ({error})") from error


def _option(option: str) -> dict[str, Any]:
    if option == "critical":
        return {"critical": True}
    word, _, rest = option.partition(" ")
    if word == "weight":
        return {"weight": _number(rest)}
    kind = _KIND.match(option)
    if kind is None:
        raise Fault(f"{option!r:.60}", "as KIND, critical or weight NUMBER")
    return {"compare": {"kind": kind[1], **_comparator_options(kind[2])}}


def _number(text: str) -> float | int:
    value = _json(text.strip() or "null")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Fault(f"{text!r:.60}", "weight NUMBER")
    return value


def _comparator_options(text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    text = text.strip()
    while text:
        named = _OPTION.match(text)
        if named is None:
            raise Fault(f"{text!r:.60}", "option=JSON, such as absolute=0.01")
        rest = text[named.end() :]
        try:
            _, end = json.JSONDecoder().raw_decode(rest)
        except ValueError as error:
            raise Fault(f"{text!r:.60}", f"{named[1]}= and a JSON value") from error
        options[named[1]] = _json(rest[:end])
        text = rest[end:].strip()
    return options


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def split_outside_quotes(text: str, mark: str) -> list[str]:
    """Return the parts of a text between marks that stand outside JSON texts, stripped."""
    parts, start, quoted, escaped = [], 0, False, False
    for position, char in enumerate(text):
        if escaped:
            escaped = False
        elif quoted:
            escaped, quoted = char == "\\", char != '"'
        elif char == '"':
            quoted = True
        elif char == mark:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [part.strip() for part in parts]


def refuse(error: Fault, where: str) -> InputError:
    """Return the error for a value that was typed on its own."""
    return InputError(
        "the value cannot be read", where=where, found=error.found, expected=error.expected
    )
