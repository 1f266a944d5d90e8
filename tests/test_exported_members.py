from __future__ import annotations

import subprocess
import sys

import judgekit

EXPECTED = [
    "ApprovalError",
    "Attempt",
    "BudgetExceeded",
    "Criterion",
    "CriterionMismatch",
    "Estimate",
    "FailureMode",
    "Fingerprint",
    "FingerprintChanged",
    "Grader",
    "InputError",
    "Item",
    "ItemError",
    "JudgekitError",
    "Label",
    "LabelConflict",
    "NotApproved",
    "NotRun",
    "Policy",
    "ProviderFailed",
    "Rubric",
    "RubricError",
    "StoreFailed",
    "Trial",
    "Undefined",
    "Usage",
    "UsageError",
    "Verdict",
    "__version__",
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


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    assert not hasattr(judgekit, "nothing_of_that_name")


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert _loaded_after("import judgekit") == ""


def test_the_help_page_loads_nothing_heavy() -> None:
    code = "from judgekit.cli.main import run_cli; assert run_cli(['--help']) == 0"
    assert _loaded_after(code) == ""
