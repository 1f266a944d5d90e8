"""The driver sees each fault it is there to see: every check of it is met by a planted one."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from browser_driver import Browser, CheckFailed, Visitor, find_chromium, running_browser

pytestmark = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium here")

PAGE = b"""<!doctype html><html lang=en><title>t</title><body style="background:#fff;color:#222">
<h1>self test</h1><div id=probe data-item=0 data-user=ann></div>
<button id=next>Next</button><button id=nameless></button><button style="outline:none">bare</button>
<p id=evil></p><p id=pale style="color:#bbb">pale words</p><h3>skipped</h3>
<div id=host></div>
<script>
let n = 0;
const go = () => setTimeout(() => { n++; probe.dataset.item = n; }, 40);
next.onclick = go;
addEventListener('keydown', e => { if (e.key === 'p') go(); });
evil.textContent = '<img src=x onerror=window.__ran=1>';
host.attachShadow({mode: 'open'}).innerHTML = '<p>in the shadow</p>';
fetch('/data').then(r => r.text()).then(() => { probe.dataset.fetched = 1; });
</script>"""


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"fetched words" if self.path == "/data" else PAGE)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    with running_browser(f"http://127.0.0.1:{server.server_port}", timeout_s=10) as browser:
        yield browser
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    with browser.visitor() as visitor:
        visitor.open("/")
        yield visitor


def test_only_loopback_is_opened(visitor: Visitor) -> None:
    with pytest.raises(CheckFailed, match="only loopback"):
        Browser(None, "http://192.0.2.1/", 1)
    visitor.base = "http://judgekit.example"
    with pytest.raises(CheckFailed, match="not on loopback"):
        visitor.open("/")


def test_a_request_elsewhere_is_stopped_and_told(visitor: Visitor) -> None:
    visitor.page.evaluate("() => fetch('http://192.0.2.1/x').catch(() => 0)")

    assert visitor.external == ["http://192.0.2.1/x"]
    assert "external: http://192.0.2.1/x" in visitor.problems()


def test_the_time_of_a_key_is_that_of_the_page(visitor: Visitor) -> None:
    ms = visitor.time_to_change(lambda: visitor.page.keyboard.press("p"))

    assert ms >= 35
    assert visitor.probe()["item"] == "1"


def test_a_key_that_changes_nothing_has_no_time(visitor: Visitor) -> None:
    with pytest.raises(CheckFailed, match="did not change"):
        visitor.time_to_change(lambda: visitor.page.keyboard.press("q"), timeout_s=0.3)


def test_text_stays_text_and_a_live_element_is_seen(visitor: Visitor) -> None:
    visitor.expect_inert("#evil", "__ran")
    visitor.page.evaluate("() => { pale.innerHTML = '<img src=x onerror=\"window.__ran=1\">'; }")
    visitor.wait_for("() => window.__ran === 1", None, "the script to run")

    with pytest.raises(CheckFailed, match=r"img.*handlers.*__ran"):
        visitor.expect_inert("#pale", "__ran")


def test_a_live_element_in_a_shadow_root_is_seen(visitor: Visitor) -> None:
    visitor.page.evaluate("() => { host.shadowRoot.innerHTML = '<iframe></iframe>'; }")

    with pytest.raises(CheckFailed, match="iframe"):
        visitor.expect_inert("body")


def test_pale_text_a_nameless_button_and_a_skipped_heading_are_seen(visitor: Visitor) -> None:
    found = visitor.accessibility()

    assert [one["text"] for one in found["contrast"]] == ["pale words"]
    assert found["unnamed"] == ["button"]
    assert found["headings"] == [1, 3]


def test_the_focus_order_tells_a_stop_without_a_ring(visitor: Visitor) -> None:
    visitor.page.add_style_tag(content="#next:focus-visible{outline:3px solid}")

    rings = {stop["name"]: stop["ring"] for stop in visitor.focus_order()}
    assert rings["Next"] is True
    assert rings["bare"] is False


def test_what_was_sent_is_seen_wherever_it_came(visitor: Visitor) -> None:
    visitor.wire._add(visitor.wire.received, b"\x0a\x03abc a verdict")
    visitor.page.wait_for_selector("[data-fetched]", state="attached")

    with pytest.raises(CheckFailed, match="'a verdict' was sent"):
        visitor.expect_never_sent("a verdict", control="abc")
    with pytest.raises(CheckFailed, match="'fetched words' was sent"):
        visitor.expect_never_sent("fetched words", control="abc")
    visitor.wire._responses.clear()
    with pytest.raises(CheckFailed, match="'in the shadow' is on the page"):
        visitor.expect_never_sent("in the shadow", control="abc")
    visitor.expect_never_sent("absent words", control="abc")


def test_without_the_control_blindness_is_not_claimed(visitor: Visitor) -> None:
    with pytest.raises(CheckFailed, match="control"):
        visitor.expect_never_sent("absent words", control="never came")
