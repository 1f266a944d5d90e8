"""A session without a browser: the websocket that Streamlit's page opens, any headers.

It shows all that a server sends to somebody who makes up headers, which no browser can.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LIMIT_S = 60.0
Headers = Sequence[tuple[str, str]]


class BareSession:
    """One session on the app at `port`; use it as a context. `name` is what Host says."""

    def __init__(self, port: int, headers: Headers = (), *, name: str = "127.0.0.1") -> None:
        self._url = f"ws://{name}:{port}/_stcore/stream"
        self._headers, self._port = list(headers), port

    def __enter__(self) -> BareSession:
        self._loop = asyncio.new_event_loop()
        try:
            self._socket = self._loop.run_until_complete(self._connect())
        except BaseException:
            self._loop.close()
            raise
        return self

    async def _connect(self) -> websockets.ClientConnection:
        return await websockets.connect(
            self._url,
            host="127.0.0.1",
            port=self._port,
            additional_headers=self._headers,
            subprotocols=[websockets.Subprotocol("streamlit")],
            max_size=None,
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.run_until_complete(self._socket.close())
        self._loop.close()

    def run(self, page: str, query: str = "") -> str:
        """Run a page and return everything that came over the wire, as text."""
        return self._loop.run_until_complete(asyncio.wait_for(self._run(page, query), LIMIT_S))

    async def _run(self, page: str, query: str) -> str:
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        await self._socket.send(message.SerializeToString())
        came = bytearray()
        while True:
            data = await self._socket.recv()
            came += data if isinstance(data, bytes) else data.encode()
            forward = ForwardMsg()
            forward.ParseFromString(data if isinstance(data, bytes) else data.encode())
            if forward.WhichOneof("type") == "script_finished":
                return came.decode("utf-8", errors="replace")
