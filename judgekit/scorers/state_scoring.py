"""The final state of a trial (rows, files, records) against the annotated target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING, shown
from judgekit.model.comparators.exact import json_equal
from judgekit.model.golden import ExpectedRow, ExpectedState, pointer, pointer_keys
from judgekit.model.scoring import FieldRule, ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import DifferenceKind, StateDifference, StateScore
from judgekit.scorers.field_scoring import compare_expected

Row = Mapping[str, Any] | None
Tables = Mapping[str, Mapping[str, Mapping[str, Any]]]


def score_state(case: Case, trial: Trial, rules: ScoringRules) -> StateScore | None:
    """Compare the final state with the target; None where the case says nothing about it.

    A state is `{table: {key: {field: value}}}`; a table given as a list of rows is keyed by the
    rows' `id`, a row that is no object is one field called `value` (so files are rows by path).
    """
    if case.state is None:
        return None
    before = None if trial.state_before is None else as_tables(trial.state_before)
    untouched = None if before is None else not list(_target(case, before, rules))
    n = sum(max(1, len(row.fields)) for rows in case.state.tables.values() for row in rows.values())
    found: list[StateDifference] | None = None
    if trial.state is not None and trial.ending != "infrastructure":
        after = as_tables(trial.state)
        found = [*_target(case, after, rules)]
        found += () if before is None else _unasked(case, before, after, rules)
    return StateScore(
        passed=None if found is None else _passed(found),
        n=n,
        differences=tuple(found or ()),
        untouched_passes=untouched,
        changes_checked=before is not None,
    )


def as_tables(state: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return a state as table -> key -> field -> value.

    Example:
        >>> as_tables({"orders": [{"id": 7, "paid": True}], "files": {"a.txt": "x"}})
        {'orders': {'7': {'id': 7, 'paid': True}}, 'files': {'a.txt': {'value': 'x'}}}
    """
    return {table: _rows(rows) for table, rows in state.items()}


def _rows(rows: Any) -> dict[str, dict[str, Any]]:
    if isinstance(rows, list):
        named: dict[str, dict[str, Any]] = {}
        for place, row in enumerate(rows):
            key = str(row.get("id", place)) if isinstance(row, dict) else str(place)
            named[f"{key}#{place}" if key in named else key] = _row(row)
        return named
    if isinstance(rows, dict):
        return {str(key): _row(row) for key, row in rows.items()}
    return {"": _row(rows)}


def _row(row: Any) -> dict[str, Any]:
    return dict(row) if isinstance(row, dict) else {"value": row}


def state_value(state: Mapping[str, Any], path: str) -> Any:
    """Return the value at `table.key.field` of a state, `MISSING` where there is none.

    The key may hold points (a file name, an address).

    Example:
        >>> state_value({"files": {"a.txt": {"size": 3}}}, "files.a.txt.size")
        3
    """
    table, _, rest = path.partition(".")
    rows = as_tables({table: state[table]} if table in state else {}).get(table, {})
    if rest in rows:
        return rows[rest].get("value", rows[rest])
    key, _, field = rest.rpartition(".")
    return rows.get(key, {}).get(field, MISSING)


def _target(case: Case, state: Tables, rules: ScoringRules) -> Iterator[StateDifference]:
    expected = case.state or ExpectedState()
    for table, rows in expected.tables.items():
        for key, row in rows.items():
            found = state.get(table, {}).get(key)
            if row.absent:
                if found is not None:
                    yield _difference(table, key, None, "row_not_gone", "no row", shown(found))
            elif found is None:
                yield _difference(table, key, None, "missing_row", "a row", "none")
            else:
                yield from _row_differences(table, key, row, found, rules)


def _row_differences(
    table: str, key: str, row: ExpectedRow, found: Mapping[str, Any], rules: ScoringRules
) -> Iterator[StateDifference]:
    for field, expected in row.fields.items():
        answer, wanted = compare_expected(
            expected, found.get(field, MISSING), rule=_rule(table, field, rules)
        )
        if answer.decision != "match":
            kind: DifferenceKind = "wrong" if answer.decision == "mismatch" else "undecided"
            value = shown(found.get(field, MISSING))
            yield _difference(table, key, field, kind, shown(wanted), value, answer.reason)


