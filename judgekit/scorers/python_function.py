"""A function of the user's own, `module:function` below the workspace, as a grader."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.fingerprint import GRADING_CODE_VERSION, Fingerprint
from judgekit.model.item import Item
from judgekit.model.rubric import Rubric
from judgekit.model.verdict import Verdict
from judgekit.scorers.source import module_file, source_hash, sources

if TYPE_CHECKING:
    from judgekit.model.grader import GraderKind

_import_lock = threading.Lock()
_EXPECTED = (
    "True, False, or a mapping with passed, evidence, failed_criteria, failure_mode, abstain"
)


class FunctionResult(Record):
    """What the function may return as a mapping; `passed` None or `abstain` = no answer."""

    model_config = ConfigDict(strict=True)

    passed: bool | None = None
    evidence: list[str] = Field(default_factory=list)
    failed_criteria: list[str] = Field(default_factory=list)
    passed_criteria: list[str] | None = None
    failure_mode: str | None = None
    abstain: bool = False
    reason: str | None = None


class PythonGrader:
    """Grade items with `function(item)`, sync or async.

    A sync function runs in a thread, so that a slow one does not hold up the others.

    Args:
        name: the grader's name in judgekit.yaml.
        function: `module:function`; the module lies below `root`.
        rubric: whose criteria and failure modes the answers may name, or None.
        root: the workspace's folder.
        kind: `judge` (needs approval) or `scorer`.
        app_version: the user's own component of the fingerprint.

    Raises:
        InputError: there is no such module or function.
    """

    def __init__(
        self,
        name: str,
        function: str,
        rubric: Rubric | None,
        root: Path,
        kind: GraderKind = "scorer",
        *,
        app_version: str | None = None,
    ) -> None:
        self._name = name
        self._kind: GraderKind = kind
        self._rubric = rubric
        self._root = root.resolve()
        self._app_version = app_version
        self._module, _, attribute = function.partition(":")
        self._source = function
        self._function = load_function(self._module, attribute, self._root)
        self._files_hash = source_hash(self._module, self._root)

    @property
    def name(self) -> str:
        """Return the grader's name in judgekit.yaml."""
        return self._name

    @property
    def kind(self) -> GraderKind:
        """Return `judge` or `scorer`."""
        return self._kind

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint over the source, its imports of the workspace and the rubric."""
        source = {"function": self._source, "files": self._files_hash}
        components = {
            "provider": "python",
            "source": content_hash(source),
            "grading_code": str(GRADING_CODE_VERSION),
        }
        if self._rubric is not None:
            components["rubric"] = self._rubric.content_hash
        if self._app_version is not None:
            components["app_version"] = self._app_version
        return Fingerprint(components=components)

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        """Return the verdict about `item`; an exception becomes status `failed`."""
        started = time.perf_counter()
        try:
            fields = result_fields(await self._call(item), self._rubric)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (the user's code may raise anything)
            reason = f"{type(error).__name__}: {error}"
            fields = {"status": "failed", "kind": "grader", "reason": reason[:500]}
        return Verdict(
            item_id=item.id,
            grader=self._name,
            fingerprint=self.fingerprint.value,
            item_hash=item.content_hash,
            regrade=regrade,
            cost_usd=0.0 if self._kind == "scorer" else None,
            latency_s=time.perf_counter() - started,
            **fields,
        )

    async def _call(self, item: Item) -> Any:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(item)
        return await asyncio.to_thread(_returned, self._function, item)

    async def aclose(self) -> None:
        """Do nothing: there is nothing to release."""


def _returned(function: Callable[[Item], Any], item: Item) -> Any:
    try:
        return function(item)
    except SystemExit as error:  # in a thread it would print a traceback and be lost
        raise RuntimeError(f"the function called exit({error.code!r})") from error


def result_fields(result: Any, rubric: Rubric | None) -> dict[str, Any]:
    """Return the verdict fields of what a function returned; a wrong shape is `invalid`."""
    if isinstance(result, bool):
        result = {"passed": result}
    if not isinstance(result, Mapping):
        found = type(result).__name__
        return {"status": "invalid", "reason": f"the function returned {found}, not {_EXPECTED}"}
    try:
        answer = FunctionResult.model_validate(dict(result))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return {"status": "invalid", "reason": f"{where}: {first['msg']}; expected {_EXPECTED}"}
    if answer.abstain or answer.passed is None:
        return {"status": "abstained", "reason": answer.reason or "the grader abstained"}
    return _scored(answer, rubric)


def _scored(answer: FunctionResult, rubric: Rubric | None) -> dict[str, Any]:
    listed = _with_criteria(answer, rubric.criterion_ids if rubric else ())
    passed = listed.passed_criteria or []
    problem = _contradiction(answer, passed, rubric)
    fields: dict[str, Any] = {
        "evidence": tuple(answer.evidence),
        "passed_criteria": tuple(passed),
        "failed_criteria": tuple(listed.failed_criteria),
        "failure_mode": answer.failure_mode,
    }
    if problem:
        return {**fields, "status": "invalid", "reason": problem}
    return {**fields, "status": "scored", "passed": answer.passed, "reason": answer.reason}


def _with_criteria(answer: FunctionResult, known: tuple[str, ...]) -> FunctionResult:
    """Return the answer with the criteria that pass.

    A fail that names no criterion fails the only one there is; of several it is not known which.
    """
    if answer.passed_criteria is not None:
        return answer
    if answer.passed or answer.failed_criteria:
        passed = [name for name in known if name not in answer.failed_criteria]
        return answer.model_copy(update={"passed_criteria": passed})
    failed = list(known) if len(known) == 1 else []
    return answer.model_copy(update={"passed_criteria": [], "failed_criteria": failed})


def _contradiction(answer: FunctionResult, passed: list[str], rubric: Rubric | None) -> str | None:
    if answer.passed and answer.failure_mode is not None:
        return f"passed with failure_mode {answer.failure_mode!r}"
    if rubric is None:
        return None
    unknown = sorted({*passed, *answer.failed_criteria} - set(rubric.criterion_ids))
    if unknown:
        return f"the rubric has no criterion {unknown[0]!r}"
    if answer.failure_mode not in (None, *rubric.failure_mode_ids):
        return f"the rubric has no failure mode {answer.failure_mode!r}"
    listed = answer.passed_criteria is not None or answer.failed_criteria
    if listed and rubric.passes(frozenset(passed)) != answer.passed:
        return f"passed is {answer.passed} but the pass rule gives {not answer.passed}"
    return None


def load_function(module: str, attribute: str, root: Path) -> Callable[[Item], Any]:
    """Return the function of a module that lies below `root`.

    Raises:
        InputError: the module, the function or an import of it is missing.
    """
    path = module_file(module, root) if module else None
    if path is None or not attribute:
        raise InputError(
            f"there is no python grader {module}:{attribute}",
            expected="module:function, with the module below the workspace's folder",
        )
    loaded = _import(module, path, root)
    function = getattr(loaded, attribute, None)
    if not callable(function):
        raise InputError(
            f"module {module!r} has no function {attribute!r}",
            expected=", ".join(_functions(loaded)) or "a function",
        )
    found: Callable[[Item], Any] = function
    return found


def _import(module: str, path: Path, root: Path) -> ModuleType:
    with _import_lock:
        _forget(sources(module, root))
        sys.path.insert(0, str(root))
        try:
            importlib.invalidate_caches()
            loaded = importlib.import_module(module)
        except Exception as error:
            raise InputError(
                f"module {module!r} cannot be imported: {type(error).__name__}: {error}"
            ) from error
        finally:
            sys.path.remove(str(root))
    if Path(loaded.__file__ or "").resolve() != path.resolve():
        raise InputError(
            f"module {module!r} is hidden by another of that name", mend="give it another name"
        )
    return loaded


def _forget(names: Iterable[str]) -> None:
    # Load the workspace's files as they are now: neither an older state of them nor modules of
    # another workspace with the same names may answer. Installed packages stay as they are.
    tops = {name.split(".", 1)[0] for name in names} - set(sys.stdlib_module_names)
    for name in list(sys.modules):
        if name.split(".", 1)[0] in tops and not _installed(sys.modules[name]):
            del sys.modules[name]


def _installed(module: ModuleType) -> bool:
    return "site-packages" in Path(getattr(module, "__file__", None) or "").parts


def _functions(module: ModuleType) -> list[str]:
    found = vars(module).items()
    return sorted(n for n, value in found if inspect.isfunction(value) and not n.startswith("_"))
