"""What an expert types, read line by line: the text of four boxes becomes an expectation.

Fields, one a line::

    amount = 37.85 | as number absolute=0.01 | critical | weight 2
    reason = "customer withdrew"
    note = ""              empty text
    coupon = missing       the key must not be there
    refused = null         the key must be there and hold null

Tool calls, in order; arguments stand under their call; `path` begins another valid way::

    path in_order
    lookup_order
      order = "R-96835"
    issue_refund | only these arguments
      amount = 37.85
    path exact

Forbidden calls: a tool, arguments under it, and `| because WHY`. State: `table / key`, its fields
under it, `| absent`, or `allow table / key / field` with `*` for every one.

Values are JSON. A name with spaces at its ends, `=`, `|`, `/`, `#` or quotes is written as JSON
text. Lines that begin with `#` are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from judgekit.errors import InputError
from judgekit.goldens.entry_words import (
    Fault,
    head_and_options,
    read_argument,
    read_name,
    read_names,
    split_outside_quotes,
)
from judgekit.model.base import Record
from judgekit.model.golden import (
    AllowedChange,
    Expectation,
    ExpectedState,
    ForbiddenCall,
    Name,
    Scenario,
    ToolPath,
)

Box = Literal["fields", "tools", "forbidden", "state"]
BOXES: tuple[Box, ...] = ("fields", "tools", "forbidden", "state")
MATCHES = ("in_order", "any_order", "exact")
_NAME: TypeAdapter[str] = TypeAdapter(Name)


class EntryFault(Record):
    """What is wrong in a line of a box; lines count from 1."""

    box: Box
    line: int
    found: str
    expected: str

    def sentence(self) -> str:
        """Return the fault in one line."""
        return f"{self.box}, line {self.line}: found {self.found}; expected {self.expected}"


class EntryTexts(Record):
    """The four boxes, the scenario class and the failure modes, as typed."""

    fields: str = ""
    tools: str = ""
    forbidden: str = ""
    state: str = ""
    scenario: Scenario | None = None
    failure_modes: tuple[Name, ...] = ()


class ReadEntry(Record):
    """What was read: the expectation of all lines without a fault, and the faults."""

    expectation: Expectation
    faults: tuple[EntryFault, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is expected at all."""
        return self.expectation == Expectation()


def read_entry(texts: EntryTexts) -> ReadEntry:
    """Return the expectation that the texts say, and what is wrong in them; never raises."""
    faults: list[EntryFault] = []
    body: dict[str, Any] = {"scenario": texts.scenario, "failure_modes": texts.failure_modes}
    for box in BOXES:
        reader = _READERS[box]()
        for number, line in _lines(getattr(texts, box)):
            try:
                reader.take(line)
            except Fault as fault:
                faults.append(
                    EntryFault(box=box, line=number, found=fault.found, expected=fault.expected)
                )
        body |= reader.result()
    return ReadEntry(expectation=Expectation.model_validate(body), faults=tuple(faults))


def parse_entry(texts: EntryTexts) -> Expectation:
    """Return the expectation that the texts say.

    Raises:
        InputError: a line cannot be read, or nothing is expected; lists every fault.
    """
    read = read_entry(texts)
    if read.faults:
        first, n = read.faults[0], len(read.faults)
        raise InputError(
            f"{n} line{'s' if n > 1 else ''} of the entry cannot be read",
            where=f"{first.box} line {first.line}",
            found="\n    ".join(fault.sentence() for fault in read.faults),
            expected=first.expected,
        )
    if read.is_empty:
        raise InputError(
            "the entry expects nothing",
            expected="a field, a tool call, a forbidden call, a row of the state, or a class",
        )
    return read.expectation


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if bare and not bare.startswith("#"):
            yield number, bare


class _Fields:
    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}

    def take(self, line: str) -> None:
        name, expected = read_argument(line)
        _put(self.fields, name, expected, "field")

    def result(self) -> dict[str, Any]:
        return {"fields": self.fields}


