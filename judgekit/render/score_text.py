"""A score report as plain text: readable without colour, in a pipe and in a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgekit.model.trial_score import TrialScore
from judgekit.process.regrade_diff import Regrade, ScoreChange
from judgekit.process.repeat_records import RepeatReport
from judgekit.process.score_records import HEADLINE, FieldRow, ScoreReport
from judgekit.render.explained import explained
from judgekit.render.text import bullets, one_line, table, visible
from judgekit.render.words import figure_text
from judgekit.stats.estimate import Estimate, Statistic

MOST_ROWS = 20
PARTIAL = 1e-9


def score_text(report: ScoreReport) -> str:
    """Return the report as text that ends with a line feed.

    Control characters of ids and names are written out, so that no text can steer the terminal.
    """
    parts = [
        counted_trials(report),
        _headline(report),
        _scenarios(report),
        _fields(report),
        _fields_by_scenario(report),
        _modes(report),
        _tools(report),
        _arguments(report),
        _distance(report),
        _omissions(report),
        _swaps(report),
        _faults(report),
        _tool_faults(report),
        _state(report),
        _steps(report),
        _suite(report),
        _lint(report),
        _shapes(report),
        bullets("Notes", list(report.notes)),
    ]
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def explain_text(scores: Sequence[TrialScore]) -> str:
    """Return why each value of each trial matched or not, ending with a line feed."""
    return visible("\n\n".join("\n".join(explained(score)) for score in scores)) + "\n"


def regrade_text(regrade: Regrade, report: ScoreReport) -> str:
    """Return what a change of the annotation did to the scores, ending with a line feed."""
    sides = _side_by_side("the same trials under", "older goldens", regrade.headline(), report)
    return f"{sides}\n\n{_changes(regrade.changes)}"


def _changes(changes: Sequence[ScoreChange]) -> str:
    rows = [["case", "trial", "what", "before", "after"]]
    rows += [
        [one_line(c.case), str(c.number), one_line(c.what), _word(c.before), _word(c.after)]
        for c in changes
    ]
    if len(rows) == 1:
        return "No score changed.\n"
    return visible(f"{len(changes)} answers changed\n" + table(rows)) + "\n"


def baseline_text(older: dict[str, Any], report: ScoreReport) -> str:
    """Return the headline shares before and now, ending with a line feed."""
    notes = []
    if older["cases_hash"] != report.cases_hash:
        notes.append("What the cases expect differs too: the two are not comparable.")
    if older["correct_by"] != report.correct_by:
        notes.append(f"Correct meant {older['correct_by']} before and {report.correct_by} now.")
    sides = _side_by_side("under the same rules", "before", older, report)
    return "\n".join([sides, *notes]) + "\n"


def _side_by_side(title: str, then: str, older: Mapping[str, Any], report: ScoreReport) -> str:
    """Return a table of the headline figures that both sides have."""
    rows = [[title, then, "now"]]
    for name in HEADLINE:
        now: Statistic = getattr(report, name)
        if isinstance(now, Estimate) and "value" in (older.get(name) or ()):
            before = Estimate.model_validate(older[name])
            rows.append([name.replace("_", " "), figure_text(before), figure_text(now)])
    return table(rows)


def counted_trials(report: ScoreReport | RepeatReport) -> str:
    """Return how many trials a report is about, how they ended, and by what they were scored."""
    endings = ", ".join(f"{n} {name}" for name, n in report.endings.items())
    return (
        f"{report.n_trials} trials of {report.n_cases} cases ({endings}), rules "
        f"{one_line(report.rules)} ({report.rules_hash[7:19]}), correct by {report.correct_by}"
    )


def _headline(report: ScoreReport) -> str:
    rows = [
        ["correct", figure_text(report.correct)],
        ["all fields correct", figure_text(report.all_fields_correct)],
        ["critical fields correct", figure_text(report.critical_fields_correct)],
        ["weighted credit", _weighted(report)],
        ["state correct", figure_text(report.state_correct)],
    ]
    kept = [rows[0], *(row for row in rows[1:] if not row[1].startswith("undefined"))]
    if report.undecided:
        kept.append(["undecided", f"{report.undecided} trials, neither right nor wrong"])
    return table(kept)


def _weighted(report: ScoreReport) -> str:
    """Return the mean credit of trials where weights or parts of a value make it say more."""
    weights = {row.weight for row in report.fields}
    plain = len(weights) < 2 and not any(_credit(row) for row in report.fields)
    return "undefined" if plain else figure_text(report.weighted_credit)


def _scenarios(report: ScoreReport) -> str:
    if [row.scenario for row in report.scenarios] == [None]:
        return ""
    rows = [["scenario", "cases", "trials", "correct", "all fields", "critical fields"]]
    for row in report.scenarios:
        shares = (row.correct, row.all_fields_correct, row.critical_fields_correct)
        counts = [row.scenario or "in no class", str(row.n_cases), str(row.n_trials)]
        rows.append([*counts, *(brief(one) for one in shares)])
    return table(rows)


def _fields(report: ScoreReport) -> str:
    rows = [["field", "", "accuracy", "mean credit", "undecided", "not scored"]]
    for row in report.fields:
        rows.append(
            [
                one_line(row.field),
                _mark(row),
                figure_text(row.accuracy),
                _credit(row),
                str(row.undecided),
                str(row.unscored),
            ]
        )
    return table(rows) if len(rows) > 1 else ""


def _mark(row: FieldRow) -> str:
    weight = "" if row.weight == 1 else f"weight {row.weight:g}"
    return ", ".join(filter(None, ("critical" if row.critical else "", weight)))


def _fields_by_scenario(report: ScoreReport) -> str:
    rows = [["field", "scenario", "accuracy"]]
    for row in report.fields_by_scenario[:MOST_ROWS]:
        name = row.scenario or "in no class"
        rows.append([one_line(row.field), name, figure_text(row.accuracy)])
    return _cut(table(rows), len(report.fields_by_scenario)) if len(rows) > 1 else ""


def _credit(row: FieldRow) -> str:
    """Return the mean credit; nothing where no value has a part of it, as accuracy says it all."""
    if isinstance(row.credit, Estimate) and isinstance(row.accuracy, Estimate):
        partial = abs(row.credit.value - row.accuracy.value) > PARTIAL
        return figure_text(row.credit) if partial else ""
    return ""


def _modes(report: ScoreReport) -> str:
    rows = [["calls against the expected path", "trials that pass", "recall", "precision"]]
    for row in report.modes:
        name = f"{row.what}, {row.mode}"
        cells = (row.passed, row.recall, row.precision)
        rows.append([name, *(figure_text(cell) for cell in cells)])
    return table(rows) if len(rows) > 1 else ""


def _tools(report: ScoreReport) -> str:
    rows = [
        ["tool", "expected", "called", "left out", "wrong tool", "malformed", "arguments right"]
    ]
    for row in report.tools:
        rows.append(
            [
                one_line(row.tool),
                str(row.n_expected),
                str(row.n_called),
                brief(row.omission),
                brief(row.wrong),
                brief(row.malformed),
                brief(row.arguments),
            ]
        )
    return table(rows) if len(rows) > 1 else ""


def _arguments(report: ScoreReport) -> str:
    """Return the expected arguments that were not always right."""
    wrong = [row for row in report.arguments if row.wrong or row.missing or row.undecided]
    rows = [["argument", "right", "wrong", "missing", "undecided", "not called"]]
    for row in wrong[:MOST_ROWS]:
        counts = (row.wrong, row.missing, row.undecided, row.not_called)
        name = one_line(f"{row.tool}.{row.key}")
        rows.append([name, brief(row.right), *(str(count) for count in counts)])
    return _cut(table(rows), len(wrong)) if wrong else ""


def _distance(report: ScoreReport) -> str:
    found, rows = report.distance, []
    if found.median is not None:
        rows += [
            ["on a valid path, by name", figure_text(found.on_path)],
            ["calls to put in or leave out", f"median {found.median:g}, worst {found.worst}"],
        ]
    if isinstance(report.plan_kept, Estimate):
        rows.append(["on the trial's own plan", figure_text(report.plan_kept)])
    return table(rows) if rows else ""


def _omissions(report: ScoreReport) -> str:
    """Return the tools that were left out, by scenario; nothing where there is one class only."""
    if len({row.scenario for row in report.omissions}) < 2:
        return ""
    rows = [["tool", "scenario", "left out"]]
    for row in report.omissions:
        name = row.scenario or "in no class"
        rows.append([one_line(row.tool), name, figure_text(row.omission)])
    return table(rows)


def _swaps(report: ScoreReport) -> str:
    rows = [["expected", "called instead", "times"]]
    for row in report.swaps[:MOST_ROWS]:
        rows.append([one_line(row.expected), one_line(row.called or "nothing"), str(row.n)])
    return _cut(table(rows), len(report.swaps)) if len(rows) > 1 else ""


def _faults(report: ScoreReport) -> str:
    rows = [["fault", "", "times", "trials with it"]]
    for row in report.faults:
        mark = "for review" if row.severity == "suspicion" else ""
        rows.append([one_line(row.kind), mark, str(row.n), figure_text(row.trials)])
    return table(rows) if len(rows) > 1 else ""


def _tool_faults(report: ScoreReport) -> str:
    rows = [["tool", "faults that name it"]]
    for row in report.tools:
        if row.faults:
            kinds = ", ".join(f"{n} {one_line(kind)}" for kind, n in row.faults.items())
            rows.append([one_line(row.tool), kinds])
    return table(rows) if len(rows) > 1 else ""


def _state(report: ScoreReport) -> str:
    rows = [["state", "difference", "times"]]
    for row in report.state[:MOST_ROWS]:
        place = one_line(f"{row.table}.{row.field}" if row.field else row.table)
        rows.append([place, row.kind.replace("_", " "), str(row.n)])
    return _cut(table(rows), len(report.state)) if len(rows) > 1 else ""


def _steps(report: ScoreReport) -> str:
    rows = [
        [
            "step",
            "right",
            "errors",
            "recall",
            "precision",
            "median time",
            "not run",
            "wrong here first",
        ]
    ]
    for row in report.steps:
        cells = (row.passed, row.errors, row.recall, row.precision)
        time = "-" if row.latency_s is None else f"{row.latency_s:.3g} s"
        counts = (str(row.not_run), str(row.causes))
        rows.append([one_line(row.step), *(brief(cell) for cell in cells), time, *counts])
    return table(rows) if len(rows) > 1 else ""


def _suite(report: ScoreReport) -> str:
    suite = report.suite
    lists = {
        "cases without a checker": suite.without_checker,
        "cases whose checks an agent doing nothing passes": suite.untouched_pass,
        "cases whose state is right when nothing is done": suite.untouched_state,
        "cases that every trial passes": suite.everyone_passes,
        "cases that no trial passes": suite.nobody_passes,
        "cases without a trial": suite.without_trial,
    }
    lines = [f"{title}: {some(ids)}" for title, ids in lists.items() if ids]
    lines += [
        f"not scored: {one_line(one.case)} {one_line(one.part)} ({one_line(one.reason)})"
        for one in suite.excluded
    ]
    return bullets("About the suite", lines)


def _lint(report: ScoreReport) -> str:
    return bullets("Tool specifications to mend", [one_line(one.reason) for one in report.lint])


def _shapes(report: ScoreReport) -> str:
    if report.shapes is None:
        return ""
    lines = [
        f"{one_line(one.case)} trial {one.number}: {one.size} {one.value:g}, usually {one.usual:g}"
        for one in report.shapes.anomalies
    ]
    if report.shapes.without_history:
        lines.append(f"too little history to say: {some(report.shapes.without_history)}")
    return bullets("Unusual shape, for review", lines)


def brief(statistic: Statistic) -> str:
    """Return the figure, or a dash where nothing was there to measure."""
    text = figure_text(statistic)
    return "-" if text.startswith("undefined") else text


def _cut(text: str, n: int) -> str:
    """Return a table and how many of its `n` rows it leaves out."""
    return text if n <= MOST_ROWS else f"{text}\n... and {n - MOST_ROWS} more (--json has all)"


def some(ids: Sequence[str], most: int = 8) -> str:
    """Return how many there are and the first of them; how many are left out is said."""
    shown = ", ".join(one_line(one) for one in ids[:most])
    more = f" and {len(ids) - most} more: --json has all" if len(ids) > most else ""
    return f"{len(ids)} ({shown}{more})"


def _word(value: object) -> str:
    words = {None: "-", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else one_line(str(value))
