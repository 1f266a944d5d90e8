"""A plain function as a grader: the registry of scorers, and the grader around one."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from judgekit.errors import JudgekitError, UsageError
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.fingerprint import GRADING_CODE_VERSION, Fingerprint
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.registry import Registry

if TYPE_CHECKING:
    from judgekit.model.grader import GraderKind

_FILES = ("text", "fields", "tools")


class Outcome(Record):
    """What a scorer says about one item: its answer and the reason or the evidence for it."""

    passed: bool
    evidence: tuple[str, ...] = ()
    failure_mode: str | None = None


ScorerFunction = Callable[..., Outcome]
_registry: Registry[ScorerFunction] = Registry("scorer", group="judgekit.scorers")


def scorer(function: ScorerFunction) -> ScorerFunction:
    """Register a function `(item, *, options) -> Outcome` under its own name."""
    _registry.add(function.__name__, lambda: function)
    return function


@cache
def scorers() -> Registry[ScorerFunction]:
    """Return the registry with the scorers of this package."""
    for file in _FILES:
        import_module(f"judgekit.scorers.{file}")
    return _registry


class Scorer:
    """Grade items with a registered scorer.

    Args:
        name: the grader's name in judgekit.yaml.
        function: the scorer's name, such as `pattern`.
        settings: the scorer's options.
        app_version: the user's own component of the fingerprint.

    Raises:
        UsageError: there is no such scorer, or its options do not fit.
    """

    def __init__(
        self,
        name: str,
        function: str,
        settings: Mapping[str, Any] | None = None,
        *,
        app_version: str | None = None,
    ) -> None:
        self._name = name
        self._function_name = function
        self._function = scorers().get(function)
        self._settings = dict(settings or {})
        self._app_version = app_version
        _check_options(self._function, self._settings)

    @property
    def name(self) -> str:
        """Return the grader's name in judgekit.yaml."""
        return self._name

    @property
    def kind(self) -> GraderKind:
        """Return `scorer`."""
        return "scorer"

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint over the scorer, its options and the code's version."""
        components = {
            "provider": "scorer",
            "source": self._function_name,
            "fields": content_hash(self._settings),
            "grading_code": str(GRADING_CODE_VERSION),
        }
        if self._app_version is not None:
            components["app_version"] = self._app_version
        return Fingerprint(components=components)

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        """Return the verdict about `item`; a missing field becomes status `failed`."""
        started = time.perf_counter()
        try:
            found = self._function(item, **self._settings)
            fields: dict[str, Any] = {"status": "scored", **found.model_dump()}
        except JudgekitError as error:
            fields = {"status": "failed", "kind": "grader", "reason": error.message}
        return Verdict(
            item_id=item.id,
            grader=self._name,
            fingerprint=self.fingerprint.value,
            item_hash=item.content_hash,
            regrade=regrade,
            cost_usd=0.0,
            latency_s=time.perf_counter() - started,
            **fields,
        )

    async def aclose(self) -> None:
        """Do nothing: there is nothing to release."""


def _check_options(function: ScorerFunction, settings: Mapping[str, Any]) -> None:
    try:
        inspect.signature(function).bind(None, **settings)
    except TypeError as error:
        options = list(inspect.signature(function).parameters)[1:]
        raise UsageError(
            f"the options of scorer {function.__name__!r} do not fit: {error}",
            expected=", ".join(options),
        ) from error
