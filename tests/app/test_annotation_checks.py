"""The table of numbered checks names each of them, and tests that are there and say so."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "annotation-checks.md"
COUNTS = {"H": 5, "L": 17, "A": 9, "E": 7, "C": 9, "D": 5, "P": 5, "M": 9, "X": 10}
CHECKS = [f"{letter}{n}" for letter, count in COUNTS.items() for n in range(1, count + 1)]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows() -> dict[str, list[tuple[str, str]]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [line.split("|") for line in lines if re.match(r"\| [A-Z]\d+ \|", line)]
    return {row[1].strip(): NAMED.findall(row[3]) for row in cells}


def functions_of(path: str) -> dict[str, str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {node.name: ast.get_docstring(node) or "" for node in functions}


def test_every_check_has_a_row() -> None:
    assert list(rows()) == CHECKS


@pytest.mark.parametrize("check", CHECKS)
def test_the_functions_of_a_check_are_there_and_name_it(check: str) -> None:
    named = rows()[check]

    assert named
    for path, test in named:
        assert re.search(rf"\b{check}\b", functions_of(path)[test]), (path, test)


def test_every_test_that_the_page_names_is_there() -> None:
    for path, test in NAMED.findall(PAGE.read_text(encoding="utf-8")):
        assert test in functions_of(path), (path, test)
