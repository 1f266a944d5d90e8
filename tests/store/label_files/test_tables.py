from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.model.label import Label
from judgekit.store.label_files.tables import csv_text, labels_csv, read_cell, safe_cell

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


@pytest.mark.parametrize(
    "text",
    ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "'=1"],
)
def test_a_cell_like_a_formula_is_quoted_and_comes_back(text: str) -> None:
    """M9, acceptance E."""
    assert safe_cell(text) == f"'{text}"
    assert read_cell(safe_cell(text)) == text


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_no_cell_starts_a_formula_and_every_cell_is_reversible(text: str) -> None:
    written = csv_text([{"a": text}], ["a"])
    cell = next(csv.reader(io.StringIO(written.split("\n", 1)[1], newline=""), strict=True))[0]
    assert not cell.lstrip(" ").startswith(FORMULAS)
    assert read_cell(cell) == text


def test_labels_are_one_row_each_with_a_fixed_header() -> None:
    label = Label(
        item_id="-1", annotator="ana", label="fail", note='=HYPERLINK("x")', evidence=("a",)
    )
    rows = list(csv.reader(io.StringIO(labels_csv([label]))))
    assert rows[0][:4] == ["item_id", "criterion", "annotator", "label"]
    assert rows[1][:7] == [
        "'-1", "_overall", "ana", "fail", "", '["a"]', "'=HYPERLINK(\"x\")",
    ]  # fmt: skip


def test_what_utf8_cannot_hold_does_not_break_the_file() -> None:
    assert csv_text([{"a": "\ud800x\0"}], ["a"]).encode("utf-8")


def test_no_rows_are_a_header() -> None:
    assert csv_text([], ["a", "=b"]) == '"a","\'=b"\n'
