"""A headless Chromium for the app's checks: loopback only, everything it saw is recorded."""

from __future__ import annotations

import ipaddress
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from browser_wire import Wire
from playwright.sync_api import Error, sync_playwright

SCRIPTS = Path(__file__).parent / "scripts"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
]
QUIET_MS = 60
TYPING_MS = 500
"""Longer than the pause in typing after which a note is sent."""
PROBE = "#probe"
PROBE_FIELDS = ("page", "item", "presentation", "rev", "saved", "user")


class CheckFailed(AssertionError):
    """The page did not do what the check asked."""


def find_chromium() -> str | None:
    """Return the browser's path, or None where there is none."""
    named = os.environ.get("JUDGEKIT_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("google-chrome")


def is_loopback(url: str) -> bool:
    """Say whether the host of `url` is this machine by its address; names are not looked up."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def script(name: str) -> str:
    """Return the JavaScript file `name` of the driver."""
    return (SCRIPTS / f"{name}.js").read_text(encoding="utf-8")


class Visitor:
    """One person at the app: their own cookies and storage, one or more tabs, one in use."""

    def __init__(self, context: Any, base: str, timeout_s: float) -> None:
        self.context, self.base = context, base.rstrip("/")
        self.errors: list[str] = []
        self.external: list[str] = []
        self.dialogs: list[str] = []
        self.wire = Wire()
        context.set_default_timeout(timeout_s * 1000)
        context.add_init_script(script("latency"))
        context.add_init_script(script("traffic"))
        context.route("**/*", self._gate)
        self.page = self.tab()

    def tab(self) -> Any:
        """Open another tab of the same person; make it current by assigning `page`."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.errors.append(f"page: {error}"))
        page.on("console", self._console)
        page.on("dialog", self._dialog)
        self.wire.watch(page)
        return page

    def _gate(self, route: Any) -> None:
        url = route.request.url
        if url.startswith(("data:", "blob:", "about:")) or is_loopback(url):
            route.continue_()
            return
        self.external.append(url)
        route.abort()

    def _console(self, message: Any) -> None:
        # Streamlit asks below the page's path first where its server is: two harmless 404s.
        probing = "/_stcore/" in str((message.location or {}).get("url", ""))
        if message.type == "error" and not probing:
            self.errors.append(f"console: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(f"{dialog.type}: {dialog.message}")
        dialog.dismiss()

    # -- going somewhere

    def open(self, path: str = "/") -> None:
        """Open `path` of the app and wait until its script has run."""
        url = self.base + path
        if not is_loopback(url):
            raise CheckFailed(f"not on loopback: {url}")
        self.page.goto(url, wait_until="domcontentloaded")
        self.idle()

    def reload(self) -> None:
        """Reload the page once it has nothing left to send, and wait until its script has run."""
        self.idle(TYPING_MS)
        self.page.reload(wait_until="domcontentloaded")
        self.idle()

    def idle(self, quiet_ms: int = QUIET_MS) -> None:
        """Wait until no script runs, the server is there and has answered what was done.

        `quiet_ms`: for how long nothing may have come from the server or been done on the page.
        """
        self.page.wait_for_function(script("idle"), arg=quiet_ms)

    # -- doing something

    def press(self, *keys: str) -> None:
        """Press each key in turn on the page at rest, and wait until it rests again."""
        self.idle()
        for key in keys:
            self.page.keyboard.press(key)
            self.idle()

    def type(self, text: str) -> None:
        """Type into whatever has the focus."""
        self.page.keyboard.type(text)

    def click(self, role: str, name: str, *, exact: bool = False) -> None:
        """Click the first control of this ARIA role and accessible name, as `press` does a key."""
        self.idle()
        self.page.get_by_role(role, name=name, exact=exact).first.click()
        self.idle()

    # -- reading

    def probe(self) -> dict[str, str]:
        """Return the fields of the page's probe, which may come a moment after the text."""
        self.page.locator(PROBE).first.wait_for(state="attached", timeout=5000)
        values = self.page.evaluate(
            "([s, names]) => { const n = document.querySelector(s); return n && "
            "Object.fromEntries(names.map(k => [k, n.getAttribute('data-' + k) ?? ''])); }",
            [PROBE, list(PROBE_FIELDS)],
        )
        if values is None:
            raise CheckFailed(f"the page has no probe; it says {self.seen_text()[:300]!r}")
        return dict(values)

    def wait_probe(self, **values: str | Callable[[str], bool]) -> dict[str, str]:
        """Wait until each probe field has its value (`name_not="x"` means anything else)."""
        for field, value in values.items():
            name, _, negated = field.partition("_not")
            del negated
            sign = "!==" if field.endswith("_not") else "==="
            self.wait_for(
                "([s, k, v]) => { const n = document.querySelector(s);"
                f" return n && (n.getAttribute('data-' + k) ?? '') {sign} v; }}",
                [PROBE, name, value],
                f"probe {field} to be {value!r}",
            )
        self.idle()
        return self.probe()

    def wait_for(self, condition: str, argument: Any, what: str) -> None:
        """Wait until a JavaScript condition holds; `what` names it in the failure."""
        try:
            self.page.wait_for_function(condition, arg=argument)
        except Error as error:
            text = self.seen_text()[:600]
            raise CheckFailed(f"waited in vain for {what}; the page says {text!r}") from error

    def expect_text(self, text: str, selector: str = "body") -> None:
        """Wait until the region shows `text`."""
        self.wait_for(
            "([s, t]) => (document.querySelector(s)?.innerText || '').includes(t)",
            [selector, text],
            f"{text!r} in {selector}",
        )

    def seen_text(self, selector: str = "body") -> str:
        """Return the text of the region as it is laid out."""
        return str(self.page.locator(selector).first.inner_text())

    def held_text(self, selector: str = "body") -> str:
        """Return the text that the page holds in the region, shadow roots included."""
        text = self.page.evaluate(script("text"), selector)
        if text is None:
            raise CheckFailed(f"there is no {selector} on the page")
        return str(text)

    # -- checks

    def expect_never_sent(self, *secrets: str, control: str) -> None:
        """Fail when a secret is on the page or ever came from the server.

        `control` is text that must have come: without it the check would prove nothing.
        """
        if not self.wire.carried(control):
            size = len(self.wire.received)
            raise CheckFailed(f"the control {control!r} was not seen in {size} received bytes")
        held = self.held_text() + str(self.page.content())
        for secret in secrets:
            if self.wire.carried(secret):
                around = self.wire.around(secret)
                raise CheckFailed(f"{secret!r} was sent to the browser: {around}")
            if secret in held:
                raise CheckFailed(f"{secret!r} is on the page")

    def expect_inert(self, selector: str, *marks: str) -> None:
        """Fail when untrusted text became an element, a handler, a script run or a dialog."""
        found = self.page.evaluate(script("inert"), [selector, list(marks)])
        if found is None:
            raise CheckFailed(f"there is no {selector} on the page")
        if found["live"] or found["handlers"] or found["ran"] or self.dialogs or self.external:
            raise CheckFailed(f"{found}, dialogs {self.dialogs}, external {self.external}")

    def accessibility(self) -> dict[str, Any]:
        """Return what the page fails of contrast, names, image texts, and its headings."""
        return dict(self.page.evaluate(script("accessibility")))

    def focus_order(self, limit: int = 80) -> list[dict[str, Any]]:
        """Tab from the top of the page until the focus leaves it or comes round."""
        self.page.evaluate(
            "() => { const s = document.createElement('span'); s.tabIndex = 0; s.id = '__start';"
            " document.body.prepend(s); window.scrollTo(0, 0); s.focus(); }"
        )
        stops: list[dict[str, Any]] = []
        for count in range(limit):
            self.page.keyboard.press("Tab")
            if count == 0:
                self.page.evaluate("() => document.getElementById('__start')?.remove()")
            stop = self.page.evaluate(script("focus"))
            if not stop or (stops and stop == stops[0]):
                break
            stops.append(stop)
        return stops

    def time_to_change(
        self, act: Callable[[], None], field: str = "item", timeout_s: float = 10
    ) -> float:
        """Return the ms from the input event in `act` to the painted change of a probe field."""
        arguments = [PROBE, f"data-{field}", timeout_s * 1000]
        self.page.evaluate("([s, a, t]) => window.__latency.arm(s, a, t)", arguments)
        act()
        try:
            return float(self.page.evaluate("() => window.__latency.done")["ms"])
        except Error as error:
            raise CheckFailed(str(error).splitlines()[0]) from None

    def problems(self) -> list[str]:
        """Return every error, dialog and request off loopback so far."""
        dialogs = [f"dialog: {text}" for text in self.dialogs]
        return self.errors + dialogs + [f"external: {url}" for url in self.external]


class Browser:
    """A running Chromium at one server; each visitor is a context of its own."""

    def __init__(self, chromium: Any, base: str, timeout_s: float) -> None:
        if not is_loopback(base):
            raise CheckFailed(f"only loopback is opened, not {base}")
        self._chromium, self.base, self._timeout_s = chromium, base, timeout_s

    @contextmanager
    def visitor(self, **options: Any) -> Iterator[Visitor]:
        """A person with nothing stored; their context is closed at the end."""
        options.setdefault("viewport", {"width": 1280, "height": 800})
        options.setdefault("reduced_motion", "reduce")
        context = self._chromium.new_context(**options)
        try:
            yield Visitor(context, self.base, self._timeout_s)
        finally:
            context.close()


@contextmanager
def running_browser(base: str, timeout_s: float = 30) -> Iterator[Browser]:
    """Start Chromium for the checks at `base`; it ends with the block."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        try:
            yield Browser(chromium, base, timeout_s)
        finally:
            chromium.close()


def load_note() -> str:
    """Return the machine's load beside its cores, for every time that is measured."""
    return f"load1 {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores ({sys.platform})"
