"""Pictures of every page in light and dark: `python tests/app/screenshots.py FOLDER`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "browser")]

from app_server import AppServer  # noqa: E402 - the path above comes first
from browser_driver import Browser, running_browser  # noqa: E402
from page_list import PAGES, open_view  # noqa: E402
from seed_full import seed_full  # noqa: E402

NARROW = {"width": 320, "height": 640}


def main(arguments: list[str]) -> int:
    """Write one picture a page and scheme, and narrow ones of the pages that people label on."""
    if len(arguments) != 1:
        print("usage: python tests/app/screenshots.py FOLDER", file=sys.stderr)
        return 2
    out = Path(arguments[0])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        server = AppServer(seed_full(workspace), Path(folder) / "server.log").start()
        try:
            with running_browser(server.url) as browser:
                for scheme in ("light", "dark"):
                    for view in PAGES:
                        take(browser, view, out / f"{view}-{scheme}.png", color_scheme=scheme)
                for view in ("label", "adjudicate", "home"):
                    take(browser, view, out / f"{view}-narrow.png", viewport=NARROW)
        finally:
            server.stop()
    return 0


def take(browser: Browser, view: str, path: Path, **options: object) -> None:
    """Open one view and write its picture."""
    with browser.visitor(**options) as visitor:
        open_view(visitor, view)
        visitor.page.screenshot(path=str(path))
        print(path)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
