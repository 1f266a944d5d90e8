"""Recompute every number of an approval and name what differs."""

from __future__ import annotations

import math
from typing import Any

from judgekit.approval.evidence import Evidence, figures_of, items_hash
from judgekit.approval.record import Approval
from judgekit.model.base import Record
from judgekit.model.fingerprint import Fingerprint

TOLERANCE = 1e-9
"""Last digits may differ between builds of the numeric libraries; decisions never hang on them."""


class Difference(Record):
    """One recorded value that does not recompute."""

    name: str
    recorded: str
    now: str


def verify(approval: Approval, evidence: Evidence) -> tuple[Difference, ...]:
    """Return what differs between the approval and the evidence as it is now; () = all holds."""
    report = evidence.report
    recorded = approval.model_dump(mode="json")
    now: dict[str, Any] = {
        "fingerprint": evidence.fingerprint.value,
        "components": evidence.fingerprint.components,
        "reference": report["reference"],
        "labels_hash": evidence.labels_hash,
        "verdicts_hash": evidence.verdicts_hash,
        "items_hash": items_hash(evidence.items),
        "n_pairs": report["n_pairs"],
        "n_groups": report["n_groups"],
        "confusion": report["confusion"],
        "figures": figures_of(report),
        "conditions": list(report["conditions"]),
        "policy": evidence.policy.model_dump(mode="json"),
        "models": list(evidence.models),
        "origins": evidence.origins,
    }
    found = [d for name, value in now.items() for d in _compare(name, recorded[name], value)]
    if report.get("decision") != "approved":
        found.append(
            Difference(name="decision", recorded="approved", now=str(report.get("decision")))
        )
    return tuple(found)


def current_fingerprint(approval: Approval, current: Fingerprint) -> tuple[Difference, ...]:
    """Return the components of the judge, as it would run now, that were not approved so."""
    now = current.components
    return tuple(
        Difference(
            name=f"current.{name}",
            recorded=_short(approval.components.get(name)),
            now=_short(now.get(name)),
        )
        for name in current.changed(approval.components)
    )


def _compare(name: str, old: Any, new: Any) -> list[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(set(old) | set(new))
        return [d for k in keys for d in _compare(f"{name}.{k}", old.get(k), new.get(k))]
    if isinstance(old, list | tuple) and isinstance(new, list | tuple) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [d for i, (a, b) in pairs for d in _compare(f"{name}[{i}]", a, b)]
    if old == new or _near(old, new):
        return []
    return [Difference(name=name, recorded=_short(old), now=_short(new))]


def _near(old: Any, new: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (old, new))
    return numbers and math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _short(value: Any) -> str:
    text = "absent" if value is None else str(value)
    return text if len(text) <= 80 else text[:77] + "..."
