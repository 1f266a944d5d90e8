"""The laws that the statistics declare, each checked against random data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import law_changes as change
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from law_inputs import EMPTY, QUESTIONS, Question

from judgekit.stats.estimate import Estimate, Undefined
from judgekit.stats.intervals import GroupedCounts
from judgekit.stats.registry import LAWS, Entry, statistics

REGISTRY = statistics()
RANDOM = {"bootstrap_kappa", "bootstrap_raters", "kappa_quantiles", "kappa_interval"}
UNCUT_BELOW = {"gwet_ac"}
EXAMPLES = settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def under(law: str) -> Any:
    """Parametrise over the statistics that declare a law."""
    found = [entry for entry in REGISTRY.values() if law in entry.laws]
    return pytest.mark.parametrize("entry", found, ids=lambda entry: entry.name)


def check(entry: Entry, holds: Callable[[Question, Any], bool]) -> None:
    """Ask many random questions and assert what must hold of each question and its answer."""

    @EXAMPLES
    @given(asked=QUESTIONS[entry.name])
    def run(asked: Question) -> None:
        answer = asked.ask(entry.function)
        assert holds(asked, answer), (entry.name, asked, answer)

    run()


def unchanged(entry: Entry, after: Callable[[Question], Question], tolerance: float = 1e-6) -> None:
    def holds(asked: Question, answer: Any) -> bool:
        again = after(asked).ask(entry.function)
        return change.same(change.plain(answer), change.plain(again), tolerance)

    check(entry, holds)


def test_every_law_is_checked_here_and_every_statistic_with_a_law_is_asked() -> None:
    checked = {name.removeprefix("test_law_") for name in globals() if name.startswith("test_law_")}
    assert checked == set(LAWS)
    assert [e.name for e in REGISTRY.values() if e.laws and e.name not in QUESTIONS] == []
    assert set(QUESTIONS) <= set(REGISTRY)


def test_all_kinds_of_statistics_are_there() -> None:
    kinds = {entry.kind for entry in REGISTRY.values()}
    wanted = {"agreement", "many raters", "diagnostic", "interval", "decision", "sequential"}
    assert wanted | {"multiplicity", "paired", "prevalence", "repeats", "bias", "drift"} <= kinds


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_question_has_the_same_finite_answer(name: str) -> None:
    entry = REGISTRY[name]

    def holds(asked: Question, answer: Any) -> bool:
        again = asked.ask(entry.function)
        return change.finite(answer) and change.plain(answer) == change.plain(again)

    check(entry, holds)


@under("item_order")
def test_law_item_order(entry: Entry) -> None:
    unchanged(entry, lambda asked: change.changed(entry, asked, change.item_order))


@under("rater_order")
def test_law_rater_order(entry: Entry) -> None:
    unchanged(entry, lambda asked: change.changed(entry, asked, change.rater_order))


@under("group_order")
def test_law_group_order(entry: Entry) -> None:
    unchanged(entry, lambda asked: change.changed(entry, asked, change.group_order))


@under("label_renaming")
def test_law_label_renaming(entry: Entry) -> None:
    unchanged(entry, lambda asked: change.changed(entry, asked, change.label_renaming))


@under("label_order")
def test_law_label_order(entry: Entry) -> None:
    unchanged(entry, lambda asked: change.changed(entry, asked, change.label_order))


@under("swap")
def test_law_swap(entry: Entry) -> None:
    if entry.name not in RANDOM:
        unchanged(entry, lambda asked: change.swapped(entry, asked))
        return

    def holds(asked: Question, answer: Any) -> bool:
        again = change.swapped(entry, asked).ask(entry.function)
        pairs = zip(change.numbers(answer), change.numbers(again), strict=True)
        return all(abs(one - other) < 0.05 for one, other in list(pairs)[:1])

    check(entry, holds)


@under("swap_negates")
def test_law_swap_negates(entry: Entry) -> None:
    def holds(asked: Question, answer: Any) -> bool:
        again = change.swapped(entry, asked).ask(entry.function)
        if isinstance(answer, Undefined):
            return isinstance(again, Undefined)
        mirrored = [again.value, again.high, again.low]
        return all(
            (one is None and other is None) or abs(one + other) < 1e-8
            for one, other in zip([answer.value, answer.low, answer.high], mirrored, strict=True)
        )

    check(entry, holds)


@under("range")
def test_law_range(entry: Entry) -> None:
    assert entry.range is not None
    low, high = entry.range
    low = -float("inf") if entry.name in UNCUT_BELOW else low
    check(entry, lambda _, a: all(low - 1e-9 <= x <= high + 1e-9 for x in change.numbers(a)))


@under("interval_holds_value")
def test_law_interval_holds_value(entry: Entry) -> None:
    def holds(asked: Question, answer: Any) -> bool:
        found = change.estimates(answer)
        if not found and answer is not None and not isinstance(answer, Undefined):
            found = [Estimate(value=share_of(asked), n=1, method="", **answer.model_dump())]
        return all(
            e.low is None or e.high is None or e.low - 1e-9 <= e.value <= e.high + 1e-9
            for e in found
        )

    check(entry, holds)


def share_of(asked: Question) -> float:
    first = asked.args[0]
    x, n = (first.x, first.n) if isinstance(first, GroupedCounts) else asked.args[:2]
    return float(x / n) if n else 0.5


@under("empty_is_undefined")
def test_law_empty_is_undefined(entry: Entry) -> None:
    assert change.is_undefined(EMPTY[entry.name].ask(entry.function))


@under("monotone")
def test_law_monotone(entry: Entry) -> None:
    def holds(asked: Question, answer: Any) -> bool:
        more = change.numbers(one_more_error(asked).ask(entry.function))
        pairs = zip(change.numbers(answer), more, strict=True)
        return all(before <= after + 1e-9 for before, after in pairs)

    check(entry, holds)


def one_more_error(asked: Question) -> Question:
    """Add an error (a false pass), or double the p values."""
    first, *rest = asked.args
    if isinstance(first, tuple):
        return Question((tuple(None if p is None else min(1.0, 2 * p) for p in first), *rest))
    if hasattr(first, "pass_fail"):
        moved = {"pass_fail": first.pass_fail + 1, "all_pass": first.all_pass + 1}
        if not first.pass_pass:
            return asked
        moved = {"pass_fail": first.pass_fail + 1, "pass_pass": first.pass_pass - 1}
        return Question((first.model_copy(update=moved), *rest), asked.options)
    return Question((min(first + 1, rest[0]), *rest), asked.options)


@EXAMPLES
@given(table=QUESTIONS["cohen_kappa"], factor=st.integers(2, 5))
def test_kappa_depends_on_shares_and_its_error_falls_with_the_root_of_n(
    table: Question, factor: int
) -> None:
    (small,) = table.args
    rows = tuple(tuple(factor * cell for cell in row) for row in small.rows)
    large = small.model_copy(update={"rows": rows})
    before, after = (REGISTRY["cohen_kappa"].function(t) for t in (small, large))
    assert (before.value is None) == (after.value is None)
    if before.value is not None:
        assert before.value == pytest.approx(after.value, abs=1e-9)
    if before.se is not None:
        assert after.se == pytest.approx(before.se / factor**0.5, rel=1e-6)
