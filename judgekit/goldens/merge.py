"""Two experts' expectations of one case put together: what agrees, differs, was settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judgekit.errors import InputError
from judgekit.goldens.parts import (
    Parts,
    checked_value,
    comparable,
    expectation_of,
    parts_of,
    same_expected,
)
from judgekit.model.base import Record
from judgekit.model.golden import Expectation, Redefined, ToolPath, Unscored, pointer

Outcome = Literal["redefined", "dropped", "excluded", "ambiguous"]
DIFFER = "the two experts differ and it has not been settled"


class Settlement(Record):
    """What became of a part on which the experts differ.

    `redefined` sets `value`; `dropped` expects nothing there; `excluded` takes it out of scoring;
    `ambiguous` opens it again. Each has a reason.
    """

    part: str
    outcome: Outcome
    reason: str
    value: Any = None
    by: str


class ComparedPart(Record):
    """One part, as each expert filled it in (None: left out), and whether they are the same.

    `differs_in` names what differs: `value`, `compare`, `critical`, `weight`, or `only one expert`.
    """

    part: str
    first: Any = None
    second: Any = None
    differs_in: tuple[str, ...] = ()
    settlement: Settlement | None = None

    @property
    def agreed(self) -> bool:
        """Tell whether both experts filled in the same."""
        return not self.differs_in


class MergedCase(Record):
    """What two experts' entries come to. `expectation` holds what agrees and what was redefined."""

    parts: tuple[ComparedPart, ...]
    expectation: Expectation
    unscored: tuple[Unscored, ...]
    redefined: tuple[Redefined, ...]

    @property
    def n_agreed(self) -> int:
        """Return the number of parts on which both experts agree."""
        return sum(part.agreed for part in self.parts)

    @property
    def open_parts(self) -> tuple[str, ...]:
        """Return the parts that are ambiguous still."""
        return tuple(entry.part for entry in self.unscored if entry.status == "ambiguous")


def compare_entries(first: Expectation, second: Expectation) -> tuple[ComparedPart, ...]:
    """Return every part that either expert filled in, sorted by name.

    Valid paths are matched by their tools, in order; what they are called does not matter. A path
    or a row that only one expert has is one part.
    """
    first, second = _with_same_path_ids(first, second)
    whole = _one_sided(first, second)
    left, right = parts_of(first, whole=whole), parts_of(second, whole=whole)
    return tuple(_compared(name, left, right) for name in sorted(left.keys() | right.keys()))


def merge(
    first: Expectation, second: Expectation, settlements: Sequence[Settlement] = ()
) -> MergedCase:
    """Return the case that two entries and the settlements of their differences come to.

    Raises:
        InputError: a settlement is about a part that is not there or on which the experts agree,
            has no reason, or its value does not fit.
    """
    compared = compare_entries(first, second)
    chosen = {entry.part: entry for entry in settlements}
    _refuse_strange(chosen, compared)
    parts = tuple(one.model_copy(update={"settlement": chosen.get(one.part)}) for one in compared)
    kept: Parts = {}
    for one in parts:
        value = _one_of(one) if one.agreed else _settled_value(one)
        if value is not None:
            kept[one.part] = value
    return MergedCase(
        parts=parts,
        expectation=expectation_of(kept),
        unscored=tuple(entry for entry in map(_unscored, parts) if entry is not None),
        redefined=tuple(entry for entry in map(_redefined, parts) if entry is not None),
    )


def check_settlement(settlement: Settlement) -> Settlement:
    """Return the settlement with its value in the stored form.

    Raises:
        InputError: it has no reason, or its value does not fit the part.
    """
    if not settlement.reason.strip():
        raise InputError(
            f"what became of {settlement.part} has no reason",
            where=settlement.part,
            expected="why it was settled so",
        )
    if settlement.outcome != "redefined":
        return settlement.model_copy(update={"value": None})
    value = checked_value(settlement.part, settlement.value)
    return settlement.model_copy(update={"value": value})


def _compared(name: str, left: Parts, right: Parts) -> ComparedPart:
    first, second = left.get(name), right.get(name)
    return ComparedPart(
        part=name, first=first, second=second, differs_in=_differences(first, second)
    )


