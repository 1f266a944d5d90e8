from __future__ import annotations

import pytest

from judgekit.errors import InputError
from judgekit.model.item import Item
from judgekit.model.rubric import Criterion, FailureMode, Rubric
from judgekit.model.verdict import Verdict
from judgekit.scorers.python_function import PythonGrader
from judgekit.scorers.recorded import RecordedGrader

ITEM = Item(id="a", output="We refund 10 EUR.")
RUBRIC = Rubric(
    name="r",
    task="t",
    criteria=(Criterion(id="amount", description="d"), Criterion(id="polite", description="d")),
    failure_modes=(FailureMode(id="vague", description="d"),),
)


def workspace(root, body, name="checks"):
    folder = root / "my_graders"
    folder.mkdir(exist_ok=True)
    (folder / "rules.py").write_text("LIMIT = 10\n")
    (folder / f"{name}.py").write_text(f"from my_graders.rules import LIMIT\n{body}\n")
    return root


def grader(root, body, *, rubric=None, function="my_graders.checks:grade"):
    return PythonGrader("p", function, rubric, workspace(root, body))


@pytest.mark.parametrize(
    ("value", "status", "passed"),
    [
        ("True", "scored", True),
        ("False", "scored", False),
        (
            "{'passed': False, 'failed_criteria': ['amount'], 'failure_mode': 'vague'}",
            "scored",
            False,
        ),
        ("{'passed': None}", "abstained", None),
        ("{'passed': True, 'abstain': True}", "abstained", None),
        ("1", "invalid", None),
        ("{'passed': 'yes'}", "invalid", None),
        ("{'passed': True, 'other': 1}", "invalid", None),
        ("{'passed': True, 'failed_criteria': ['amount']}", "invalid", None),
        ("{'passed': False, 'failed_criteria': ['unknown']}", "invalid", None),
        ("{'passed': False, 'failure_mode': 'unknown'}", "invalid", None),
        ("1 / 0", "failed", None),
    ],
)
async def test_what_the_function_returns_becomes_a_status(tmp_path, value, status, passed):
    found = await grader(tmp_path, f"def grade(item): return {value}", rubric=RUBRIC).grade(ITEM)
    assert (found.status, found.passed) == (status, passed), found.reason


@pytest.mark.parametrize(
    ("value", "criteria", "passed", "failed"),
    [
        ("False", ("amount",), (), ("amount",)),
        ("True", ("amount",), ("amount",), ()),
        ("False", ("amount", "polite"), (), ()),
        ("True", ("amount", "polite"), ("amount", "polite"), ()),
        (
            "{'passed': False, 'failed_criteria': ['polite']}",
            ("amount", "polite"),
            ("amount",),
            ("polite",),
        ),
    ],
)
async def test_a_fail_never_lists_as_passed_a_criterion_that_it_says_nothing_of(
    tmp_path, value, criteria, passed, failed
):
    asked = tuple(Criterion(id=name, description="d") for name in criteria)
    rubric = RUBRIC.model_copy(update={"criteria": asked})
    found = await grader(tmp_path, f"def grade(item): return {value}", rubric=rubric).grade(ITEM)
    assert (found.status, found.passed_criteria, found.failed_criteria) == (
        "scored",
        passed,
        failed,
    )


async def test_an_async_function_is_awaited_and_sees_the_item(tmp_path):
    result = "{'passed': str(LIMIT) in item.output, 'evidence': ['10 EUR']}"
    body = f"async def grade(item): return {result}"
    found = await grader(tmp_path, body).grade(ITEM)
    assert (found.status, found.passed, found.evidence) == ("scored", True, ("10 EUR",))


async def test_an_exception_is_a_failed_verdict_that_names_it(tmp_path):
    found = await grader(tmp_path, "def grade(item): raise ValueError('no')").grade(ITEM)
    assert (found.status, found.kind, found.reason) == ("failed", "grader", "ValueError: no")


def test_the_fingerprint_follows_the_source_and_its_imports(tmp_path):
    body = "def grade(item): return True"
    first = grader(tmp_path, body).fingerprint
    assert grader(tmp_path, body).fingerprint == first
    changed = grader(tmp_path, "def grade(item): return False").fingerprint
    assert first.changed(changed.components) == ("source",)
    grader(tmp_path, body)
    (tmp_path / "my_graders" / "rules.py").write_text("LIMIT = 11\n")
    imported = PythonGrader("p", "my_graders.checks:grade", None, tmp_path).fingerprint
    assert first.changed(imported.components) == ("source",)
    (tmp_path / "my_graders" / "rules.py").write_bytes(b"LIMIT = 10\r\n")
    assert PythonGrader("p", "my_graders.checks:grade", None, tmp_path).fingerprint == first
    (tmp_path / "my_graders" / "unrelated.py").write_text("x = 1\n")
    assert PythonGrader("p", "my_graders.checks:grade", None, tmp_path).fingerprint == first


async def test_two_workspaces_with_the_same_module_name_do_not_mix(tmp_path):
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
    yes = grader(roots[0], "def grade(item): return True")
    no = grader(roots[1], "def grade(item): return False")
    assert [(await one.grade(ITEM)).passed for one in (yes, no)] == [True, False]


@pytest.mark.parametrize(
    "function", ["my_graders.checks:absent", "absent:grade", "json:dumps", "x"]
)
def test_a_function_that_is_not_in_the_workspace_is_refused(tmp_path, function):
    with pytest.raises(InputError):
        grader(tmp_path, "def grade(item): return True", function=function)


def test_a_module_that_does_not_compile_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match=r"checks.py is not valid Python"):
        grader(tmp_path, "def grade(item) return True")


async def test_recorded_verdicts_are_given_by_item_and_regrade():
    fields = {"item_id": "a", "grader": "old", "fingerprint": "x", "item_hash": ""}
    recorded = Verdict(**fields, status="scored", passed=True)
    one = RecordedGrader("rec", (recorded,), "sha256:f")
    found = await one.grade(ITEM)
    assert (found.passed, found.grader, found.item_hash) == (True, "rec", ITEM.content_hash)
    assert found.fingerprint == one.fingerprint.value
    missing = await one.grade(ITEM, regrade=1)
    assert (missing.status, missing.kind, one.kind) == ("failed", "grader", "recorded")


@pytest.mark.parametrize("word", ["def", "async def"])
async def test_a_function_that_exits_is_failed_with_its_code(tmp_path, word, capsys):
    body = f"import sys\n{word} grade(item): sys.exit(0)"
    found = await grader(tmp_path, body).grade(ITEM)
    assert (found.status, found.kind) == ("failed", "grader")
    assert "Traceback" not in capsys.readouterr().err
