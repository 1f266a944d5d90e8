"""A trial against its reviewed case, as a grader: what `judgekit score` says, in run and gate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from judgekit.errors import ItemError
from judgekit.model.canonical import content_hash
from judgekit.model.case import Case
from judgekit.model.item import Item
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial_score import TrialScore
from judgekit.scorers.base import Outcome, Prepared, prepares, scorer
from judgekit.scorers.paths import trial_of
from judgekit.scorers.rule_sources import with_sources
from judgekit.scorers.trial_scoring import check_failing, correctness, score_trial
from judgekit.store.goldens_file import read_cases
from judgekit.store.scoring_rules import scoring_rules

MOST_REASONS = 3


@scorer
def golden(
    item: Item,
    *,
    goldens: str,
    rules: str | None = None,
    failure_mode: str | None = None,
    cases: Mapping[str, Case],
    chosen: ScoringRules,
) -> Outcome:
    """Pass when the item's trial is what its golden asks for, under the scoring rules.

    The case is named by the trial's `case_id`, else by `case` in the item's metadata, else by the
    item's id. What cannot be decided is no answer.
    """
    del rules  # `prepare` has read them
    trial = trial_of(item)
    name = str(trial.case_id or item.metadata.get("case") or item.id)
    if name not in cases:
        raise ItemError(
            f"item {item.id!r} is of the case {name!r}, which has no golden in {goldens!r}",
            where=f"item {item.id}",
        )
    score = score_trial(cases[name], trial, chosen)
    answer = correctness([score], chosen).answers[0]
    if answer:
        return Outcome(passed=True)
    reason = "; ".join(_reasons(score)[:MOST_REASONS])
    if answer is None:
        return Outcome(passed=None, reason=reason or "nothing is expected that code can decide")
    return Outcome(passed=False, failure_mode=failure_mode, reason=reason or "it is not correct")


@prepares("golden")
def prepare(
    root: Path, *, goldens: str, rules: str | None = None, failure_mode: str | None = None
) -> Prepared:
    """Read the goldens (a path in the workspace) and the rules (a name in scoring/, or a path)."""
    del failure_mode
    found = read_cases(root / goldens)
    path = rules if rules is None or "/" not in rules else str(root / rules)
    chosen = with_sources(scoring_rules(root, path), found, root)
    check_failing(chosen)
    lines = {case.id: case.model_dump(mode="json", exclude_defaults=True) for case in found}
    return Prepared(
        given={"cases": {case.id: case for case in found}, "chosen": chosen},
        components={"goldens": content_hash(lines), "rules": chosen.content_hash},
    )


def _reasons(score: TrialScore) -> tuple[str, ...]:
    """Return why a trial is not correct, the cause first, or why that cannot be said."""
    if score.attribution is not None:
        return score.attribution.chain
    outcomes = score.fields.outcomes if score.fields is not None else ()
    found = [f"{one.field}: {one.reason}" for one in outcomes if one.decision == "undecided"]
    if score.ending == "infrastructure":
        found.insert(0, "the trial failed through no fault of the agent")
    if score.path is not None and not score.path.passed:
        found.append(f"the calls are not those of the path {score.path.path!r}")
    return tuple(found)
