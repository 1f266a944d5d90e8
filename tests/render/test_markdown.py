from gate_report_records import gate_report

from judgekit.gate.report import ItemResult
from judgekit.render.github import command, github_annotations
from judgekit.render.markdown import escape_markdown, markdown_summary


def test_text_of_items_cannot_become_markup() -> None:
    text = markdown_summary(gate_report())
    assert "<img" not in text.replace("\\<img", "")
    assert "| a\\|b\\<img src=x\\> \\:\\:error\\:\\:x | failed by judge as wrong\\_amount" in text
    assert "\\@all" in text


def test_the_headline_and_the_rate_come_first() -> None:
    lines = markdown_summary(gate_report()).splitlines()
    assert lines[0] == "## Gate failed"
    assert lines[2] == "2 of 2 items were scored, pass rate 50.0%. Policy default."


def test_long_lists_end_with_a_count() -> None:
    many = tuple(ItemResult(item_id=f"i{n}", group="g", outcome="failed") for n in range(25))
    assert markdown_summary(gate_report(items=many)).endswith("5 more items did not pass.\n")


def test_escaping_leaves_plain_words_alone() -> None:
    assert escape_markdown("a  plain\u202e\nword") == "a plain word"


def test_annotations_cannot_start_another_command() -> None:
    lines = github_annotations(gate_report(), file="out/items.jsonl")
    assert len(lines) == 2
    assert lines[0] == "::error file=out/items.jsonl,title=judgekit::gate failed: too low"
    assert "\n" not in lines[1]
    assert "%0A::error::x" in lines[1]
    assert "50%25" in lines[1]


def test_a_passed_gate_leaves_one_notice() -> None:
    lines = github_annotations(gate_report(outcome="passed", exit_code=0, reasons=()))
    assert lines == ["::notice title=judgekit::gate passed: 2 items scored"]


def test_properties_escape_colons_and_commas() -> None:
    assert command("error", "x", file="a:b,c") == "::error file=a%3Ab%2Cc::x"
