"""A reverse proxy on loopback that signs everybody in as one person, as the guide's nginx does."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from aiohttp import ClientSession, WSMsgType, web

HOP_BY_HOP = frozenset(
    ("connection", "upgrade", "host", "content-length", "transfer-encoding", "content-encoding")
)


class SmallProxy:
    """Runs in a thread from `with`; it overwrites `headers` on whatever it passes on."""

    def __init__(self, target: str, headers: dict[str, str]) -> None:
        self._target, self._headers = target, headers
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.url = ""

    def __enter__(self) -> SmallProxy:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(timeout=30)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(timeout=30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    async def _start(self) -> None:
        self._client = ClientSession(auto_decompress=False)
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._pass_on)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        server: Any = site._server
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _stop(self) -> None:
        await self._runner.cleanup()
        await self._client.close()

    def _sent_on(self, request: web.Request) -> dict[str, str]:
        ours = {name.lower() for name in self._headers} | HOP_BY_HOP
        kept = {n: v for n, v in request.headers.items() if n.lower() not in ours}
        kept = {n: v for n, v in kept.items() if not n.lower().startswith("sec-websocket")}
        return {**kept, **self._headers, "Host": request.host, "X-Forwarded-For": "203.0.113.9"}

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._websocket(request)
        address = f"{self._target}{request.path_qs}"
        headers, body = self._sent_on(request), await request.read()
        async with self._client.request(
            request.method, address, headers=headers, data=body, allow_redirects=False
        ) as answer:
            kept = {n: v for n, v in answer.headers.items() if n.lower() not in HOP_BY_HOP}
            if "Content-Encoding" in answer.headers:
                kept["Content-Encoding"] = answer.headers["Content-Encoding"]
            return web.Response(status=answer.status, headers=kept, body=await answer.read())

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        offered = request.headers.get("Sec-WebSocket-Protocol", "")
        protocols = [name.strip() for name in offered.split(",") if name.strip()]
        address = f"{self._target}{request.path_qs}".replace("http", "ws", 1)
        async with self._client.ws_connect(
            address, headers=self._sent_on(request), protocols=protocols, max_msg_size=0
        ) as behind:
            before = web.WebSocketResponse(protocols=[behind.protocol or ""], max_msg_size=0)
            await before.prepare(request)
            ways = [
                asyncio.ensure_future(_copy(a, b)) for a, b in [(before, behind), (behind, before)]
            ]
            _, running = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in running:
                way.cancel()
            return before


async def _copy(source: Any, target: Any) -> None:
    async for message in source:
        if message.type == WSMsgType.BINARY:
            await target.send_bytes(message.data)
        elif message.type == WSMsgType.TEXT:
            await target.send_str(message.data)
