"""judgekit: decide whether an LLM judge may be trusted.

Public names are loaded when first used, so that `import judgekit` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "judgekit.errors": (
        "ApprovalError",
        "BudgetExceeded",
        "CriterionMismatch",
        "FingerprintChanged",
        "InputError",
        "ItemError",
        "JudgekitError",
        "LabelConflict",
        "NotApproved",
        "NotRun",
        "ProviderFailed",
        "RubricError",
        "StoreFailed",
        "UsageError",
    ),
    "judgekit.model.fingerprint": ("Fingerprint",),
    "judgekit.model.grader": ("Grader",),
    "judgekit.model.item": ("Item",),
    "judgekit.model.label": ("Label",),
    "judgekit.model.policy": ("Policy",),
    "judgekit.model.rubric": ("Criterion", "FailureMode", "Rubric"),
    "judgekit.model.trial": ("Trial",),
    "judgekit.model.verdict": ("Attempt", "Usage", "Verdict"),
    "judgekit.stats.estimate": ("Estimate", "Undefined"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "__version__"])


def __getattr__(name: str) -> Any:
    """Load a public name from its module (PEP 562)."""
    if name == "__version__":
        value: Any = _version()
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'judgekit' has no attribute {name!r}")
    globals()[name] = value
    return value


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("judgekit-calibration")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+source"


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)
