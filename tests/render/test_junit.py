from xml.etree import ElementTree

import pytest
from gate_report_records import gate_report

from judgekit.render.junit import junit_xml, xml_text


def cases(**changes: object) -> dict[str | None, list[str]]:
    tree = ElementTree.fromstring(junit_xml(gate_report(**changes)))
    return {c.get("name"): [child.tag for child in c] for c in tree.iter("testcase")}


def test_a_rule_that_is_not_met_is_a_failure_and_items_are_shown() -> None:
    assert cases() == {
        "min_pass_rate": ["failure"],
        "outcome": ["failure"],
        "good": [],
        "a|b<img src=x>\n::error::x\ufffd": ["skipped"],
    }


def test_an_approval_that_does_not_stand_is_an_error() -> None:
    assert cases(outcome="not_approved", exit_code=4)["outcome"] == ["error"]


def test_a_warning_does_not_fail_the_build() -> None:
    waived = gate_report().conditions[0].model_copy(update={"outcome": "inconclusive"})
    found = cases(outcome="passed", exit_code=0, warning=True, conditions=(waived,))
    assert (found["min_pass_rate"], found["outcome"]) == (["system-out"], ["system-out"])


def test_the_counts_of_the_suites_are_filled_in() -> None:
    tree = ElementTree.fromstring(junit_xml(gate_report()))
    counted = [
        (s.get("name"), s.get("tests"), s.get("failures"), s.get("skipped"))
        for s in tree.iter("testsuite")
    ]
    assert counted == [("gate", "2", "2", "0"), ("items", "2", "0", "1")]


@pytest.mark.parametrize("char", ["\x7f", "\x9b", "\u202e", "\u2028", "\u2066", "\x1b", "\ud800"])
def test_what_steers_a_terminal_is_shown_as_a_mark(char: str) -> None:
    assert xml_text(f"a{char}b é 日本 👩‍👩‍👧") == "a\ufffdb é 日本 👩‍👩‍👧"
