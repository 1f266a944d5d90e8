"""What a fault is, what a detector sees, and the registry of detectors."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from importlib import import_module

import judgekit.scorers.faults as package
from judgekit.model.base import Record
from judgekit.model.case import Case
from judgekit.model.comparators.base import MISSING
from judgekit.model.comparators.exact import json_equal
from judgekit.model.golden import ToolPath
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import ToolCall, Trial
from judgekit.model.trial_score import Fault, PathMatch
from judgekit.registry import Registry
from judgekit.scorers.field_scoring import found_value
from judgekit.scorers.said import read_json
from judgekit.scorers.trajectory.arguments import pair_calls
from judgekit.scorers.trajectory.assignment import Pairs
from judgekit.scorers.trajectory.calls import Call, call_key, calls_of
from judgekit.scorers.trajectory.paths import WantedCall, best_path, wanted_calls


class Seen(Record):
    """What a detector sees of one trial: the case, the rules, and how its best path matches."""

    case: Case
    trial: Trial
    rules: ScoringRules
    path: PathMatch | None

    @classmethod
    def of(cls, case: Case, trial: Trial, rules: ScoringRules) -> Seen:
        """Return what is seen of a trial; the path is the valid one that fits best.

        There is none for a trial that failed through no fault of the agent.
        """
        judged = trial.ending != "infrastructure"
        path = best_path(case.scored_paths, calls_of(trial), rules.tools) if judged else None
        return cls.model_construct(case=case, trial=trial, rules=rules, path=path)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Return the calls of the trial in order."""
        return calls_of(self.trial)

    @cached_property
    def raw(self) -> tuple[ToolCall, ...]:
        """Return the recorded calls, with results and errors, in the same order.

        Calls that are only inside messages get the content of the message that answers them.
        """
        if self.trial.tool_calls:
            return self.trial.tool_calls
        answers = {
            message.tool_call_id: message.content
            for message in self.trial.messages
            if message.role == "tool" and message.tool_call_id is not None
        }
        return tuple(
            call.model_copy(update={"result": answers[call.id]})
            if call.result is None and call.error is None and call.id in answers
            else call
            for call in self.trial.calls
        )

    @cached_property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Return what equal calls share, for each call."""
        return tuple(call_key(call) for call in self.calls)

    @cached_property
    def matched_keys(self) -> tuple[tuple[str, str], ...]:
        """Return what equal calls share, for each call that is compared with the path."""
        return tuple(self.keys[call.position] for call in self.matched_calls)

    @cached_property
    def matched_calls(self) -> tuple[Call, ...]:
        """Return the calls that are compared with the path: all but those of ignored tools."""
        return tuple(call for call in self.calls if call.name not in self.rules.tools.ignore)

    @property
    def expected_path(self) -> ToolPath | None:
        """Return the valid path that fits best."""
        return None if self.path is None else self.case.scored_paths[self.path.path]

    @cached_property
    def wanted(self) -> tuple[WantedCall, ...]:
        """Return the expected calls of that path; none where there is no path."""
        path = self.expected_path
        return () if path is None else wanted_calls(path, self.rules.tools)

    @cached_property
    def pairs(self) -> Pairs:
        """Return (place in `wanted`, place in `matched_calls`) of calls that belong together."""
        return pair_calls(self.wanted, self.matched_calls, self.identifiers)

    @cached_property
    def identifiers(self) -> Mapping[str, tuple[str, ...]]:
        """Return the arguments that name the thing a call is about, by tool."""
        return {spec.name: spec.identifier for spec in self.rules.tools.specs if spec.identifier}

    @cached_property
    def answer(self) -> str | None:
        """Return the agent's last words: its last message with text and without a call."""
        for message in reversed(self.trial.messages):
            if message.role == "assistant" and message.content and not message.tool_calls:
                return message.content
        return None

    def succeeded(self, position: int) -> bool:
        """Tell whether the call at a position came back without an error and as it should.

        What it should hold is `succeeded` of the rules; a result that was not recorded passes.
        """
        return self._succeeded[position]

    @cached_property
    def _succeeded(self) -> tuple[bool, ...]:
        return tuple(self._came_back(position) for position in range(len(self.calls)))

    def _came_back(self, position: int) -> bool:
        made = self.raw[position]
        if made.error is not None or self.calls[position].fault is not None:
            return False
        wanted = self.rules.tools.succeeded.get(made.name)
        result = read_json(made.result) if wanted else None
        return (
            not wanted
            or result is None
            or all(
                json_equal(value, found_value(result, key) if isinstance(result, dict) else MISSING)
                for key, value in wanted.items()
            )
        )

    def is_retry(self, position: int) -> bool:
        """Tell whether a call repeats an equal one that had failed."""
        key = self.keys[position]
        earlier = next((at for at in reversed(range(position)) if self.keys[at] == key), None)
        return earlier is not None and not self.succeeded(earlier)


Detector = Callable[[Seen], Iterable[Fault]]
_registry: Registry[Detector] = Registry("fault detector", group="judgekit.faults")
_against_expected: set[str] = set()


def detector(function: Detector) -> Detector:
    """Register a detector `(Seen) -> faults` under its own name, the kind of its faults."""
    _registry.add(function.__name__, lambda: function)
    return function


def against_expected(function: Detector) -> Detector:
    """Mark a detector that asks what was expected: its faults cannot be seen while a trial runs."""
    _against_expected.add(function.__name__)
    return function


@cache
def kinds_against_expected() -> frozenset[str]:
    """Return the kinds of fault that are found against the expected results."""
    return frozenset(_against_expected & set(detectors()))


@cache
def detectors() -> Registry[Detector]:
    """Return the registry with the detectors of this package."""
    for entry in pkgutil.iter_modules(package.__path__):
        if entry.name != "base":
            import_module(f"{package.__name__}.{entry.name}")
    return _registry


def find_faults(case: Case, trial: Trial, rules: ScoringRules) -> tuple[Fault, ...]:
    """Return every fault of a trial, by position and kind.

    A trial that failed through no fault of the agent has none.
    """
    return faults_in(Seen.of(case, trial, rules))


def faults_in(seen: Seen) -> tuple[Fault, ...]:
    """Return every fault of what was seen, by position and kind."""
    if seen.trial.ending == "infrastructure":
        return ()
    known = detectors()
    found = [fault for name in known for fault in known.get(name)(seen)]
    return tuple(sorted(found, key=_place))


def _place(fault: Fault) -> tuple[int, int, str]:
    """Sort by the call; faults of no one call come last, causes before what follows from them."""
    last = 1 << 30
    rank = _LATE.index(fault.kind) if fault.kind in _LATE else -1
    return (last if fault.position is None else fault.position, rank, fault.kind)


_LATE = ("premature_answer", "omitted_call", "stopped_early", "false_claim", "over_cap")