class _Tools:
    def __init__(self) -> None:
        self.paths: list[dict[str, Any]] = []

    def take(self, line: str) -> None:
        if _is_argument(line):
            _argument(self.paths[-1]["calls"] if self.paths else [], line)
        elif line == "path" or line.startswith("path "):
            self.paths.append({"match": _match(line.removeprefix("path").strip()), "calls": []})
        else:
            if not self.paths:
                self.paths.append({"calls": []})
            self.paths[-1]["calls"].append(_call(line))

    def result(self) -> dict[str, Any]:
        paths = [ToolPath.model_validate(path) for path in self.paths]
        return {"paths": {f"p{number}": path for number, path in enumerate(paths, start=1)}}


class _Forbidden:
    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def take(self, line: str) -> None:
        if _is_argument(line):
            _argument(self.calls, line)
            return
        head, options = head_and_options(line)
        call: dict[str, Any] = {"tool": read_name(head), "arguments": {}}
        for option in options:
            word, _, why = option.partition(" ")
            if word != "because" or not why.strip():
                raise Fault(repr(option), "because WHY")
            call["reason"] = why.strip()
        self.calls.append(call)

    def result(self) -> dict[str, Any]:
        return {"forbidden": tuple(ForbiddenCall.model_validate(call) for call in self.calls)}


class _State:
    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {}
        self.allowed: list[AllowedChange] = []
        self.row: dict[str, Any] | None = None

    def take(self, line: str) -> None:
        if _is_argument(line):
            self._field(line)
        elif line.startswith("allow "):
            self._allow(line.removeprefix("allow "))
        else:
            self._begin(line)

    def _field(self, line: str) -> None:
        if self.row is None or self.row.get("absent"):
            raise Fault("a field without its row", "table / key on a line above it")
        name, expected = read_argument(line)
        _put(self.row["fields"], name, expected, "field of this row")

    def _allow(self, text: str) -> None:
        names = read_names(text, at_most=3)
        keys = dict(zip(("table", "key", "field"), names, strict=False))
        self.allowed.append(AllowedChange.model_validate(keys))

    def _begin(self, line: str) -> None:
        self.row = None  # fields under a line that cannot be read are refused too
        head, options = head_and_options(line)
        names = read_names(head, at_most=2)
        if len(names) != 2:
            raise Fault(repr(head), "table / key")
        strange = next((option for option in options if option != "absent"), None)
        if strange is not None:
            raise Fault(repr(strange), "absent")
        row: dict[str, Any] = {"absent": True} if options else {"fields": {}}
        _put(self.tables.setdefault(names[0], {}), names[1], row, "row")
        self.row = row

    def result(self) -> dict[str, Any]:
        tables = {name: rows for name, rows in self.tables.items() if rows}
        if not tables and not self.allowed:
            return {}
        state = {"tables": tables, "allowed_changes": tuple(dict.fromkeys(self.allowed))}
        return {"state": ExpectedState.model_validate(state)}


_READERS: dict[Box, Callable[[], Any]] = {
    "fields": _Fields,
    "tools": _Tools,
    "forbidden": _Forbidden,
    "state": _State,
}


def _is_argument(line: str) -> bool:
    """Tell whether a line gives a value: a `=` stands outside quotes, before any option."""
    return len(split_outside_quotes(split_outside_quotes(line, "|")[0], "=")) > 1


def _argument(calls: list[dict[str, Any]], line: str) -> None:
    if not calls:
        raise Fault("an argument without its call", "the name of a tool on a line above it")
    name, expected = read_argument(line)
    _put(calls[-1]["arguments"], name, expected, "argument of this call")


def _call(line: str) -> dict[str, Any]:
    head, options = head_and_options(line)
    strange = next((option for option in options if option != "only these arguments"), None)
    if strange is not None:
        raise Fault(repr(strange), "only these arguments")
    return {"tool": read_name(head), "arguments": {}, "only_these": bool(options)}


def _match(word: str) -> str:
    if word and word not in MATCHES:
        raise Fault(repr(word), " or ".join(MATCHES))
    return word or MATCHES[0]


def _put(into: dict[str, Any], name: str, value: Any, kind: str) -> None:
    try:
        _NAME.validate_python(name)
    except ValidationError as error:
        raise Fault(f"{name!r:.60}", "a name of 1 to 200 characters") from error
    if name in into:
        raise Fault(f"{name!r:.60} twice", f"each {kind} once")
    into[name] = value
