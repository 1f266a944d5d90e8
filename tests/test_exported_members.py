from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import judgekit

EXPECTED = [
    "Approval",
    "ApprovalError",
    "ApprovalResult",
    "Attempt",
    "BudgetExceeded",
    "CalibrationReport",
    "CalibrationRequest",
    "Cassette",
    "Criterion",
    "CriterionMismatch",
    "Dataset",
    "Estimate",
    "FailureMode",
    "Fingerprint",
    "FingerprintChanged",
    "GateReport",
    "Grader",
    "InputError",
    "Item",
    "ItemError",
    "JudgekitError",
    "Label",
    "LabelConflict",
    "Lock",
    "NoRate",
    "NoVerdicts",
    "NotApproved",
    "NotRun",
    "Policy",
    "ProviderFailed",
    "Rubric",
    "RubricError",
    "RunReport",
    "StoreFailed",
    "Trial",
    "Undefined",
    "Usage",
    "UsageError",
    "Verdict",
    "Workspace",
    "__version__",
    "approve",
    "build_grader",
    "build_graders",
    "calibrate",
    "calibrate_arrays",
    "calibrate_family",
    "find_workspace",
    "load_dataset",
    "load_mapping",
    "load_rubric",
    "load_verdicts",
    "open_cassette",
    "read_items",
    "read_labels",
    "read_lock",
    "read_verdicts",
    "revoke",
    "run",
    "run_gate",
    "verify",
]
HEAVY = [
    "anthropic",
    "instructor",
    "openai",
    "pandas",
    "scipy",
    "sklearn",
    "statsmodels",
    "streamlit",
]
PROBE = "import sys; print(*sorted(m for m in {heavy} if m in sys.modules))"


def _loaded_after(code: str) -> str:
    probe = PROBE.format(heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{probe}"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1]


def test_the_public_names_are_these_and_sorted() -> None:
    assert judgekit.__all__ == EXPECTED
    assert sorted(EXPECTED) == EXPECTED
    assert dir(judgekit) == EXPECTED


def test_every_public_name_can_be_had() -> None:
    for name in EXPECTED:
        assert getattr(judgekit, name) is not None


def test_what_a_type_checker_sees_is_what_is_exported() -> None:
    source = Path(judgekit.__file__).read_text(encoding="utf-8")
    block = source.split("if TYPE_CHECKING:")[1].split("_HOMES")[0]
    seen = {tuple(found) for found in re.findall(r"from (\S+) import \w+ as (\w+)", block)}
    real = {(module, name) for name, module in judgekit._HOME_OF.items()}
    assert seen == real


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    assert not hasattr(judgekit, "nothing_of_that_name")


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert _loaded_after("import judgekit") == ""


def test_the_help_page_loads_nothing_heavy() -> None:
    code = "from judgekit.cli.main import run_cli; assert run_cli(['--help']) == 0"
    assert _loaded_after(code) == ""
