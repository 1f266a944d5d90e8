"""From scored trials to the report: every share with its interval and n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from judgekit.errors import InputError
from judgekit.model.canonical import content_hash
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial_score import FieldOutcome, TrialScore
from judgekit.process.rates import NOTHING_DECIDED, Row, mean_credit, share
from judgekit.process.score_records import (
    AnomalyReport,
    Excluded,
    FieldRow,
    FieldScenarioRow,
    ScenarioRow,
    ScoreReport,
    Suite,
)
from judgekit.process.step_rows import fault_rows, state_rows, step_rows
from judgekit.process.tool_rows import (
    argument_rows,
    distances,
    mode_rows,
    omission_rows,
    omitted,
    swaps,
    tool_rows,
)
from judgekit.scorers.tool_lint import lint_tools
from judgekit.scorers.trial_scoring import correctness
from judgekit.stats.estimate import Statistic

NO_CRITICAL = "no trial with a critical field could be decided"
NO_FIELD = "no field could be decided"
NO_PLAN = "no trial has a plan"


class Judged(NamedTuple):
    """A scored trial and whether it is correct (None = not known)."""

    score: TrialScore
    correct: bool | None


def score_report(
    cases: Sequence[Case],
    scores: Sequence[TrialScore],
    rules: ScoringRules,
    *,
    shapes: AnomalyReport | None = None,
    whole: bool = True,
) -> ScoreReport:
    """Return the report over scored trials.

    `whole` False: the cases are a part of the suite, so that nothing is said about unused rules.

    Raises:
        InputError: there is no trial: nothing was evaluated.
        UsageError: the rules ask for outcomes and no trial records one.
    """
    if not scores:
        raise InputError("there is no trial to score", expected="at least one trial of a case")
    answer = correctness(scores, rules)
    judged = list(map(Judged, scores, answer.answers))
    return ScoreReport(
        rules=rules.name,
        rules_hash=rules.content_hash,
        rules_body=rules.body,
        cases_hash=cases_hash(cases),
        correct_by=answer.by,
        n_cases=len({score.case_id for score in scores}),
        n_trials=len(scores),
        endings=dict(sorted(Counter(score.ending for score in scores).items())),
        undecided=sum(one.correct is None for one in judged),
        **_headline(judged),
        scenarios=_scenarios(judged),
        fields=_field_rows(scores),
        fields_by_scenario=_fields_by_scenario(scores),
        **_rows(scores),
        suite=_suite(cases, judged),
        lint=lint_tools(rules.tools.specs),
        shapes=shapes,
        notes=unused_rules(cases, scores, rules) if whole else (),
    )


def _headline(judged: Sequence[Judged]) -> dict[str, Statistic]:
    return {
        "correct": share(_correct(judged), NOTHING_DECIDED),
        "all_fields_correct": _fields_correct(judged),
        "critical_fields_correct": _critical_correct(judged),
        "state_correct": _state_correct(judged),
        "weighted_credit": _weighted_credit(judged),
        "plan_kept": _share_of(judged, lambda score: score.plan_kept, NO_PLAN),
    }


def _rows(scores: Sequence[TrialScore]) -> dict[str, Any]:
    return {
        "modes": mode_rows(scores),
        "tools": tool_rows(scores),
        "arguments": argument_rows(scores),
        "omissions": omission_rows(scores),
        "swaps": swaps(scores),
        "distance": distances(scores),
        "faults": fault_rows(scores),
        "state": state_rows(scores),
        "steps": step_rows(scores),
    }


def unused_rules(
    cases: Sequence[Case], scores: Sequence[TrialScore], rules: ScoringRules
) -> tuple[str, ...]:
    """Return a note on names of the rules that nothing has: a misspelt rule checks nothing."""
    called = {name for score in scores for name in (*score.called_tools, *score.expected_tools)}
    tools = called | set(rules.tools.spec_of) | set(rules.tools.ignore)
    tools |= {call.tool for case in cases for path in case.paths.values() for call in path.calls}
    fields = {name for case in cases for name in case.fields}
    fields |= {entry.part.removeprefix("/fields/") for case in cases for entry in case.unscored}
    notes = {
        "tools that no specification, case or trial has": _named_tools(rules) - tools,
        "fields that no case has": rules.fields.keys() - fields,
    }
    return tuple(
        f"the rules name {what}: {', '.join(sorted(names))}"
        for what, names in notes.items()
        if names
    )


def _named_tools(rules: ScoringRules) -> set[str]:
    """Return the tools that the rules check; those that must never be called may be unknown."""
    own = rules.tools
    claimed = {tool for claim in own.claims for tool in claim.tools}
    checks = {tool for listed in own.before.values() for tool in listed}
    tables = (own.arguments, own.before, own.succeeded, own.traceable)
    return {*(t for table in tables for t in table), *own.answer_after, *claimed, *checks}


def cases_hash(cases: Sequence[Case]) -> str:
    """Return the hash of all that is expected, whatever the order of the cases."""
    lines = {case.id: case.model_dump(mode="json", exclude_defaults=True) for case in cases}
    return content_hash(lines)


def _correct(judged: Iterable[Judged]) -> list[Row]:
    return [(one.score.group, one.correct) for one in judged if one.correct is not None]


def _fields_correct(judged: Iterable[Judged]) -> Statistic:
    return _share_of(judged, lambda s: None if s.fields is None else s.fields.all_correct)


def _critical_correct(judged: Iterable[Judged]) -> Statistic:
    def answer(score: TrialScore) -> bool | None:
        return None if score.fields is None else score.fields.critical_correct

    return _share_of(judged, answer, NO_CRITICAL)


def _state_correct(judged: Iterable[Judged]) -> Statistic:
    return _share_of(judged, lambda s: None if s.state is None else s.state.passed)


def _weighted_credit(judged: Iterable[Judged]) -> Statistic:
    """Return the mean over trials of the weighted credit of their decided fields."""
    scores = [one.score for one in judged if one.score.fields is not None]
    credits = [(score.group, score.fields.accuracy) for score in scores if score.fields]
    known = [(group, credit) for group, credit in credits if credit is not None]
    return mean_credit(known, NO_FIELD)


def _share_of(
    judged: Iterable[Judged],
    answer: Callable[[TrialScore], bool | None],
    none: str = NOTHING_DECIDED,
) -> Statistic:
    found = [(one.score.group, answer(one.score)) for one in judged]
    return share([(group, yes) for group, yes in found if yes is not None], none)


def _scenarios(judged: Sequence[Judged]) -> tuple[ScenarioRow, ...]:
    names = sorted({one.score.scenario for one in judged}, key=lambda name: (name is None, name))
    return tuple(
        _scenario(name, [one for one in judged if one.score.scenario == name]) for name in names
    )


def _scenario(name: str | None, judged: Sequence[Judged]) -> ScenarioRow:
    scores = [one.score for one in judged]
    return ScenarioRow(
        scenario=name,
        n_cases=len({score.case_id for score in scores}),
        n_trials=len(scores),
        correct=share(_correct(judged), NOTHING_DECIDED),
        all_fields_correct=_fields_correct(judged),
        critical_fields_correct=_critical_correct(judged),
        omissions=omitted(scores, None),
    )


def _fields_by_scenario(scores: Sequence[TrialScore]) -> tuple[FieldScenarioRow, ...]:
    """Return the accuracy of each field in each class; nothing where there is one class only."""
    found: dict[tuple[str, str | None], list[Row]] = {}
    for score in scores:
        for one in score.fields.scored if score.fields is not None else ():
            rows = found.setdefault((one.field, score.scenario), [])
            rows.append((score.group, one.decision == "match"))
    if len({scenario for _, scenario in found}) < 2:
        return ()
    order = sorted(found, key=lambda key: (key[0], key[1] is None, key[1]))
    return tuple(
        FieldScenarioRow(
            field=field, scenario=scenario, accuracy=share(found[field, scenario], NO_FIELD)
        )
        for field, scenario in order
    )


def _field_rows(scores: Sequence[TrialScore]) -> tuple[FieldRow, ...]:
    found: dict[str, list[tuple[str, FieldOutcome]]] = {}
    for score in scores:
        for one in score.fields.outcomes if score.fields is not None else ():
            found.setdefault(one.field, []).append((score.group, one))
    return tuple(_field_row(name, found[name]) for name in sorted(found))


def _field_row(name: str, outcomes: list[tuple[str, FieldOutcome]]) -> FieldRow:
    decided = [(g, one) for g, one in outcomes if one.decision in ("match", "mismatch")]
    credits = [(group, one.credit) for group, one in decided if one.credit is not None]
    kinds = Counter(one.decision for _, one in outcomes)
    return FieldRow(
        field=name,
        critical=any(one.critical for _, one in outcomes),
        weight=max(one.weight for _, one in outcomes),
        accuracy=share([(g, one.decision == "match") for g, one in decided], "never decided"),
        credit=mean_credit(credits, "never decided"),
        undecided=kinds["undecided"],
        unscored=kinds["unscored"],
    )


def _suite(cases: Sequence[Case], judged: Sequence[Judged]) -> Suite:
    answers: dict[str, list[bool | None]] = {}
    for one in judged:
        answers.setdefault(one.score.case_id, []).append(one.correct)
    idle = {one.score.case_id for one in judged if one.score.idle_passes}
    untouched = {
        one.score.case_id
        for one in judged
        if one.score.state is not None and one.score.state.untouched_passes
    }
    return Suite(
        without_checker=tuple(sorted(case.id for case in cases if not case.checked)),
        untouched_pass=tuple(sorted(idle)),
        untouched_state=tuple(sorted(untouched - idle)),
        everyone_passes=tuple(sorted(c for c, found in answers.items() if set(found) == {True})),
        nobody_passes=tuple(sorted(c for c, found in answers.items() if set(found) == {False})),
        without_trial=tuple(sorted({case.id for case in cases} - answers.keys())),
        excluded=tuple(
            Excluded(case=case.id, part=one.part, reason=f"{one.status}: {one.reason}")
            for case in cases
            for one in case.unscored
        ),
    )
