"""judgekit: decide whether an LLM judge may be trusted.

Public names are loaded when first used, so that `import judgekit` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgekit.approval.approve import ApprovalResult as ApprovalResult
    from judgekit.approval.approve import approve as approve
    from judgekit.approval.approve import revoke as revoke
    from judgekit.approval.lockfile import read_lock as read_lock
    from judgekit.approval.record import Approval as Approval
    from judgekit.approval.record import Lock as Lock
    from judgekit.approval.verify import verify as verify
    from judgekit.calibration.arrays import calibrate_arrays as calibrate_arrays
    from judgekit.calibration.calibrate import CalibrationRequest as CalibrationRequest
    from judgekit.calibration.calibrate import calibrate as calibrate
    from judgekit.calibration.calibrate import calibrate_family as calibrate_family
    from judgekit.calibration.report import CalibrationReport as CalibrationReport
    from judgekit.errors import ApprovalError as ApprovalError
    from judgekit.errors import BudgetExceeded as BudgetExceeded
    from judgekit.errors import CriterionMismatch as CriterionMismatch
    from judgekit.errors import FingerprintChanged as FingerprintChanged
    from judgekit.errors import InputError as InputError
    from judgekit.errors import ItemError as ItemError
    from judgekit.errors import JudgekitError as JudgekitError
    from judgekit.errors import LabelConflict as LabelConflict
    from judgekit.errors import NoRate as NoRate
    from judgekit.errors import NotApproved as NotApproved
    from judgekit.errors import NotRun as NotRun
    from judgekit.errors import NoVerdicts as NoVerdicts
    from judgekit.errors import ProviderFailed as ProviderFailed
    from judgekit.errors import RubricError as RubricError
    from judgekit.errors import StoreFailed as StoreFailed
    from judgekit.errors import UsageError as UsageError
    from judgekit.gate.report import GateReport as GateReport
    from judgekit.gate.suite import run_gate as run_gate
    from judgekit.model.fingerprint import Fingerprint as Fingerprint
    from judgekit.model.grader import Grader as Grader
    from judgekit.model.item import Item as Item
    from judgekit.model.label import Label as Label
    from judgekit.model.policy import Policy as Policy
    from judgekit.model.rubric import Criterion as Criterion
    from judgekit.model.rubric import FailureMode as FailureMode
    from judgekit.model.rubric import Rubric as Rubric
    from judgekit.model.trial import Trial as Trial
    from judgekit.model.verdict import Attempt as Attempt
    from judgekit.model.verdict import Usage as Usage
    from judgekit.model.verdict import Verdict as Verdict
    from judgekit.runs.report import RunReport as RunReport
    from judgekit.runs.runner import run as run
    from judgekit.stats.estimate import Estimate as Estimate
    from judgekit.stats.estimate import Undefined as Undefined
    from judgekit.store.dataset import Dataset as Dataset
    from judgekit.store.dataset import load_dataset as load_dataset
    from judgekit.store.mapping import load_mapping as load_mapping
    from judgekit.store.readers import read_items as read_items
    from judgekit.store.readers import read_labels as read_labels
    from judgekit.store.recorded import read_verdicts as read_verdicts
    from judgekit.store.rubrics import load_rubric as load_rubric
    from judgekit.store.workspace import Workspace as Workspace
    from judgekit.store.workspace import find_workspace as find_workspace
    from judgekit.trials.cassette import Cassette as Cassette
    from judgekit.trials.cassette import open_cassette as open_cassette
    from judgekit.wiring import build_grader as build_grader
    from judgekit.wiring import build_graders as build_graders
    from judgekit.wiring import load_verdicts as load_verdicts

_HOMES = {
    "judgekit.approval.approve": (
        "ApprovalResult",
        "approve",
        "revoke",
    ),
    "judgekit.approval.lockfile": ("read_lock",),
    "judgekit.approval.record": (
        "Approval",
        "Lock",
    ),
    "judgekit.approval.verify": ("verify",),
    "judgekit.calibration.arrays": ("calibrate_arrays",),
    "judgekit.calibration.calibrate": (
        "CalibrationRequest",
        "calibrate",
        "calibrate_family",
    ),
    "judgekit.calibration.report": ("CalibrationReport",),
    "judgekit.errors": (
        "ApprovalError",
        "BudgetExceeded",
        "CriterionMismatch",
        "FingerprintChanged",
        "InputError",
        "ItemError",
        "JudgekitError",
        "LabelConflict",
        "NoRate",
        "NoVerdicts",
        "NotApproved",
        "NotRun",
        "ProviderFailed",
        "RubricError",
        "StoreFailed",
        "UsageError",
    ),
    "judgekit.gate.report": ("GateReport",),
    "judgekit.gate.suite": ("run_gate",),
    "judgekit.model.fingerprint": ("Fingerprint",),
    "judgekit.model.grader": ("Grader",),
    "judgekit.model.item": ("Item",),
    "judgekit.model.label": ("Label",),
    "judgekit.model.policy": ("Policy",),
    "judgekit.model.rubric": (
        "Criterion",
        "FailureMode",
        "Rubric",
    ),
    "judgekit.model.trial": ("Trial",),
    "judgekit.model.verdict": (
        "Attempt",
        "Usage",
        "Verdict",
    ),
    "judgekit.runs.report": ("RunReport",),
    "judgekit.runs.runner": ("run",),
    "judgekit.stats.estimate": (
        "Estimate",
        "Undefined",
    ),
    "judgekit.store.dataset": (
        "Dataset",
        "load_dataset",
    ),
    "judgekit.store.mapping": ("load_mapping",),
    "judgekit.store.readers": (
        "read_items",
        "read_labels",
    ),
    "judgekit.store.recorded": ("read_verdicts",),
    "judgekit.store.rubrics": ("load_rubric",),
    "judgekit.store.workspace": (
        "Workspace",
        "find_workspace",
    ),
    "judgekit.trials.cassette": (
        "Cassette",
        "open_cassette",
    ),
    "judgekit.wiring": (
        "build_grader",
        "build_graders",
        "load_verdicts",
    ),
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
