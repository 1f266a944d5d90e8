"""How far two experts agree, for each field over the cases that both have finished."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.calibration.human import human_agreement
from judgekit.goldens.merge import ComparedPart, compare_entries
from judgekit.goldens.parts import comparable
from judgekit.model.base import Record
from judgekit.model.golden import Expectation, pointer_keys
from judgekit.stats.estimate import Estimate, Statistic, Undefined
from judgekit.stats.intervals import GroupedCounts, rate_display

MOST_CATEGORIES = 12
LEFT_OUT = "(left out)"
NO_VALUE = "(none of these)"
NOT_ONE_ANSWER = "several answers a case: only the share is shown"


class FinishedPair(Record):
    """One case with both experts' entries. `group` is its cluster key."""

    case_id: str
    group: str
    experts: tuple[str, str]
    entries: tuple[Expectation, Expectation]


class FieldAgreement(Record):
    """How far the experts agree about one field.

    `share` is that of units (a field of a case, an argument of a call, a field of a row) to which
    both gave the same value; a part that only one filled in counts as a disagreement. `kappa` is
    Cohen's, of pairs of experts weighted by their cases, where the answers are categories.
    """

    name: str
    share: Statistic
    kappa: Statistic
    n_cases: int


class _Unit(Record):
    case_id: str
    group: str
    same: bool
    answers: dict[str, str]
    free: bool


def expert_agreement(
    pairs: Sequence[FinishedPair], *, confidence: float = 0.95
) -> tuple[FieldAgreement, ...]:
    """Return the agreement about each field, by name, with two-sided intervals.

    Intervals respect groups: several units of a case, and cases of one group, are not counted as
    independent.
    """
    columns: dict[str, list[_Unit]] = defaultdict(list)
    for pair in pairs:
        for name, parts in _columns(compare_entries(*pair.entries)).items():
            columns[name].extend(_units(pair, name, parts))
    tail = (1 - confidence) / 2
    return tuple(_agreement(name, columns[name], tail) for name in sorted(columns))


def _columns(parts: Sequence[ComparedPart]) -> dict[str, list[ComparedPart]]:
    tools = {part.part: _tools(part) for part in parts if part.part.startswith("/paths/")}
    columns: dict[str, list[ComparedPart]] = defaultdict(list)
    for part in parts:
        columns[_column(pointer_keys(part.part), tools)].append(part)
    return columns


def _column(keys: list[str], tools: Mapping[str, list[str]]) -> str:
    if keys[0] == "fields":
        return f"field {keys[1]}"
    if keys[0] == "paths" and len(keys) > 2:
        names = tools.get(f"/paths/{keys[1]}", [])
        index = int(keys[3])
        return f"argument {names[index] if index < len(names) else '?'}.{keys[5]}"
    if keys[0] == "state":
        return f"state {keys[1]}.{keys[3]}" if len(keys) > 3 else f"state {keys[1]}: rows"
    return {"paths": "tool calls", "failure_modes": "failure modes"}.get(
        keys[0], keys[0].replace("_", " ")
    )


def _tools(part: ComparedPart) -> list[str]:
    path: Any = part.first or part.second or {}
    return [call["tool"] for call in path.get("calls", [])] if isinstance(path, dict) else []


def _units(pair: FinishedPair, name: str, parts: Sequence[ComparedPart]) -> list[_Unit]:
    """Return the units of one case: all paths of a case are one, and so are all forbidden calls."""
    if name in ("tool calls", "forbidden", "allowed changes"):
        whole = ComparedPart(
            part=parts[0].part,
            first=[part.first for part in parts],
            second=[part.second for part in parts],
            differs_in=tuple(sorted({word for part in parts for word in part.differs_in})),
        )
        return [_unit(pair, whole, free=True)]
    once = name.startswith("field ") or name in ("scenario", "failure modes")
    return [_unit(pair, part, free=not once) for part in parts]


def _unit(pair: FinishedPair, part: ComparedPart, *, free: bool) -> _Unit:
    values = [_answer(value) for value in (part.first, part.second)]
    return _Unit(
        case_id=pair.case_id,
        group=pair.group,
        same=not {"value", "only one expert"} & set(part.differs_in),
        answers=dict(zip(pair.experts, (word for word, _ in values), strict=True)),
        free=free or not all(category for _, category in values),
    )


def _answer(value: Any) -> tuple[str, bool]:
    """Return the answer as a word, and whether it may be a category (no number, list or object)."""
    if value is None:
        return LEFT_OUT, True
    if isinstance(value, dict) and ("value" in value or "expect" in value):
        if value.get("expect", "value") != "value":
            return f"({value['expect']})", True
        value = value["value"]
    return comparable(value), isinstance(value, str | bool)


def _agreement(name: str, units: Sequence[_Unit], tail: float) -> FieldAgreement:
    counts = GroupedCounts.of((unit.group, unit.same) for unit in units)
    shown, method = rate_display(counts, tail)
    share = Estimate(
        value=counts.x / counts.n,
        low=shown.low if shown else None,
        high=shown.high if shown else None,
        n=counts.n,
        method=method,
    )
    cases = {unit.case_id for unit in units}
    return FieldAgreement(
        name=name, share=share, kappa=_kappa(name, units, tail), n_cases=len(cases)
    )


def _kappa(name: str, units: Sequence[_Unit], tail: float) -> Statistic:
    n = len(units)
    words = sorted({word for unit in units for word in unit.answers.values()})
    if len({unit.case_id for unit in units}) < n or not name.startswith(("field ", "scenario")):
        return Undefined(undefined=NOT_ONE_ANSWER, n=n)
    if any(unit.free for unit in units):
        return Undefined(undefined="the answers are not categories (numbers, lists, objects)", n=n)
    if len(words) > MOST_CATEGORIES or (len(words) > 1 and n < 2 * len(words)):
        reason = f"{len(words)} different answers in {n} cases: free text, or too few cases"
        return Undefined(undefined=reason, n=n)
    found = human_agreement(
        {unit.case_id: unit.answers for unit in units},
        groups={unit.case_id: unit.group for unit in units},
        items=[unit.case_id for unit in units],
        labels=words if len(words) > 1 else [*words, NO_VALUE],
        tail=tail,
    )
    return found.kappa
