"""Short ways to write a case, a trial and rules, and to ask for the faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.model.trial_score import Fault
from judgekit.scorers.faults.base import find_faults

Call = str | dict[str, Any]


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def failed(name: str, **arguments: Any) -> dict[str, Any]:
    return {**call(name, **arguments), "error": "429"}


def gave(result: Any, name: str, **arguments: Any) -> dict[str, Any]:
    return {**call(name, **arguments), "result": result}


def rules(**given: Any) -> ScoringRules:
    """Return rules; `caps` apart, every name is one of `tools`."""
    caps = {"caps": given.pop("caps")} if "caps" in given else {}
    return ScoringRules.model_validate({"schema": 1, "name": "desk", "tools": given, **caps})


def wanted(one: Call) -> dict[str, Any]:
    body = call(one) if isinstance(one, str) else dict(one)
    arguments = {key: {"value": value} for key, value in body.pop("arguments").items()}
    return {"tool": body.pop("name"), "arguments": arguments, **body}


def case(*paths: Sequence[Call], match: str = "in_order", id: str = "c", **given: Any) -> Case:
    listed = {
        f"p{n}": {"match": match, "calls": [wanted(one) for one in path]}
        for n, path in enumerate(paths, 1)
    }
    return Case.model_validate({"id": id, "paths": listed, **given})


def trial(*calls: Call, say: str | None = None, **given: Any) -> Trial:
    listed = [call(one) if isinstance(one, str) else one for one in calls]
    messages = [] if say is None else [{"role": "assistant", "content": say}]
    body = {"tool_calls": listed, "messages": messages, "ending": "finished", **given}
    return Trial.model_validate(body)


def faults(of: Case, made: Trial, under: ScoringRules | None = None) -> list[Fault]:
    return list(find_faults(of, made, under or rules()))


def kinds(of: Case, made: Trial, under: ScoringRules | None = None) -> list[str]:
    return [fault.kind for fault in faults(of, made, under)]
