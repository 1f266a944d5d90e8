"""A plain function as a grader: the registry of scorers, and the grader around one."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
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

_FILES = ("text", "fields", "tools", "golden")


class Outcome(Record):
    """What a scorer says about one item: its answer and the reason or the evidence for it.

    `passed` None: the scorer cannot decide, and `reason` says why.
    """

    passed: bool | None
    evidence: tuple[str, ...] = ()
    failure_mode: str | None = None
    reason: str | None = None


class Prepared(Record):
    """What a scorer reads from the workspace before the first item.

    `given` is passed to the scorer beside its options; `components` go into its fingerprint.
    """

    given: dict[str, Any]
    components: dict[str, str]


ScorerFunction = Callable[..., Outcome]
Preparation = Callable[..., Prepared]
_registry: Registry[ScorerFunction] = Registry("scorer", group="judgekit.scorers")
_preparations: dict[str, Preparation] = {}


def scorer(function: ScorerFunction) -> ScorerFunction:
    """Register a function `(item, *, options) -> Outcome` under its own name."""
    _registry.add(function.__name__, lambda: function)
    return function


def prepares(name: str) -> Callable[[Preparation], Preparation]:
    """Register a function `(root, **options) -> Prepared` of the scorer called `name`."""

    def register(function: Preparation) -> Preparation:
        _preparations[name] = function
        return function

    return register


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
        root: the workspace's folder, for scorers that read files of it.

    Raises:
        UsageError: there is no such scorer, or its options do not fit.
        InputError: a file that it reads cannot be used.
    """

    def __init__(
        self,
        name: str,
        function: str,
        settings: Mapping[str, Any] | None = None,
        *,
        app_version: str | None = None,
        root: Path | None = None,
    ) -> None:
        self._name = name
        self._function_name = function
        self._function = scorers().get(function)
        self._settings = dict(settings or {})
        self._app_version = app_version
        prepare = _preparations.get(function)
        _check_options(self._function, self._settings, prepare)
        self._prepared = Prepared(given={}, components={})
        if prepare is not None:
            self._prepared = prepare(root or Path.cwd(), **self._settings)

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
            **self._prepared.components,
        }
        if self._app_version is not None:
            components["app_version"] = self._app_version
        return Fingerprint(components=components)

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        """Return the verdict about `item`; a missing field becomes status `failed`."""
        started = time.perf_counter()
        try:
            found = self._function(item, **self._settings, **self._prepared.given)
            status = "abstained" if found.passed is None else "scored"
            fields: dict[str, Any] = {"status": status, **found.model_dump()}
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


def _check_options(
    function: ScorerFunction, settings: Mapping[str, Any], prepare: Preparation | None
) -> None:
    checked = function if prepare is None else prepare
    try:
        inspect.signature(checked).bind(None, **settings)
    except TypeError as error:
        options = list(inspect.signature(checked).parameters)[1:]
        raise UsageError(
            f"the options of scorer {function.__name__!r} do not fit: {error}",
            expected=", ".join(options),
        ) from error
