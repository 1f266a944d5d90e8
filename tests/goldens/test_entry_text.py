from __future__ import annotations

import json
from typing import Any

import pytest
from golden_records import BODY
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import InputError
from judgekit.goldens.entry_text import EntryTexts, parse_entry, read_entry
from judgekit.goldens.entry_words import Fault, expected_text, read_argument
from judgekit.model.expected import Expected

TEXTS = EntryTexts(
    fields="""
amount = 37.85 | as number absolute=0.01 unit="EUR"
coupon = missing
note = ""
# a remark for myself
refused_because = null | critical | weight 2.0
nested = {"inner": null, "list": []}
""",
    tools="""
lookup_order
  order = "R/1"
issue_refund
  amount = 37.85
path exact
hand_over | only these arguments
""",
    forbidden="delete_order | because not the customer's to ask",
    state="""
orders / "R/1"
  status = "refunded"
orders / "R/2" | absent
allow log
allow orders / * / updated_at
""",
    scenario="edge",
    failure_modes=("wrong_amount",),
)


def test_the_boxes_say_every_kind_of_expectation() -> None:
    """G12: fields, comparators, calls, several paths, forbidden calls, state, allowed changes."""
    expected = {key: BODY[key] for key in ("fields", "paths", "forbidden", "state", "scenario")}
    found = parse_entry(TEXTS)
    assert found == type(found).model_validate({**expected, "failure_modes": ["wrong_amount"]})


@pytest.mark.parametrize(
    ("box", "text", "line", "found", "expected"),
    [
        ("fields", "amount", 1, "'amount'", "name = VALUE"),
        ("fields", "amount =", 1, "no value", "null or missing"),
        (
            "fields",
            "\n\na = refunded",
            3,
            "'refunded', which is no JSON value",
            '"refunded" for text',
        ),
        ("fields", "a = 'x'", 1, "no JSON value", "for text"),
        ("fields", 'a = {"k": 1,}', 1, "broken JSON at column", "one JSON value"),
        ("fields", 'a = {"k": 1, "k": 2}', 1, '"k": 2', "twice"),
        ("fields", "a = NaN", 1, "NaN", "no JSON number"),
        ("fields", "a = 1 2", 1, "'1 2'", "for text"),
        ("fields", "a = 1\na = 2", 2, "'a' twice", "each field once"),
        ("fields", "a = 1 | critcal", 1, "'critcal'", "as KIND, critical or weight NUMBER"),
        ("fields", "a = 1 | weight x", 1, "'x'", "one JSON value"),
        ("fields", "a = 1 | weight 0", 1, "weight 0", "greater than 0"),
        ("fields", "a = 1 | as nmber", 1, "nmber", "number"),
        ("fields", "a = 1 | as number absolut=1", 1, "absolut", "absolute"),
        ("fields", 'a = "x" | as number', 1, "as number", "no number"),
        ("fields", "a = null | as number", 1, "as number", "no comparator"),
        ("fields", '"a = 1', 1, "a = 1", "closed"),
        ("fields", " = 1", 1, "= 1", "name = VALUE"),
        ("tools", "order = 1", 1, "an argument without its call", "name of a tool"),
        ("tools", "path sideways", 1, "'sideways'", "any_order"),
        ("tools", "look | only", 1, "'only'", "only these arguments"),
        ("tools", "look\na = 1\na = 1", 3, "'a' twice", "each argument"),
        ("forbidden", "look | cause x", 1, "'cause x'", "because WHY"),
        ("state", "orders", 1, "'orders'", "table / key"),
        ("state", "a / b / c", 1, "'a / b / c'", "at most 2"),
        ("state", "status = 1", 1, "a field without its row", "table / key"),
        ("state", "a / b | absent\nc = 1", 2, "a field without its row", "table / key"),
        ("state", "a / b | gone", 1, "'gone'", "absent"),
        ("state", "a / b\na / b", 2, "'b' twice", "each row once"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_with_what_was_found_and_expected(
    box: Any, text: str, line: int, found: str, expected: str
) -> None:
    """G12: every fault has box, line, found and expected."""
    faults = read_entry(EntryTexts(**{box: text})).faults
    assert [(fault.box, fault.line) for fault in faults] == [(box, line)]
    assert found in faults[0].found
    assert expected in faults[0].expected


def test_the_lines_without_a_fault_are_read_and_all_faults_are_told_at_once() -> None:
    """G12: one wrong line does not hide another, nor what is right."""
    texts = EntryTexts(fields="a = 1\nb = oops\nc = 2", tools="x = 1")
    read = read_entry(texts)
    assert list(read.expectation.fields) == ["a", "c"]
    with pytest.raises(InputError, match="2 lines of the entry cannot be read") as caught:
        parse_entry(texts)
    assert "fields, line 2" in str(caught.value)
    assert "tools, line 1" in str(caught.value)


def test_an_empty_entry_is_no_entry() -> None:
    with pytest.raises(InputError, match="expects nothing"):
        parse_entry(EntryTexts(fields="  \n# only a remark\n"))


def test_a_path_without_calls_expects_no_call_and_none_says_nothing() -> None:
    """G8: "no tool may be called" and "nothing is said about tools" are two things."""
    assert parse_entry(EntryTexts(tools="path exact")).paths["p1"].calls == ()
    assert read_entry(EntryTexts()).expectation.paths == {}


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
_NAMES = st.text(min_size=1, max_size=40)


@settings(deadline=None, derandomize=True)
@given(_NAMES, _JSON, st.booleans(), st.sampled_from([1.0, 2.5]))
def test_what_is_written_is_read_back(name: str, value: Any, critical: bool, weight: float) -> None:
    """G12: any name and any JSON value can be typed, also hostile ones."""
    kind = {"expect": "null"} if value is None else {"value": value}
    expected = Expected.model_validate({**kind, "critical": critical, "weight": weight})
    typed = json.dumps(name, ensure_ascii=False)
    assert read_argument(f"{typed} = {expected_text(expected)}") == (name, expected)


@settings(deadline=None, derandomize=True)
@given(st.text(max_size=80), st.sampled_from(["fields", "tools", "forbidden", "state"]))
def test_any_text_is_read_or_refused_and_never_breaks(text: str, box: str) -> None:
    """G12: whatever is typed, the page has an answer."""
    read = read_entry(EntryTexts.model_validate({box: text}))
    assert all(fault.line <= text.count("\n") + 1 for fault in read.faults)


@pytest.mark.parametrize("line", ['a = "x" | as number', "a = [" * 3000, "a = 1" + "0" * 6000])
def test_a_fault_is_short(line: str) -> None:
    with pytest.raises(Fault) as caught:
        read_argument(line)
    assert len(caught.value.found) + len(caught.value.expected) < 400
