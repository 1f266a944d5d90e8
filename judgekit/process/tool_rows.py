"""What the calls of all trials say about each tool, and about each way of matching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from judgekit.model.trial_score import ArgumentFinding, Fault, SequenceMatch, TrialScore
from judgekit.process.rates import Row, share
from judgekit.process.score_records import (
    ArgumentRow,
    Distance,
    ModeRow,
    OmissionRow,
    Swap,
    ToolRow,
)
from judgekit.scorers.trajectory.matching import MODES
from judgekit.stats.estimate import Statistic

NO_PATH = "no case has an expected path"
NOT_EXPECTED = "never expected"
NOT_CALLED = "never called"
NO_ARGUMENT = "no argument to compare"
_TOLD = ("right", "wrong", "missing")
"""What is known of an argument of a call that was made."""


def mode_rows(scores: Sequence[TrialScore]) -> tuple[ModeRow, ...]:
    """Return how many trials pass under each way of matching, whatever the paths' own mode."""
    paths = [(score.group, score.path) for score in scores if score.path is not None]
    if not paths:
        return ()
    found = []
    for what in ("calls", "names", "writes"):
        matches = [(group, getattr(path, what)) for group, path in paths]
        known = [(group, modes) for group, modes in matches if modes is not None]
        for mode in MODES if known else ():
            found.append(_mode_row(what, mode, [(g, getattr(m, mode)) for g, m in known]))
    return tuple(found)


def tool_rows(scores: Sequence[TrialScore]) -> tuple[ToolRow, ...]:
    """Return one row for each tool that was expected or called, over trials that can be judged."""
    usable = [score for score in scores if score.ending != "infrastructure"]
    tools = sorted(
        {name for score in usable for name in (*score.expected_tools, *score.called_tools)}
        | {fault.tool for score in usable for fault in score.faults if fault.tool is not None}
    )
    return tuple(_tool_row(tool, usable) for tool in tools)


def argument_rows(scores: Sequence[TrialScore]) -> tuple[ArgumentRow, ...]:
    """Return one row for each expected argument of each tool, over trials that can be judged."""
    found: dict[tuple[str, str], list[tuple[str, ArgumentFinding]]] = {}
    for score in scores:
        if score.arguments is not None and score.ending != "infrastructure":
            for one in score.arguments.findings:
                found.setdefault((one.tool, one.key), []).append((score.group, one))
    return tuple(_argument_row(tool, key, found[tool, key]) for tool, key in sorted(found))


def omission_rows(scores: Sequence[TrialScore]) -> tuple[OmissionRow, ...]:
    """Return how often each expected tool was left out, by scenario class."""
    found = []
    for tool in sorted({name for score in scores for name in score.expected_tools}):
        classes = {score.scenario for score in scores if tool in score.expected_tools}
        for name in sorted(classes, key=lambda one: (one is None, one)):
            within = [score for score in scores if score.scenario == name]
            found.append(OmissionRow(tool=tool, scenario=name, omission=omitted(within, tool)))
    return tuple(found)


def omitted(scores: Iterable[TrialScore], tool: str | None) -> Statistic:
    """Return the share of expected calls (of one tool, or of all) that were not made."""
    return share(_omissions(scores, tool), NOT_EXPECTED)


def swaps(scores: Iterable[TrialScore]) -> tuple[Swap, ...]:
    """Return the confusion table: what was called where which tool was expected."""
    found: Counter[tuple[str, str | None]] = Counter()
    for score in scores:
        for fault in score.faults:
            if fault.kind == "wrong_tool" and fault.expected_tool is not None:
                found[fault.expected_tool, fault.tool] += 1
            elif fault.kind == "omitted_call" and fault.tool is not None:
                found[fault.tool, None] += 1
    order = sorted(found.items(), key=lambda one: (-one[1], one[0][0], one[0][1] or ""))
    return tuple(Swap(expected=pair[0], called=pair[1], n=n) for pair, n in order)


def distances(scores: Iterable[TrialScore]) -> Distance:
    """Return how far the trials are from the nearest valid path."""
    found = [(score.group, score.distance) for score in scores if score.distance is not None]
    far = [distance for _, distance in found]
    return Distance(
        on_path=share([(group, distance == 0) for group, distance in found], NO_PATH),
        median=median(far) if far else None,
        worst=max(far, default=None),
    )


def _mode_row(what: str, mode: str, matches: Sequence[tuple[str, SequenceMatch]]) -> ModeRow:
    return ModeRow(
        what=what,
        mode=mode,
        passed=share([(group, match.passed) for group, match in matches], NO_PATH),
        recall=share(_units(matches, "n_expected"), "no call was expected"),
        precision=share(_units(matches, "n_called"), "no call was made"),
    )


def _units(matches: Iterable[tuple[str, SequenceMatch]], of: str) -> Iterator[Row]:
    for group, match in matches:
        for place in range(getattr(match, of)):
            yield group, place < match.matched


def _tool_row(tool: str, scores: Sequence[TrialScore]) -> ToolRow:
    return ToolRow(
        tool=tool,
        n_expected=sum(score.expected_tools.count(tool) for score in scores),
        n_called=sum(score.called_tools.count(tool) for score in scores),
        omission=omitted(scores, tool),
        wrong=share(_calls_with("wrong_tool", tool, scores), NOT_CALLED),
        malformed=share(_calls_with("malformed_arguments", tool, scores), NOT_CALLED),
        arguments=share(_arguments(tool, scores), NO_ARGUMENT),
        faults=_faults(tool, scores),
    )


def _argument_row(tool: str, key: str, found: Sequence[tuple[str, ArgumentFinding]]) -> ArgumentRow:
    count = Counter(one.status for _, one in found)
    told = [(group, one.status) for group, one in found if one.status in _TOLD]
    return ArgumentRow(
        tool=tool,
        key=key,
        right=share([(group, status == "right") for group, status in told], NO_ARGUMENT),
        wrong=count["wrong"],
        missing=count["missing"],
        undecided=count["undecided"],
        not_called=count["not_called"],
    )


def _faults(tool: str, scores: Iterable[TrialScore]) -> dict[str, int]:
    found = Counter(one.kind for score in scores for one in score.faults if one.tool == tool)
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _omissions(scores: Iterable[TrialScore], tool: str | None) -> Iterator[Row]:
    for score in scores:
        expected = Counter(n for n in score.expected_tools if tool is None or n == tool)
        lacking = (expected - Counter(score.called_tools)).total()
        for place in range(expected.total()):
            yield score.group, place < lacking


def _calls_with(kind: str, tool: str, scores: Iterable[TrialScore]) -> Iterator[Row]:
    for score in scores:
        at_fault = len({f.position for f in score.faults if _is(f, kind, tool)})
        for place in range(score.called_tools.count(tool)):
            yield score.group, place < at_fault


def _is(fault: Fault, kind: str, tool: str) -> bool:
    return fault.kind == kind and fault.tool == tool and fault.severity == "fault"


def _arguments(tool: str, scores: Iterable[TrialScore]) -> Iterator[Row]:
    for score in scores:
        for one in score.arguments.findings if score.arguments is not None else ():
            if one.tool == tool and one.status in _TOLD:
                yield score.group, one.status == "right"
