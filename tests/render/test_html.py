from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from calibrations import calibration, item, label, verdict

from judgekit.render.evidence import Piece, mark_quotes
from judgekit.render.html import bar, html_report
from judgekit.stats.estimate import Estimate, Undefined

VOID = {"meta", "line", "rect", "circle", "br"}


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.marked: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "mark":
            self.marked.append(data)


def _items(n: int = 20):
    return [item(i) for i in range(n)]


def test_the_page_is_whole_and_asks_nothing_of_the_network() -> None:
    text = html_report(calibration(), items=_items(), title="Refund desk")
    page = _Page(text)
    assert page.open == []
    assert page.addresses == []
    assert not {"script", "img", "link", "iframe"} & set(page.tags)
    assert not re.search(r"https?://|@import|url\(", text)
    assert "<title>Refund desk</title>" in text
    assert "prefers-color-scheme: dark" in text


def test_several_judges_are_listed_first_and_linked_within_the_page() -> None:
    page = _Page(html_report([calibration(), calibration(policy=None)]))
    assert page.addresses == ["#judge-1", "#judge-2"]


@pytest.mark.parametrize(
    ("wrong", "n", "words"),
    [
        (0, 60, "Approved: every limit is kept"),
        (20, 60, "Rejected: a limit is broken"),
        (1, 20, "Undecided: these labels neither clear nor condemn"),
    ],
)
def test_the_verdict_line_is_in_words(wrong: int, n: int, words: str) -> None:
    assert words in html_report(calibration(wrong=wrong, n=n))


def test_without_limits_the_page_says_that_nothing_was_decided() -> None:
    assert "No decision: no limit was set" in html_report(calibration(policy=None))


def test_the_matrix_holds_the_four_counts() -> None:
    text = html_report(calibration(wrong=3))
    rows = re.findall(r'<th scope="row">human (\w+)</th>(.*?)</tr>', text)
    counts = {name: re.findall(r">(\d+)</td>", cells) for name, cells in rows}
    assert counts == {"pass": ["10", "0"], "fail": ["3", "7"]}


def test_text_of_an_item_is_escaped_and_the_quote_is_marked_in_it() -> None:
    nasty = item(0, output="<script>alert(1)</script> We refund\n$1.00 </mark> {{ 7*7 }}")
    text = html_report(calibration(wrong=1), items=[nasty])
    page = _Page(text)
    assert page.marked == ["We refund\n$1.00"]
    assert "script" not in page.tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{ 7*7 }}" in text


def test_a_quote_that_is_in_no_text_is_named() -> None:
    made_up = calibration(
        verdicts=tuple(verdict(i, True, evidence=("never said",)) for i in range(20))
    )
    text = html_report(made_up, items=_items())
    assert "Not found word for word in the texts: <q>never said</q>" in text


def test_characters_that_steer_or_turn_text_are_written_out() -> None:
    text = html_report(calibration(wrong=1), items=[item(0, output="a\x1b[31m\u202eb\x00")])
    assert "a\\u001b[31m\\u202eb\\u0000" in text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e]", text)


def test_synthetic_labels_are_marked_and_human_ones_are_not() -> None:
    made = tuple(label(i, "fail" if i < 10 else "pass", origin="synthetic") for i in range(20))
    assert "Synthetic labels." in html_report(calibration(labels=made))
    assert "Synthetic labels." not in html_report(calibration())


def test_slices_count_the_disagreements_of_each_metadata_value() -> None:
    text = html_report(calibration(wrong=3), items=_items())
    found = re.findall(r"language = (\w+)</th>((?:<td class=\"n\">\d+</td>)+)", text)
    counts = {name: re.findall(r">(\d+)<", cells) for name, cells in found}
    assert counts == {"de": ["10", "2", "0"], "en": ["10", "1", "0"]}


def test_claims_that_the_data_cannot_support_are_listed() -> None:
    text = html_report(calibration(wrong=1, n=12))
    assert "How far people agree with each other is unknown" in text
    assert "only a holdout" in text
    assert "Too few cases to say anything about: wrong_amount (n=6)." in text


def test_an_interval_is_drawn_in_proportion_and_an_undefined_one_is_not() -> None:
    rate = Estimate(value=0.5, low=0.25, high=0.75, n=8, method="Wilson")
    assert bar(rate, limit=0.1) == (65.0, 130.0, 195.0, 26.0)
    kappa = Estimate(value=0.0, low=-0.5, high=0.5, n=8, method="delta")
    assert bar(kappa, limit=None, low_end=-1.0) == (65.0, 130.0, 195.0, None)
    assert bar(Undefined(undefined="one class"), limit=0.1) is None


def test_the_same_calibration_gives_the_same_page() -> None:
    assert html_report(calibration(), items=_items()) == html_report(calibration(), items=_items())


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_text_colour_meets_aa_contrast_in_light_and_dark() -> None:
    themes = re.findall(r":root \{ (--page.*?) \}", html_report(calibration()))
    assert len(themes) == 2
    for theme in themes:
        colour = dict(re.findall(r"--(\w+): (#\w{6});", theme))
        for ground in ("page", "soft"):
            for ink in ("ink", "quiet", "good", "bad", "open"):
                assert _contrast(colour[ink], colour[ground]) >= 4.5, (ink, ground)
        assert _contrast(colour["markink"], colour["mark"]) >= 4.5
        for shape in ("value", "limit", "quiet"):
            assert _contrast(colour[shape], colour["page"]) >= 3.0


@pytest.mark.parametrize(
    ("quotes", "pieces"),
    [
        ([], [("Say “no”. Say more.", False)]),
        (['say "no"'], [("Say “no”", True), (". Say more.", False)]),
        (["“no”. say", "Say more."], [("Say ", False), ("“no”. Say", True), (" more.", True)]),
        (["absent", "  "], [("Say “no”. Say more.", False)]),
    ],
)
def test_quotes_are_found_whatever_their_case_spaces_and_marks(quotes, pieces) -> None:
    text = "Say “no”. Say more."
    assert mark_quotes(text, quotes) == tuple(Piece(*piece) for piece in pieces)
