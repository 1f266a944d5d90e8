"""An OpenID Connect provider on loopback that signs everybody in as one person."""

from __future__ import annotations

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "judgekit-test"


class FakeProvider:
    """Runs in a thread from `with`; `claims` are what the next sign-in says about the person."""

    def __init__(self, **claims: Any) -> None:
        self.claims = claims
        self.key = RSAKey.generate_key(2048, {"kid": "one"})
        self.nonces: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> FakeProvider:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    def discovery(self) -> dict[str, Any]:
        """Return the provider's description of itself."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def back(self, query: dict[str, list[str]]) -> str:
        """Return the address of the app that the browser is sent back to."""
        code = f"code-{len(self.nonces)}"
        self.nonces[code] = query.get("nonce", [""])[0]
        answer = urlencode({"code": code, "state": query["state"][0]})
        return f"{query['redirect_uri'][0]}?{answer}"

    def token(self, code: str) -> dict[str, Any]:
        """Return the signed token for a code."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "nonce": self.nonces[code],
            **self.claims,
        }
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return {
            "access_token": base64.b16encode(code.encode()).decode(),
            "token_type": "Bearer",
            "expires_in": 600,
            "id_token": token,
        }


def _handler(provider: FakeProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.back(parse_qs(parts.query)))
                self.end_headers()
            elif parts.path == "/jwks":
                self._json({"keys": [provider.key.as_dict(private=False)]})
            else:
                self._json(provider.discovery())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._json(provider.token(parse_qs(body)["code"][0]))

        def _json(self, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    return Handler
