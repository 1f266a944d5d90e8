"""The quiet line that says whether everything is saved (`role="status"`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parts.web_files import component

_line = component("status_line")


@dataclass(frozen=True)
class Status:
    """One sentence for the line; `warning` for what was not taken."""

    text: str
    warning: bool = False


def status_line(
    status: Status,
    *,
    serial: int,
    keys: Sequence[str],
    token: str = "",
    after: Mapping[str, Sequence[str]] | None = None,
    ahead: Sequence[str] = (),
    key: str = "status",
) -> None:
    """Show the line, and let it watch `keys`.

    A key of these that is held down, typed before the page answered, or pressed without a
    connection is stopped in the browser and told here; the server refuses such labels as well.
    `serial` must differ in every run. When `token` changes, the page scrolls up and the caret
    leaves the box that asked for another item: the next key labels and is not typed. `after`
    names keys that may follow another at once; `ahead` names keys that the page does not take now
    and may take after its answer: typed before that they are told as well.
    """
    data = {
        "text": status.text,
        "kind": "warning" if status.warning else "",
        "serial": serial,
        "token": token,
        "keys": list(keys),
        "ahead": list(ahead),
        "after": {first: list(then) for first, then in (after or {}).items()},
    }
    _line(key=key, data=data)
