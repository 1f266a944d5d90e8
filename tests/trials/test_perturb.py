from __future__ import annotations

import pytest

from judgekit.errors import InputError, UsageError
from judgekit.model.trial import ToolCall, Trial
from judgekit.model.trial_score import TrialScore
from judgekit.process.perturb_report import perturb_report
from judgekit.render.tapes_text import perturb_text
from judgekit.trials.cassette import Cassette
from judgekit.trials.cassette_file import Recorded, RecordedError, ReplayedError, read_cassette
from judgekit.trials.perturb import (
    Perturbation,
    after_perturbed,
    changed_places,
    perturb,
)
from judgekit.trials.tapes import Tapes, first_tape, perturbed_tapes, tape_path

CALLS = (
    Recorded("tool", "look", {"order": "R-1"}, 0, {"price": 1, "item": "lamp", "days": 2, "x": 3}),
    Recorded("model", "look", {}, 0, {"text": "not the tool"}),
    Recorded("tool", "check", {}, 0, [1, 2, 3]),
    Recorded("tool", "look", {"order": "R-2"}, 0, {"price": 9}),
)


@pytest.mark.parametrize(
    ("tool", "how", "results"),
    [
        ("look", "empty", [{}, {}]),
        ("look", "partial", [{"price": 1, "item": "lamp"}, {}]),
        ("look", "stale", [CALLS[0].result]),
        ("check", "empty", [[]]),
        ("check", "partial", [[1]]),
    ],
)
def test_only_changed_results_of_the_tool_are_left(tool, how, results):
    changed = perturb(CALLS, Perturbation(tool=tool, how=how))
    assert [call.result for call in changed] == results
    assert {call.name for call in changed} == {tool}


def test_a_stale_answer_is_an_older_one_to_the_same_question():
    calls = [
        Recorded("tool", "look", {"order": order}, occurrence, {"state": state})
        for order, occurrence, state in (("R-1", 0, "a"), ("R-2", 0, "open"), ("R-2", 1, "paid"))
    ]
    changed = perturb(calls, Perturbation(tool="look", how="stale"))
    assert changed[-1].result == {"state": "open"}


@pytest.mark.parametrize(("result", "less"), [("words", ""), (7, None), (None, None), (True, None)])
def test_results_that_have_no_parts_become_nothing(result, less):
    calls = [Recorded("tool", "look", {}, 0, result)]
    changed = perturb(calls, Perturbation(tool="look", how="empty"))
    assert [call.result for call in changed] == ([] if result is None else [less])


def test_an_error_is_raised_where_the_call_is_played(tmp_path):
    folder = tmp_path / "recorded"
    path = tape_path(folder, "case", 0)
    Cassette(path, "record").call("look", {"order": "R-1"}, lambda: {"price": 1})
    Cassette(path, "record").call("check", {}, lambda: 1)
    tapes = perturbed_tapes(
        Tapes(folder, "record"), Perturbation.parse("look=error"), tmp_path / "changed"
    )
    assert (tapes.mode, tapes.folder) == ("play", tmp_path / "changed")
    tape = Cassette(tapes.held("case", 0), "play")
    with pytest.raises(ReplayedError, match="temporarily unavailable"):
        tape.call("look", {"order": "R-1"}, lambda: 1)
    assert tape.call("check", {}, lambda: "live") == "live"
    assert read_cassette(path)[0].result == {"price": 1}
    assert tapes.held("case", 7) == tapes.held("case", 0)


def test_a_tool_that_was_not_called_is_refused_with_those_that_were():
    with pytest.raises(InputError, match="no call of 'pay'") as caught:
        perturb(CALLS, Perturbation(tool="pay", how="empty"))
    assert caught.value.expected == "check, look"


@pytest.mark.parametrize("text", ["", "look", "look=", "=empty", "look=odd", "look=empty "])
def test_a_perturbation_that_cannot_be_read_is_refused(text):
    with pytest.raises(UsageError, match="cannot be read"):
        Perturbation.parse(text)


def trial(*names: str, ending: str = "finished", case: str = "c", number: int = 0) -> Trial:
    calls = tuple(ToolCall(name=name, arguments={"order": "R-1"}) for name in names)
    return Trial(case_id=case, number=number, tool_calls=calls, ending=ending)


