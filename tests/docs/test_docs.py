from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

from judgekit.model.rubric import AtLeast, Criterion, Example, FailureMode, Rubric
from judgekit.providers.catalog import providers
from judgekit.scorers.base import scorers
from judgekit.store.mapping import Mapping
from judgekit.store.trial_mapping import ExpectedCalls, TrialMapping

ROOT = Path(__file__).resolve().parents[2]
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate_reference.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCKS = [
    pytest.param(page, block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S))
]
SESSIONS = re.findall(
    r"```pycon\n(.*?)```", (ROOT / "docs" / "reference" / "comparators.md").read_text(), re.S
)


@pytest.mark.parametrize("path", GENERATE["pages"](), ids=lambda path: path.name)
def test_generated_reference_pages_are_current(path: Path) -> None:
    # mend: python docs/generate_reference.py
    assert path.read_text(encoding="utf-8") == GENERATE["pages"]()[path]


def test_every_command_is_shown_in_use_or_explained() -> None:
    names = re.findall(r"^## judgekit (.+)$", GENERATE["commands_page"](), re.M)
    assert {"init", "doctor", "run", "calibrate", "approve", "gate"} <= set(names)
    written = "\n".join(
        page.read_text(encoding="utf-8") for page in PAGES if page.name != "commands.md"
    )
    assert [name for name in names if f"judgekit {name}" not in written] == []


@pytest.mark.parametrize("name", [*providers(), "python", "scorer", "recorded"])
def test_every_provider_is_documented(name: str) -> None:
    assert f"| `{name}` |" in (ROOT / "docs/reference/files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*scorers()])
def test_every_scorer_is_documented(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs/reference/files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", [Mapping, TrialMapping, ExpectedCalls])
def test_every_key_of_a_mapping_is_documented(model) -> None:
    page = (ROOT / "docs/reference/files.md").read_text(encoding="utf-8")
    _, _, section = page.partition("## Mapping files")
    text = section.partition("\n## ")[0]
    names = [field.alias or name for name, field in model.model_fields.items()]
    assert [name for name in names if f"`{name}`" not in text] == []


@pytest.mark.parametrize("model", [Rubric, Criterion, FailureMode, AtLeast, Example])
def test_every_rubric_field_is_documented(model) -> None:
    page = (ROOT / "docs/reference/rubric.md").read_text(encoding="utf-8")
    for name, field in model.model_fields.items():
        assert f"| `{field.alias or name}` |" in page


@pytest.mark.parametrize("block", SESSIONS)
def test_every_session_of_the_comparators_runs_as_it_is_typed(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "comparators", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_every_python_block_runs(page: Path, block: str) -> None:
    exec(compile(block, str(page), "exec"), {"__name__": "docs"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).is_file(), target


def test_the_docs_name_no_machine_path_and_no_missing_make_target() -> None:
    assert not re.search(r"/(work|root|tmp)/", TEXT)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make (\w+)`?$", TEXT, re.M)):
        assert f"\n{target}:" in makefile, target


def test_the_lock_file_pins_exactly_and_names_no_index() -> None:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    names = [line.partition("==")[0] for line in lines]
    assert names == sorted(set(names))
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[\w.]+", line)] == []