def _differences(first: Any, second: Any) -> tuple[str, ...]:
    if first is None or second is None:
        return ("only one expert",)
    if comparable(first) == comparable(second):
        return ()
    if not _is_expected(first) or not _is_expected(second):
        return ("value",)
    found = [name for name in ("compare", "critical", "weight") if _unlike(first, second, name)]
    return tuple(found) if same_expected(first, second) else ("value", *found)


def _is_expected(value: Any) -> bool:
    known = {"expect", "value", "compare", "critical", "weight"}
    return isinstance(value, dict) and bool(value) and set(value) <= known


def _unlike(first: Mapping[str, Any], second: Mapping[str, Any], key: str) -> bool:
    return comparable(first.get(key)) != comparable(second.get(key))


def _one_of(one: ComparedPart) -> Any:
    """Return the agreed value; of two spellings the same one, whoever wrote it."""
    return min(one.first, one.second, key=comparable)


def _settled_value(one: ComparedPart) -> Any:
    settlement = one.settlement
    return settlement.value if settlement and settlement.outcome == "redefined" else None


def _unscored(one: ComparedPart) -> Unscored | None:
    if one.agreed or (one.settlement and one.settlement.outcome in ("redefined", "dropped")):
        return None
    if one.settlement is None:
        return Unscored(part=one.part, status="ambiguous", reason=DIFFER)
    excluded = one.settlement.outcome == "excluded"
    status: Literal["excluded", "ambiguous"] = "excluded" if excluded else "ambiguous"
    return Unscored(part=one.part, status=status, reason=one.settlement.reason)


def _redefined(one: ComparedPart) -> Redefined | None:
    settlement = one.settlement
    if settlement is None or settlement.outcome not in ("redefined", "dropped"):
        return None
    dropped = settlement.outcome == "dropped"
    return Redefined(part=one.part, reason=settlement.reason, dropped=dropped)


def _refuse_strange(chosen: Mapping[str, Settlement], compared: Sequence[ComparedPart]) -> None:
    known = {one.part: one for one in compared}
    for part, settlement in chosen.items():
        check_settlement(settlement)
        if part not in known or known[part].agreed:
            raise InputError(
                f"there is nothing to settle at {part}",
                where=part,
                found="the experts agree" if part in known else "no such part in either entry",
                expected="a part on which the two experts differ",
            )


def _with_same_path_ids(first: Expectation, second: Expectation) -> tuple[Expectation, Expectation]:
    """Call the paths p1, p2, ... so that the same way through the case has the same name."""
    names: dict[tuple[str, int], str] = {}

    def renamed(entry: Expectation) -> Expectation:
        seen: dict[str, int] = {}
        paths: dict[str, ToolPath] = {}
        for path in entry.paths.values():
            way = _way(path)
            seen[way] = seen.get(way, 0) + 1
            paths[names.setdefault((way, seen[way]), f"p{len(names) + 1}")] = path
        return entry.model_copy(update={"paths": paths})

    return renamed(first), renamed(second)


def _way(path: ToolPath) -> str:
    calls = [[call.tool, call.only_these] for call in path.calls]
    return comparable([path.match, calls])


def _one_sided(first: Expectation, second: Expectation) -> frozenset[str]:
    paths = {pointer("paths", name) for name in first.paths.keys() ^ second.paths.keys()}
    return frozenset(paths) | _one_sided_rows(first, second)


def _one_sided_rows(first: Expectation, second: Expectation) -> frozenset[str]:
    """Return the rows that one expert lacks, or that is absent for one and filled for the other."""
    left, right = _row_kinds(first), _row_kinds(second)
    names = left.keys() | right.keys()
    return frozenset(name for name in names if left.get(name) != right.get(name))


def _row_kinds(entry: Expectation) -> dict[str, bool]:
    tables = entry.state.tables if entry.state is not None else {}
    return {
        pointer("state", table, key): bool(row.fields)
        for table, rows in tables.items()
        for key, row in rows.items()
    }
