"""Foreign recordings of trials, read as they are through a small mapping file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.case import Case
from judgekit.model.comparators.catalog import AnyComparator
from judgekit.model.trial import Trial, TrialKey
from judgekit.store.foreign_trials import call_of, message_of, tool_calls_of
from judgekit.store.formats.problems import Refusal, refusal_error
from judgekit.store.formats.rows import holds_texts, scan_rows
from judgekit.store.formats.yaml_file import load_yaml
from judgekit.store.trials_file import Unchanged


class ExpectedCalls(Record):
    """Where the expected calls of a case are, and how they are to be matched.

    `only_these` True: a call with further arguments is another call. `compare` is the comparator
    of every argument, unless the scoring rules name one (None).
    """

    at: str
    match: Literal["exact", "in_order", "any_order"] = "in_order"
    only_these: bool = True
    compare: AnyComparator | None = None


class TrialMapping(Record):
    """Where the parts of a trial are in foreign files (`--mapping trials.yaml`).

    Paths are dotted and begin with `trial` (a row of the trials file) or `item` (the row of the
    items file that `join` names). `case` and `number` say which attempt at which case a row is;
    without `number` they are counted in the order of the file. A `final` that is no object becomes
    the field `output`. `outcome` is true, 1, pass ... or,
    with `success`, a number at least that large.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    join: str | None = None
    case: str
    number: str | None = None
    group: str | None = None
    scenario: str | None = None
    input: str | None = None
    messages: str | None = None
    tool_calls: str | None = None
    final: str | None = None
    state: str | None = None
    error: str | None = None
    outcome: str | None = None
    success: float | None = None
    cost_usd: str | None = None
    latency_s: str | None = None
    expected_calls: ExpectedCalls | None = None
    tool_error: str | None = None
    """Tool results that begin with this are errors."""

    @field_validator(
        "join", "case", "number", "group", "scenario", "input", "messages", "tool_calls", "final",
        "state", "error", "outcome", "cost_usd", "latency_s",
    )  # fmt: skip
    @classmethod
    def _rooted(cls, value: str | None) -> str | None:
        if value is not None and value.partition(".")[0] not in ("trial", "item"):
            raise ValueError("a path that begins with trial. or item.")
        return value


class ForeignTrials(Record):
    """What was read: the cases and their trials."""

    cases: tuple[Case, ...]
    trials: tuple[Trial, ...]


def load_trial_mapping(path: Path) -> TrialMapping:
    """Return the mapping in a YAML file.

    Raises:
        InputError: a key is unknown or has a wrong value; says file:line and key.
    """
    return load_yaml(path, TrialMapping)


def read_foreign_trials(
    trials: Path, mapping: TrialMapping, *, items: Path | None = None
) -> ForeignTrials:
    """Return the cases and trials of foreign files under a mapping.

    Raises:
        InputError: a row lacks what the mapping names, two rows of one case expect different
            calls, or there is no row; says file and line.
    """
    file = ForeignFile(trials, mapping, items=items)
    found = tuple(file)
    return ForeignTrials(cases=file.cases, trials=found)


