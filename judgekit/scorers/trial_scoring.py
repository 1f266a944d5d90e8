"""One trial of one case, scored whole: fields, calls, state, faults, steps, and the cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from judgekit.errors import InputError, UsageError
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Ending, Trial
from judgekit.model.trial_score import (
    ArgumentScore,
    Attribution,
    Correctness,
    Fault,
    FieldScores,
    PathMatch,
    SequenceMatch,
    StateScore,
    StepOutcome,
    TrialScore,
)
from judgekit.scorers.faults.base import Seen, detectors, faults_in
from judgekit.scorers.field_scoring import score_fields
from judgekit.scorers.state_scoring import score_state
from judgekit.scorers.step_scoring import STEP_PREFIX, attribute, score_steps, steps_not_run
from judgekit.scorers.trajectory.arguments import score_arguments
from judgekit.scorers.trajectory.matching import path_distance

_SHARED = frozenset(
    {
        "expected_tools", "called_tools", "fields", "path", "arguments", "state", "faults",
        "steps", "steps_not_run", "attribution",
    }
)  # fmt: skip
_ALL = set(TrialScore.model_fields)


def score_trial(case: Case, trial: Trial, rules: ScoringRules) -> TrialScore:
    """Score one trial against its case under the rules.

    Raises:
        UsageError: the rules name a fault that no detector finds.
        ItemError: a recorded call has no name.
    """
    check_failing(rules)
    seen = Seen.of(case, trial, rules)
    final = _without_steps(case)
    fields, state = score_fields(final, trial, rules), score_state(case, trial, rules)
    faults = faults_in(seen)
    steps = score_steps(case, trial, rules)
    arguments = score_arguments(seen.wanted, seen.matched_calls, seen.pairs) if seen.path else None
    on_path = _on_path(seen.path, arguments, faults)
    passed = _passed(trial, on_path, fields, state, faults, rules, case)
    return TrialScore(
        case_id=case.id,
        group=case.group_key,
        number=trial.number or 0,
        scenario=case.scenario,
        split=case.split,
        ending=ending_of(trial),
        checked=case.checked,
        expected_tools=tuple(call.name for call in seen.wanted),
        called_tools=tuple(call.name for call in seen.matched_calls),
        fields=fields,
        path=seen.path,
        arguments=arguments,
        state=state,
        faults=faults,
        steps=steps,
        steps_not_run=steps_not_run(case, trial),
        distance=_distance(seen),
        idle_passes=_idle_passes(final, state, rules),
        plan_kept=_plan_kept(trial, faults),
        attribution=_cause(passed, trial, steps, faults, fields, state, seen),
        checks_passed=passed,
        outcome=trial.outcome,
    )


def score_trials(
    cases: Iterable[Case],
    trials: Iterable[Trial],
    rules: ScoringRules,
    *,
    of: str | None = None,
    place_of: Callable[[str], str] | None = None,
) -> tuple[TrialScore, ...]:
    """Score each trial against its case, in the order of the trials; no trial is kept.

    `of` names the set of trials in an error, where there are several; `place_of` tells of a case's
    id in which file and line its first trial stands.

    Raises:
        InputError: a trial is of a case that is not there.
    """
    known = {case.id: case for case in cases}
    strange: set[str] = set()
    scores: list[TrialScore] = []
    held: dict[object, object] = {}
    for trial in trials:
        case = known.get(trial.case_id or "")
        if case is None:
            strange.add(trial.case_id or "")
        elif not strange:
            scores.append(_sharing(score_trial(case, trial, rules), held))
    if strange:
        prefix, first = f"{of}: " if of else "", min(strange)
        raise InputError(
            f"{prefix}a trial is of the case {first!r}, which is not among the cases",
            where=None if place_of is None else place_of(first),
            found=f"{len(strange)} such cases",
            expected=f"one of {len(known)} cases",
            mend="give the goldens that these trials were made for (--goldens, --dataset)",
        )
    return tuple(scores)


def _sharing(score: TrialScore, held: dict[object, object]) -> TrialScore:
    """Return the score with parts that equal an earlier one's as the same object.

    Most trials of a case go alike, and the parts are most of the memory that scores take.
    """
    same = {name: held.setdefault(part, part) for name, part in score if name in _SHARED}
    return TrialScore.model_construct(_ALL, **{**dict(score), **same})


def _without_steps(case: Case) -> Case:
    kept = {name: one for name, one in case.fields.items() if not name.startswith(STEP_PREFIX)}
    return case.model_copy(update={"fields": kept})


def ending_of(trial: Trial) -> Ending:
    """Return how a trial ended; one that records an error and no ending crashed."""
    return trial.ending or ("crashed" if trial.error else "finished")


def check_failing(rules: ScoringRules) -> None:
    """Raise UsageError where the rules name a fault that no detector finds."""
    for kind in rules.failing:
        detectors().get(kind)


def correctness(scores: Sequence[TrialScore], rules: ScoringRules) -> Correctness:
    """Return what makes a trial correct under the rules, and the answer for each trial.

    A trial that failed through no fault of the agent has no answer, whatever was recorded.

    Raises:
        UsageError: the rules ask for outcomes and no trial records one.
    """
    recorded = any(score.outcome is not None for score in scores)
    if rules.correct_by == "outcome" and not recorded:
        raise UsageError(
            "no trial records an outcome of its environment",
            expected="correct_by: checks, or trials with an outcome",
        )
    if rules.correct_by == "outcome" or (rules.correct_by == "auto" and recorded):
        answers = [None if score.ending == "infrastructure" else score.outcome for score in scores]
        return Correctness(by="outcome", answers=tuple(answers))
    return Correctness(by="checks", answers=tuple(score.checks_passed for score in scores))


def _passed(
    trial: Trial,
    on_path: tuple[bool | None, ...],
    fields: FieldScores | None,
    state: StateScore | None,
    faults: tuple[Fault, ...],
    rules: ScoringRules,
    case: Case,
) -> bool | None:
    answers: list[bool | None] = [*on_path]
    if fields is not None and any(one.decision != "unscored" for one in fields.outcomes):
        answers.append(fields.all_correct)
    if state is not None:
        answers.append(state.passed)
    if case.forbidden:
        answers.append(not any(fault.kind == "forbidden_call" for fault in faults))
    if trial.ending == "infrastructure" or not answers:
        return None
    answers.append(ending_of(trial) == "finished")
    answers.append(not any(f.severity == "fault" and f.kind in rules.failing for f in faults))
    if False in answers:
        return False
    return None if None in answers else True


def _on_path(
    path: PathMatch | None, arguments: ArgumentScore | None, faults: tuple[Fault, ...]
) -> tuple[bool | None, ...]:
    """Return whether the calls are those of the path, or nothing where there is none.

    It is open (None) where only arguments with two readings stand between the calls and the path.
    """
    if path is None or arguments is None:
        return ()
    wrong = any(fault.kind in ("wrong_argument", "malformed_arguments") for fault in faults)
    by_name: SequenceMatch = getattr(path.names, path.mode)
    is_open = bool(arguments.undecided) and by_name.passed and not wrong
    return (None if is_open and not path.passed else path.passed,)


def _distance(seen: Seen) -> int | None:
    if seen.path is None:
        return None
    ignored = seen.rules.tools.ignore
    paths = [
        [call.tool for call in path.calls if call.tool not in ignored]
        for path in seen.case.scored_paths.values()
    ]
    return path_distance([call.name for call in seen.matched_calls], paths)


def _plan_kept(trial: Trial, faults: tuple[Fault, ...]) -> bool | None:
    if trial.plan is None or trial.ending == "infrastructure":
        return None
    return not any(fault.kind == "off_plan" for fault in faults)


def _idle_passes(case: Case, state: StateScore | None, rules: ScoringRules) -> bool | None:
    """Tell whether an agent that makes no call, changes nothing and answers nothing passes."""
    asked = any(one.expect != "missing" for one in case.fields.values())
    paths = case.scored_paths.values()
    busy = [any(call.tool not in rules.tools.ignore for call in path.calls) for path in paths]
    if not case.checked or asked or (busy and all(busy)):
        return None if not case.checked else False
    return True if state is None else state.untouched_passes


def _cause(
    passed: bool | None,
    trial: Trial,
    steps: tuple[StepOutcome, ...],
    faults: tuple[Fault, ...],
    fields: FieldScores | None,
    state: StateScore | None,
    seen: Seen,
) -> Attribution | None:
    wrong_end = passed is False if trial.outcome is None else trial.outcome is False
    if not wrong_end or trial.ending == "infrastructure":
        return None
    visible = [] if trial.error is None else [f"the trial ended with {trial.error!r:.80}"]
    if fields is not None:
        wrong = [one for one in fields.outcomes if one.decision == "mismatch"]
        visible += [
            f"{one.field}: {one.reason}" for one in sorted(wrong, key=lambda o: not o.critical)
        ]
    if state is not None:
        visible += [one.reason for one in state.differences]
    return attribute(steps, faults, visible, [call.name for call in seen.calls])
