"""What went between the page and the server: websocket frames both ways, and fetched bodies."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Error

LIMIT = 256 << 20


class Wire:
    """Everything that one visitor's pages received and sent, from the first request on."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.sent = bytearray()
        self._responses: list[Any] = []

    def watch(self, page: Any) -> None:
        """Listen to `page`: every websocket it opens and every document or fetch it makes."""
        page.on("websocket", self._socket)
        page.on("response", self._response)

    def _socket(self, socket: Any) -> None:
        socket.on("framereceived", lambda payload: self._add(self.received, payload))
        socket.on("framesent", lambda payload: self._add(self.sent, payload))

    @staticmethod
    def _add(side: bytearray, payload: bytes | str) -> None:
        assert len(side) < LIMIT, "the record of the wire is full: what follows would be unseen"
        side += payload if isinstance(payload, bytes) else payload.encode()

    def _response(self, response: Any) -> None:
        if response.request.resource_type in {"document", "fetch", "xhr"}:
            self._responses.append(response)

    def _bodies(self) -> bytes:
        bodies = b""
        for response in self._responses:
            try:
                bodies += response.body()
            except Error:  # a redirect or an aborted request has no body
                continue
        return bodies

    def around(self, text: str, reach: int = 60) -> str:
        """Return what stood around the first place of `text`, for the message of a check."""
        everything = bytes(self.received) + self._bodies()
        at = everything.find(text.encode())
        return repr(everything[max(0, at - reach) : at + reach]) if at >= 0 else "elsewhere"

    def carried(self, text: str) -> bool:
        """Whether `text` came from the server, as UTF-8 or as escaped JSON, by any way."""
        forms = {text.encode(), text.encode("unicode_escape")}
        return any(form in self.received for form in forms) or any(
            form in self._bodies() for form in forms
        )