PLACES = changed_places(perturb(CALLS[:1], Perturbation(tool="look", how="empty")))


@pytest.mark.parametrize(
    ("names", "ending", "after"),
    [
        (["look"], "finished", "asked or answered"),
        (["look"], "crashed", "ended without an answer"),
        (["look"], "timeout", "ended without an answer"),
        (["check", "look", "look"], "finished", "repeated the call"),
        (["look", "check"], "finished", "checked with another call"),
        (["look", "refund"], "finished", "changed the state"),
        (["check", "refund"], "finished", "never met it"),
        ([], "finished", "never met it"),
    ],
)
def test_what_comes_next_is_told_from_the_call_after_the_changed_one(names, ending, after):
    assert after_perturbed(trial(*names, ending=ending), "look", PLACES, {"refund"}) == after


def test_a_later_occurrence_is_met_where_it_is_and_not_before():
    calls = [Recorded("tool", "poll", {"order": "R-1"}, n, result) for n, result in enumerate("ab")]
    places = changed_places(perturb(calls, Perturbation(tool="poll", how="stale")))
    assert places == {('{"order":"R-1"}', 1)}
    assert after_perturbed(trial("poll", "check"), "poll", places, set()) == "never met it"
    assert after_perturbed(trial("poll", "poll", "check"), "poll", places, set()) == (
        "checked with another call"
    )


def test_an_error_stays_where_nothing_can_be_taken_from_it():
    calls = [Recorded("tool", "look", {}, 0, None, RecordedError("Busy: later"))]
    assert perturb(calls, Perturbation(tool="look", how="empty")) == ()


def test_the_first_cassette_of_a_case_is_the_one_with_the_lowest_number(tmp_path):
    for number in (10, 2, 3):
        path = tape_path(tmp_path, "case/one", number)
        path.write_text("")
    tape_path(tmp_path, "case_one", 0).write_text("")
    assert first_tape(tmp_path, "case/one") == tape_path(tmp_path, "case/one", 2)
    assert first_tape(tmp_path, "none") is None
    with pytest.raises(InputError, match="no cassette of case 'none' trial 1"):
        Tapes(tmp_path, "play").held("none", 1)


def test_recording_an_attempt_again_starts_its_file_anew(tmp_path):
    tapes = Tapes(tmp_path, "record")
    given = tapes.variables("case", 0)
    path = tape_path(tmp_path, "case", 0)
    path.write_text("old\n")
    assert tapes.variables("case", 0) == given
    assert path.read_text() == ""
    assert given["JUDGEKIT_CASSETTE_MODE"] == "record"


def score(one: Trial, *faults: str) -> TrialScore:
    unknown = dict.fromkeys(
        ("scenario", "split", "fields", "path", "arguments", "state", "attribution",
         "checks_passed", "outcome")
    )  # fmt: skip
    return TrialScore.model_validate(
        {
            **unknown,
            "expected_tools": (),
            "called_tools": (),
            "steps": (),
            "case_id": one.case_id,
            "group": one.case_id,
            "number": one.number,
            "ending": one.ending,
            "checked": True,
            "faults": [{"kind": kind, "reason": "why"} for kind in faults],
        }
    )


def test_the_report_is_about_trials_that_met_the_change():
    change = Perturbation(tool="look", how="empty")
    trials = [trial("look", "refund"), trial("check", number=1), trial("look", number=2)]
    scores = [score(trials[0], "invented", "invented"), score(trials[1], "loop"), score(trials[2])]
    places = {("c", n): PLACES for n in range(3)}
    found = perturb_report(
        change, trials, scores, [False, True, None], places, {"refund"},
        live=[score(trial("look")), score(trial("x", number=1), "loop")],
        live_answers=[True, False],  # number 1 never met it: no fair comparison
    )  # fmt: skip
    assert (found.n_trials, found.n_met, found.n_live) == (3, 2, 1)
    assert found.next_steps == {
        "changed the state": 1, "asked or answered": 1, "never met it": 1,
    }  # fmt: skip
    assert (found.faults, found.faults_live) == ({"invented": 1}, {})
    assert found.correct_live.value == 1.0
    said = perturb_text(found)
    assert "look answers empty: met in 2 of 3 trials" in said
    assert "invented" in said
