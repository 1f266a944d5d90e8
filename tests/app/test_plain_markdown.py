"""A guideline is drawn as simple Markdown, and nothing of it is live."""

from __future__ import annotations

import re

import pytest

from parts.plain_markdown import markdown_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Title\nwords", "<h3>Title</h3><p>words</p>"),
        ("### Deep\n# Top", "<h3>Deep</h3><h3>Top</h3>"),
        ("# A\n## B\n### C", "<h3>A</h3><h4>B</h4><h5>C</h5>"),
        (
            "**Pass** and *so*, __too__ `a*b*`",
            "<p><strong>Pass</strong> and <em>so</em>, <strong>too</strong> <code>a*b*</code></p>",
        ),
        ("- one\n  goes on\n- two", "<ul><li>one goes on</li><li>two</li></ul>"),
        ("1. one\n2) two", "<ol><li>one</li><li>two</li></ol>"),
        ("```\n# <b>\n```\nend", "<pre># &lt;b&gt;</pre><p>end</p>"),
        ("a\nb\n\nc", "<p>a<br>b</p><p>c</p>"),
        ("3 * 4 * 5 and wrong_fact_here", "<p>3 * 4 * 5 and wrong_fact_here</p>"),
    ],
)
def test_simple_markdown_is_drawn(text: str, html: str) -> None:
    assert markdown_html(text) == html


def test_images_links_and_tags_stay_words() -> None:
    text = """# <img src=x onerror=alert(1)>
- ![a](http://evil.example/x.png) **[b](javascript:alert(1))**
<script>alert(1)</script> <http://evil.example> `<iframe src=//e>` "q"
"""
    html = markdown_html(text)
    assert set(re.findall(r"<(/?\w+)", html)) <= {
        *("h3", "/h3", "ul", "/ul", "li", "/li", "strong", "/strong", "p", "/p", "br"),
        *("code", "/code"),
    }
    assert "![a](http://evil.example/x.png)" in html
    assert "&lt;script&gt;" in html


def test_many_marks_take_no_long_time() -> None:
    assert markdown_html("*a **b " * 2_000).startswith("<p>")
