"""What a configuration keeps of its trials after they are scored."""

from __future__ import annotations

from trial_sets import CHECKS, call, cases_of, no_prices, trial

from judgekit.process.scored_set import RecordedSet, score_set


def test_figures_are_kept_and_what_was_said_is_not() -> None:
    given = trial(
        "c",
        0,
        messages=[{"role": "user", "content": "long"}],
        tool_calls=[
            {"name": "look", "arguments": {"id": "R-1"}, "result": "long", "latency_s": 1.5},
            {"name": "look", "arguments": {"id": "R-2"}, "error": "down"},
        ],
        state={"orders": {}},
        spans=[{"id": "s", "name": "look"}],
        model_calls=(call(100, cost=0.1),),
        latency_s=2.0,
    )
    (kept,) = score_set(RecordedSet("a", "x", cases_of(["c"]), (given,)), CHECKS, no_prices).trials
    assert (kept.messages, kept.state, kept.spans) == ((), None, ())
    assert [(one.name, one.error, one.latency_s) for one in kept.calls] == [
        ("look", None, 1.5),
        ("look", "down", None),
    ]
    assert {one.result for one in kept.calls} == {None}
    assert (kept.key, kept.final, kept.cost_usd) == (given.key, given.final, 0.1)
    assert kept.model_calls == given.model_calls


def test_spans_that_were_not_recorded_stay_apart_from_none() -> None:
    trials = (trial("c", 0), trial("c", 1, spans=()))
    kept = score_set(RecordedSet("a", "x", cases_of(["c"]), trials), CHECKS, no_prices).trials
    assert [one.spans for one in kept] == [None, ()]