class ForeignFile:
    """The trials of a foreign file, read one by one each time they are asked for; none is kept.

    Raises, while it is read:
        InputError: as `read_foreign_trials`, or the file changed since it was first read.
    """

    def __init__(self, trials: Path, mapping: TrialMapping, *, items: Path | None = None) -> None:
        self._path = trials
        self._mapping = mapping
        self._items = {} if items is None else _by_id(items)
        self._unchanged = Unchanged(trials)
        self._cases: dict[str, Case] = {}

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return the cases that the rows describe, in the order in which they first occur."""
        if not self._cases:
            deque(self, maxlen=0)
        return tuple(self._cases.values())

    def __iter__(self) -> Iterator[Trial]:
        """Yield the trials in the order of the file; after a refused row only what is refused."""
        self._unchanged.check()
        refused: list[Refusal] = []
        texts = holds_texts(self._path)
        rows = _Rows(self._items, self._mapping, self._cases, texts=texts)
        for entry in scan_rows(self._path):
            found = entry if isinstance(entry, Refusal) else rows.read(*entry)
            if isinstance(found, Refusal):
                refused.append(found)
            elif not refused:
                yield found
        path = self._path
        if refused:
            raise refusal_error(path.name, str(path), refused)
        if not self._cases:
            raise InputError(
                f"{path.name!r} holds no trial", where=str(path), expected="one a line"
            )


class _Rows:
    """Reads the rows of a file in their order: some numbers are counted, none may come twice."""

    def __init__(
        self,
        items: Mapping[str, dict[str, Any]],
        mapping: TrialMapping,
        cases: dict[str, Case],
        *,
        texts: bool,
    ) -> None:
        self._items = items
        self._mapping = mapping
        self._cases = cases
        self._texts = texts
        self._counted: dict[str, int] = {}
        self._lines: dict[TrialKey, int] = {}

    def read(self, line: int, row: dict[str, Any]) -> Trial | Refusal:
        """Return the trial of a row, and take in its case."""
        try:
            case, trial = _read(row, self._items, self._mapping, self._counted, texts=self._texts)
            _same_case(self._cases.setdefault(case.id, case), case)
            _once(self._lines, trial, line)
        except (ValueError, ValidationError) as error:
            return _refusal(line, error)
        return trial


def _by_id(items: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for entry in scan_rows(items):
        if isinstance(entry, Refusal):
            raise refusal_error(items.name, str(items), [entry])
        line, row = entry
        key = row.get("id", row.get("item_id"))
        if not isinstance(key, str):
            raise InputError("an item has no id", where=f"{items}:{line}", expected='"id": "..."')
        found[key] = row
    return found


def _read(
    row: dict[str, Any],
    items: Mapping[str, dict[str, Any]],
    mapping: TrialMapping,
    counted: dict[str, int],
    *,
    texts: bool,
) -> tuple[Case, Trial]:
    both: dict[str, Any] = {"trial": row, "item": {}}
    if mapping.join is not None:
        key = _at(both, mapping.join)
        if not isinstance(key, str) or key not in items:
            raise ValueError(f"{mapping.join}: the item {key!r} is not in the file of --items")
        both["item"] = items[key]
    case_id = _text(both, mapping.case, "case")
    number = counted[case_id] = counted.get(case_id, -1) + 1
    if mapping.number is not None:
        number = _whole(_at(both, mapping.number), mapping.number)
    return _case(case_id, both, mapping), _trial(case_id, number, both, mapping, texts=texts)


def _case(case_id: str, both: dict[str, Any], mapping: TrialMapping) -> Case:
    body: dict[str, Any] = {"id": case_id}
    for name in ("group", "scenario", "input"):
        path = getattr(mapping, name)
        if path is not None:
            body[name] = _text(both, path, name) if name == "group" else _at(both, path)
    if mapping.expected_calls is not None:
        body["paths"] = {"expected": _path(both, mapping.expected_calls)}
    return Case.model_validate(body)


def _path(both: dict[str, Any], where: ExpectedCalls) -> dict[str, Any]:
    compare = {} if where.compare is None else {"compare": where.compare}
    calls = [
        {
            "tool": call["name"],
            "only_these": where.only_these,
            "arguments": {
                key: {"expect": "null"} if value is None else {"value": value, **compare}
                for key, value in call.get("arguments", {}).items()
            },
        }
        for call in _expected(both, where.at)
    ]
    return {"match": where.match, "calls": calls}


def _expected(both: dict[str, Any], path: str) -> Iterator[dict[str, Any]]:
    for raw in _list(both, path, (Mapping, str)):
        call = call_of(raw)
        if "malformed" in call:
            raise ValueError(f"{path}: an expected call of {call['name']}: {call['malformed']}")
        yield call


def _trial(
    case_id: str, number: int, both: dict[str, Any], mapping: TrialMapping, *, texts: bool
) -> Trial:
    body: dict[str, Any] = {"case_id": case_id, "number": number}
    messages = _list(both, mapping.messages, (Mapping,)) if mapping.messages else []
    body["messages"] = [message_of(message) for message in messages]
    if mapping.tool_calls is not None:
        made = _list(both, mapping.tool_calls, (Mapping, str))
        body["tool_calls"] = tool_calls_of(made, messages, mapping.tool_error)
    for name in ("final", "state", "error", "cost_usd", "latency_s"):
        path = getattr(mapping, name)
        if path is not None:
            body[name] = _at(both, path, needed=False)
    if body.get("final") is not None and not isinstance(body["final"], dict):
        body["final"] = {"output": body["final"]}
    if mapping.outcome is not None:
        body["outcome"] = _outcome(_at(both, mapping.outcome, needed=False), mapping.success)
    return Trial.model_validate(body, strict=False if texts else None)


def _outcome(value: Any, success: float | None) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if success is not None:
        if not isinstance(value, int | float):
            raise ValueError(f"the outcome {value!r:.40} is no number, and `success` is one")
        return float(value) >= success
    words = {"1": True, "1.0": True, "pass": True, "passed": True, "true": True, "success": True}
    words |= {"0": False, "0.0": False, "fail": False, "failed": False, "false": False}
    text = str(value).strip().lower()
    if text not in words:
        raise ValueError(f"the outcome {value!r} is neither pass nor fail; set `success`")
    return words[text]


def _at(both: dict[str, Any], path: str, *, needed: bool = True) -> Any:
    value: Any = both
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            if needed:
                raise ValueError(f"there is no {path}")
            return None
        value = value[key]
    return value


def _list(both: dict[str, Any], path: str, kinds: tuple[type, ...]) -> list[Any]:
    value = _at(both, path)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, kinds) for one in value):
        raise ValueError(f"{path}: a list of objects, not {value!r:.60}")
    return value


def _whole(value: Any, path: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).isdecimal():
        raise ValueError(f"{path}: a whole number of at least 0, not {value!r:.40}")
    return int(value)


def _once(lines: dict[TrialKey, int], trial: Trial, line: int) -> None:
    key = trial.key
    if lines.setdefault(key, line) != line:
        raise ValueError(
            f"case {key[0]!r} has trial {key[1]} on line {lines[key]} already; map `number`, or "
            "leave it out to count the rows of a case"
        )


def _text(both: dict[str, Any], path: str, what: str) -> str:
    value = _at(both, path)
    if not isinstance(value, str | int) or isinstance(value, bool) or value == "":
        raise ValueError(f"{path}: a text or whole number names the {what}, not {value!r}")
    return str(value)


def _same_case(first: Case, other: Case) -> None:
    if first != other:
        raise ValueError(f"case {first.id!r} expects something else than on an earlier line")


def _refusal(line: int, error: ValueError) -> Refusal:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return Refusal(
            line=line, field=place, found=repr(first["input"])[:80], expected=first["msg"]
        )
    return Refusal(line=line, field="mapping", found=str(error), expected="what the mapping names")
