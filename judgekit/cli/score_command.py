"""`judgekit score`: recorded trials against what their cases expect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from judgekit.cli.options import AsJson, WorkspacePath, picked
from judgekit.cli.output import emit_json, print_text, say

if TYPE_CHECKING:
    from judgekit.cli.score_inputs import Scored
    from judgekit.model.trial_score import TrialScore
    from judgekit.process.regrade_diff import Regrade
    from judgekit.process.score_records import AnomalyReport

TrialsFile = Annotated[
    Path | None,
    typer.Option(
        "--trials", help="Recorded trials: a file of `judgekit repeat`, or a foreign one."
    ),
]
ItemsFile = Annotated[
    Path | None, typer.Option("--items", help="With --mapping: the items that trials join.")
]
MappingFile = Annotated[
    Path | None, typer.Option("--mapping", help="YAML that says what a foreign file means.")
]
GoldensFile = Annotated[
    Path | None, typer.Option("--goldens", help="Expected results (default: the dataset's).")
]
DatasetName = Annotated[
    str | None, typer.Option("--dataset", help="A folder in annotations/ with goldens.jsonl.")
]
RulesName = Annotated[
    str | None,
    typer.Option(
        "--rules",
        help="Scoring rules: a name in scoring/, or a YAML file (default: none, values exactly).",
    ),
]
CaseId = Annotated[str | None, typer.Option("--case", help="Only this case.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Say why each value of each trial matched or not.")
]
Was = Annotated[
    Path | None,
    typer.Option("--was", help="Older goldens: score the same trials under both, side by side."),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        "--baseline", help="An older `score --json`: refused where its rules were others."
    ),
]
History = Annotated[
    Path | None,
    typer.Option("--history", help="Earlier trials: name those whose shape is unusual."),
]
Out = Annotated[
    Path | None, typer.Option("--out", help="Write the score of each trial here, one a line.")
]
Review = Annotated[
    Path | None,
    typer.Option(
        "--review",
        help="Write trials with suspicions, undecided values or (--history) an unusual shape here.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score_command)


def score_command(
    trials: TrialsFile = None,
    items: ItemsFile = None,
    mapping: MappingFile = None,
    goldens: GoldensFile = None,
    dataset: DatasetName = None,
    workspace: WorkspacePath = None,
    rules: RulesName = None,
    case: CaseId = None,
    explain: Explain = False,
    was: Was = None,
    baseline: Baseline = None,
    history: History = None,
    out: Out = None,
    review: Review = None,
    as_json: AsJson = False,
) -> int:
    """Score recorded trials by code: fields, tool calls, arguments, state, faults; 3 where no
    trial could be decided."""
    given = dict(locals())
    from judgekit.cli.result_files import check_places, keep_inputs
    from judgekit.cli.score_baseline import read_baseline
    from judgekit.cli.score_inputs import ScoreOptions, read_scored
    from judgekit.process.score_report import score_report

    named = None if rules is None else Path(rules)
    keep_inputs([out, review], [trials, items, mapping, goldens, was, baseline, history, named])
    check_places([out, review])
    scored = read_scored(ScoreOptions(**picked(ScoreOptions._fields, given)))
    older = None if baseline is None else read_baseline(baseline, scored.rules)
    scores = scored.scores()
    shapes = None if history is None else _shapes(scored, history)
    report = score_report(scored.cases, scores, scored.rules, shapes=shapes, whole=case is None)
    regrade = None if was is None else _regrade(scored, was, scores)
    if out is not None:
        _write(out, scores)
    if review is not None:
        _review(scored, review, scores, shapes)
    (_emit if as_json else _print)(report, scores if explain else None, regrade, older)
    return 0 if report.undecided < report.n_trials else 3


def _shapes(scored: Scored, history: Path) -> AnomalyReport:
    from judgekit.process.anomalies import anomalies
    from judgekit.store.trials_file import TrialsFile

    return anomalies(scored.trials, TrialsFile(history))


def _regrade(scored: Scored, was: Path, scores: tuple[TrialScore, ...]) -> Regrade:
    from judgekit.cli.score_inputs import Scored, golden_cases
    from judgekit.process.regrade_diff import Regrade, score_changes
    from judgekit.process.score_report import score_report
    from judgekit.scorers.rule_sources import with_sources

    cases = golden_cases(was)
    rules = with_sources(scored.rules, cases, scored.root)
    before = Scored(cases, scored.trials, rules, scored.root, file=scored.file).scores()
    return Regrade(score_report(cases, before, rules), score_changes(before, scores))


def _write(out: Path, scores: tuple[TrialScore, ...]) -> None:
    from judgekit.model.canonical import canonical_json
    from judgekit.store.files import atomic_lines

    atomic_lines(out, (canonical_json(score.model_dump(mode="json")) for score in scores))
    say(f"wrote the scores of {len(scores)} trials to {out}")


def _review(
    scored: Scored, path: Path, scores: tuple[TrialScore, ...], shapes: AnomalyReport | None
) -> None:
    from judgekit.process.score_review import write_score_review

    known = {case.id: case for case in scored.cases}
    cases = (known[score.case_id] for score in scores)
    unusual = () if shapes is None else shapes.anomalies
    n = write_score_review(path, zip(cases, scored.trials, scores, strict=True), unusual)
    if n == 0:
        say(f"no trial waits for people: {path} is empty")
        return
    say(f"{n} trials for people are in {path}; label them with judgekit label --review {path}")


def _emit(report: Any, scores: Any, regrade: Any, older: Any) -> None:
    body: dict[str, Any] = report.model_dump(mode="json", by_alias=True)
    if scores is not None:
        body["trials"] = [score.model_dump(mode="json") for score in scores]
    if regrade is not None:
        body["was"] = regrade.headline()
        body["changes"] = [change.model_dump(mode="json") for change in regrade.changes]
    if older is not None:
        body["baseline"] = older
    emit_json(body)


def _print(report: Any, scores: Any, regrade: Any, older: Any) -> None:
    from judgekit.render.score_text import baseline_text, explain_text, regrade_text, score_text

    parts = [score_text(report)]
    if scores is not None:
        parts.append(explain_text(scores))
    if regrade is not None:
        parts.append(regrade_text(regrade, report))
    if older is not None:
        parts.append(baseline_text(older, report))
    print_text("\n".join(parts).rstrip("\n"))