def _unasked(
    case: Case, before: Tables, after: Tables, rules: ScoringRules
) -> Iterator[StateDifference]:
    """Find changes that are neither expected, nor left unscored, nor allowed.

    A row that is new or gone is one difference, whatever it holds.
    """
    expected = (case.state or ExpectedState()).tables
    for table, key, old, new in _changed_rows(before, after):
        row = expected.get(table, {}).get(key)
        whole = row is None and (old is None or new is None)
        names = [""] if not old and not new else dict.fromkeys([*(old or {}), *(new or {})])
        fields = [
            name
            for name in names
            if not _may_change(case, rules, (table, key, name), row)
            and not _names_row(name, key, row, new)
            and not _same_by_rule(table, name, old, new, rules)
        ]
        if whole and fields:
            yield _difference(table, key, None, "unexpected", _shown_row(old), _shown_row(new))
            continue
        for name in () if whole else fields:
            shows = shown(_of(old, name)), shown(_of(new, name))
            yield _difference(table, key, name, "unexpected", *shows)


def _changed_rows(before: Tables, after: Tables) -> Iterator[tuple[str, str, Row, Row]]:
    for table in dict.fromkeys([*before, *after]):
        old_rows, new_rows = before.get(table, {}), after.get(table, {})
        for key in dict.fromkeys([*old_rows, *new_rows]):
            old, new = old_rows.get(key), new_rows.get(key)
            if not json_equal(old, new):
                yield table, key, old, new


def _names_row(field: str, key: str, expected: ExpectedRow | None, new: Row) -> bool:
    """Tell whether a field only says the key of a row that is expected, which needs no word."""
    return expected is not None and field == "id" and str(_of(new, field)) == key


def _of(row: Row, field: str) -> Any:
    return MISSING if row is None else row.get(field, MISSING)


def _shown_row(row: Row) -> str:
    return "no row" if row is None else shown(row)


def _may_change(
    case: Case, rules: ScoringRules, place: tuple[str, str, str], row: ExpectedRow | None
) -> bool:
    """Tell whether a change is expected, left unscored or allowed."""
    table, key, field = place
    if row is not None and (row.absent or field in row.fields):
        return True
    parts = {pointer("state", *place[:n]) for n in (1, 2, 3) if all(place[:n])}
    return bool(parts & case.unscored_parts) or any(
        all(want in ("*", got) for want, got in zip(change, (table, key, field), strict=True))
        for change in _allowed_changes(case, rules)
    )


def _allowed_changes(case: Case, rules: ScoringRules) -> Iterator[tuple[str, str, str]]:
    """Yield (table, key, field) of changes that are not wrong; those in dispute are among them."""
    for one in case.state.allowed_changes if case.state is not None else ():
        yield one.table, one.key, one.field
    for part in case.unscored_parts:
        keys = pointer_keys(part)
        if keys[0] == "allowed_changes" and len(keys) == 4:
            yield keys[1], keys[2], keys[3]
    for text in rules.state.allowed_changes:
        table, _, rest = text.partition(".")
        key, _, field = rest.rpartition(".")
        yield table, key, field


def _rule(table: str, field: str, rules: ScoringRules) -> FieldRule:
    compare = rules.state.compare
    chosen = compare.get(f"{table}.{field}") or compare.get(f"*.{field}")
    return FieldRule() if chosen is None else FieldRule(compare=chosen)


def _same_by_rule(table: str, field: str, old: Row, new: Row, rules: ScoringRules) -> bool:
    if field == "":
        return False
    return _rule(table, field, rules).compare.decide(_of(old, field), _of(new, field)) is True


def _difference(
    table: str,
    key: str,
    field: str | None,
    kind: DifferenceKind,
    expected: str,
    found: str,
    reason: str = "",
) -> StateDifference:
    place = f"{table}.{key}" + (f".{field}" if field else "")
    return StateDifference(
        table=table,
        key=key,
        field=field,
        kind=kind,
        expected=expected,
        found=found,
        reason=f"{place}: "
        + (reason or f"{kind.replace('_', ' ')}, expected {expected}, found {found}"),
    )


def _passed(found: list[StateDifference]) -> bool | None:
    kinds = {one.kind for one in found}
    return None if kinds == {"undecided"} else not kinds
