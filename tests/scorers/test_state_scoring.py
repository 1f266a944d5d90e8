"""The final state against the target: what is wrong, what is allowed, and what cannot be said."""

from __future__ import annotations

from typing import Any

import pytest

from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import StateScore
from judgekit.scorers.state_scoring import as_tables, score_state, state_value

BEFORE = {"orders": {"R-1": {"paid": False, "eur": 10.0, "at": "09:00"}, "R-2": {"paid": False}}}
BOTH = {"kind": "date", "formats": ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y"]}
PAID = {"orders": {"R-1": {"fields": {"paid": {"value": True}}}}}


def after(**changes: Any) -> dict[str, Any]:
    """Return the state after order R-1 was paid and `changes` were made to it."""
    row = {**BEFORE["orders"]["R-1"], "paid": True, **changes}
    return {"orders": {"R-1": row, "R-2": {"paid": False}}}


def scored(
    state: dict[str, Any] | None,
    tables: dict[str, Any] = PAID,
    *,
    before: dict[str, Any] | None = BEFORE,
    allowed: tuple[dict[str, str], ...] = (),
    unscored: tuple[str, ...] = (),
    rules: dict[str, Any] | None = None,
    **trial: Any,
) -> StateScore:
    parts = [{"part": part, "status": "ambiguous", "reason": "they differ"} for part in unscored]
    case = Case.model_validate(
        {"id": "c", "state": {"tables": tables, "allowed_changes": allowed}, "unscored": parts}
    )
    chosen = ScoringRules.model_validate({"schema": 1, "name": "x", "state": rules or {}})
    made = Trial.model_validate({"state": state, "state_before": before, **trial})
    score = score_state(case, made, chosen)
    assert score is not None
    return score


def places(score: StateScore) -> list[tuple[str, str, str | None, str]]:
    return [(one.table, one.key, one.field, one.kind) for one in score.differences]


def test_the_target_state_passes_and_any_other_value_is_named() -> None:
    assert scored(after()).passed is True
    wrong = scored(BEFORE)
    assert places(wrong) == [("orders", "R-1", "paid", "wrong")]
    assert wrong.differences[0].reason == "orders.R-1.paid: False is not True"
    assert wrong.passed is False


def test_a_missing_row_and_a_row_that_should_be_gone_are_one_difference_each() -> None:
    target = {"orders": {"R-1": {"absent": True}, "R-9": {"fields": {"paid": {"value": True}}}}}
    assert places(scored(BEFORE, target)) == [
        ("orders", "R-1", None, "row_not_gone"),
        ("orders", "R-9", None, "missing_row"),
    ]
    gone = {"orders": {"R-2": {"paid": False}, "R-9": {"paid": True}}}
    assert scored(gone, target).passed is True


def test_a_change_that_nobody_asked_for_is_wrong() -> None:
    assert places(scored(after(eur=9.0))) == [("orders", "R-1", "eur", "unexpected")]


def test_a_new_row_and_a_row_that_is_gone_are_one_difference_whatever_they_hold() -> None:
    state = after()
    state["orders"]["R-3"] = {"paid": True, "eur": 5, "at": "10:00"}
    del state["orders"]["R-2"]
    assert places(scored(state)) == [
        ("orders", "R-2", None, "unexpected"),
        ("orders", "R-3", None, "unexpected"),
    ]


def test_a_new_row_without_fields_is_a_change_too() -> None:
    state = {**after(), "notes": {"n1": {}}}
    assert places(scored(state)) == [("notes", "n1", None, "unexpected")]
    assert scored(state, allowed=({"table": "notes"},)).passed is True


def test_a_change_of_a_table_that_the_target_does_not_name_is_wrong() -> None:
    assert scored({**after(), "log": ["paid R-1"]}).passed is False


@pytest.mark.parametrize(
    ("allowed", "passes"),
    [
        (({"table": "orders", "key": "R-1", "field": "at"},), True),
        (({"table": "orders", "key": "*", "field": "at"},), True),
        (({"table": "orders"},), True),
        (({"table": "*"},), True),
        (({"table": "orders", "key": "R-2", "field": "at"},), False),
        (({"table": "orders", "key": "*", "field": "eur"},), False),
        ((), False),
    ],
)
def test_allowed_changes_may_use_stars(allowed, passes) -> None:
    assert scored(after(at="12:00"), allowed=allowed).passed is passes


@pytest.mark.parametrize(
    ("pattern", "passes"),
    [("orders.*.at", True), ("*.*.*", True), ("orders.R-1.at", True), ("orders.*.eur", False)],
)
def test_the_rules_allow_changes_for_every_case(pattern, passes) -> None:
    assert scored(after(at="12:00"), rules={"allowed_changes": [pattern]}).passed is passes


def test_a_key_with_points_can_be_allowed() -> None:
    state = {**after(), "files": {"a.txt": {"size": 1}}}
    assert scored(state, rules={"allowed_changes": ["files.a.txt.size"]}).passed is True
    assert scored(state, rules={"allowed_changes": ["files.b.txt.size"]}).passed is False


def test_an_allowed_change_does_not_excuse_a_wrong_value_that_was_asked_for() -> None:
    assert scored(BEFORE, allowed=({"table": "*"},)).passed is False


@pytest.mark.parametrize(
    "part",
    [
        "/state/orders/R-1/eur",
        "/state/orders/R-1",
        "/allowed_changes/orders/*/eur",
        "/allowed_changes/orders/R-1/eur",
    ],
)
def test_a_change_in_dispute_is_neither_right_nor_wrong(part) -> None:
    assert scored(after(eur=9.0), unscored=(part,)).passed is True
    assert scored(after(at="12:00"), unscored=("/state/orders/R-2",)).passed is False


def test_a_whole_table_in_dispute_is_left_out() -> None:
    state = after()
    state["orders"]["R-3"] = {"paid": True}
    assert scored(state, unscored=("/state/orders",)).passed is True
    assert scored({**state, "log": {"1": {"x": 1}}}, unscored=("/state/orders",)).passed is False


def test_tolerances_hold_for_the_target_and_for_unasked_changes() -> None:
    rules = {"compare": {"orders.eur": {"kind": "number", "absolute": 0.01}}}
    target = {"orders": {"R-1": {"fields": {"eur": {"value": 7.0}, "paid": {"value": True}}}}}
    assert scored(after(eur=7.005), target, rules=rules).passed is True
    assert scored(after(eur=7.02), target, rules=rules).passed is False
    assert scored(after(eur=10.005), rules=rules).passed is True
    assert scored(after(eur=10.02), rules=rules).passed is False


def test_a_rule_for_a_column_of_every_table_gives_way_to_that_of_one_table() -> None:
    rules = {"compare": {"*.eur": {"kind": "number", "absolute": 5}, "orders.eur": "exact"}}
    assert scored(after(eur=9.0), rules=rules).passed is False
    del rules["compare"]["orders.eur"]
    assert scored(after(eur=9.0), rules=rules).passed is True


def test_a_value_with_two_readings_is_undecided_and_neither_right_nor_wrong() -> None:
    dated = {"expect": "value", "value": "2026-02-01", "compare": BOTH}
    target = {"orders": {"R-1": {"fields": {"at": dated}}}}
    state = {"orders": {**BEFORE["orders"], "R-1": {**BEFORE["orders"]["R-1"], "at": "01/02/2026"}}}
    found = scored(state, target)
    assert [one.kind for one in found.differences] == ["undecided"]
    assert found.passed is None


def test_an_undecided_value_beside_a_wrong_one_fails() -> None:
    dated = {"value": "2026-02-01", "compare": BOTH}
    target = {"orders": {"R-1": {"fields": {"at": dated, "eur": {"value": 1}}}}}
    state = {"orders": {"R-1": {"at": "01/02/2026", "eur": 2}}}
    assert scored(state, target, before=None).passed is False


def test_a_state_that_was_not_recorded_is_no_answer() -> None:
    found = scored(None)
    assert (found.passed, found.differences) == (None, ())
    assert scored(after(), ending="infrastructure", error="no disk").passed is None


def test_without_the_initial_state_only_the_target_is_checked_and_that_is_said() -> None:
    found = scored(after(eur=9.0), before=None)
    assert (found.passed, found.changes_checked, found.untouched_passes) == (True, False, None)


def test_a_target_that_an_untouched_state_meets_is_named() -> None:
    same = {"orders": {"R-1": {"fields": {"paid": {"value": False}}}}}
    assert scored(BEFORE, same).untouched_passes is True
    assert scored(BEFORE, {}).untouched_passes is True
    assert scored(after()).untouched_passes is False


def test_null_missing_and_empty_are_kept_apart() -> None:
    for expect, value, passes in (
        ("null", None, True), ("null", "", False), ("missing", None, False),
    ):  # fmt: skip
        target = {"t": {"k": {"fields": {"f": {"expect": expect}}}}}
        assert scored({"t": {"k": {"f": value}}}, target, before=None).passed is passes
    gone = {"t": {"k": {"fields": {"f": {"expect": "missing"}}}}}
    assert scored({"t": {"k": {}}}, gone, before=None).passed is True


def test_rows_may_be_listed_with_an_id_and_files_are_rows_by_path() -> None:
    assert as_tables({"orders": [{"id": 7, "paid": True}]}) == {
        "orders": {"7": {"id": 7, "paid": True}}
    }
    target = {"files": {"out/a.txt": {"fields": {"value": {"value": "hello"}}}}}
    assert scored({"files": {"out/a.txt": "hello"}}, target, before={"files": {}}).passed is True
    assert places(scored({"files": {"out/a.txt": "bye"}}, target, before={"files": {}})) == [
        ("files", "out/a.txt", "value", "wrong")
    ]


def test_the_id_of_a_listed_row_that_is_expected_is_no_change_that_nobody_asked_for() -> None:
    target = {"notes": {"7": {"fields": {"text": {"value": "hello"}}}}}
    made = {"notes": [{"id": 7, "text": "hello"}]}
    assert scored(made, target, before={"notes": []}).passed is True
    extra = {"notes": [{"id": 7, "text": "hello"}, {"id": 8, "text": "spam"}]}
    assert places(scored(extra, target, before={"notes": []})) == [
        ("notes", "8", None, "unexpected")
    ]
    other = {"notes": {"7": {"id": 9, "text": "hello"}}}  # not the row's own key
    assert places(scored(other, target, before={"notes": {}})) == [
        ("notes", "7", "id", "unexpected")
    ]


def test_two_rows_with_one_id_are_both_kept() -> None:
    rows = as_tables({"t": [{"id": 1, "a": 1}, {"id": 1, "a": 2}]})["t"]
    assert [row["a"] for row in rows.values()] == [1, 2]


def test_a_place_in_a_state_is_read_by_table_key_and_field() -> None:
    state = {"orders": [{"id": "a.b", "paid": 1}], "files": {"x.txt": "hi"}}
    assert state_value(state, "orders.a.b.paid") == 1
    assert state_value(state, "files.x.txt") == "hi"
    assert repr(state_value(state, "orders.zz.paid")) == "missing"


def test_n_counts_the_values_that_are_compared() -> None:
    target = {"t": {"a": {"fields": {"x": {"value": 1}, "y": {"value": 2}}}, "b": {"absent": True}}}
    assert scored({}, target).n == 3
