"""The workspace: judgekit.yaml and the folders beside it."""

from __future__ import annotations

import os
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from judgekit.errors import InputError, UsageError
from judgekit.model.agent import Agent
from judgekit.model.base import Record
from judgekit.model.policy import Policy
from judgekit.model.rubric import Rubric
from judgekit.store.dataset import Dataset, load_dataset
from judgekit.store.formats.yaml_file import YamlDocument
from judgekit.store.label_settings import LabelSettings
from judgekit.store.rubrics import builtin_rubrics, load_rubric

SETTINGS_FILE = "judgekit.yaml"
Mode = Literal["json_schema", "tools", "prompt_json"]


class EndpointSettings(Record):
    """How to reach one provider. Keys and headers are named by environment variable, never given.

    `headers_env` and `query_env` map a header or query parameter to the variable that holds it.
    `cassette` is a file from the workspace that keeps every reply; with `provider: replay` they are
    played from it, and `replays` names the provider that was recorded.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    headers_env: dict[str, str] = Field(default_factory=dict)
    query_env: dict[str, str] = Field(default_factory=dict)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    ca_file: str | None = None
    timeout_s: float = Field(default=60.0, gt=0)
    concurrency: int = Field(default=16, ge=1, le=1024)
    cassette: str | None = Field(default=None, min_length=1)
    replays: str | None = Field(default=None, min_length=1)


class GraderSettings(Record):
    """One grader. `settings` are sampling settings sent to the provider as they stand."""

    provider: str = Field(min_length=1)
    kind: Literal["judge", "scorer"] = "judge"
    rubric: str | None = None
    model: str | None = None
    endpoint: str | None = None
    mode: Mode = "json_schema"
    settings: dict[str, Any] = Field(default_factory=dict)
    reasks: int = Field(default=0, ge=0, le=5)
    function: str | None = None
    verdicts: str | None = None
    weights: str | None = None
    app_version: str | None = None


class GateSettings(Record):
    """What `judgekit gate` runs, and under which policy."""

    scorers: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    policy: str = "default"


class PriceSettings(Record):
    """A price that replaces the table's, in US dollars per million tokens."""

    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)
    cached_usd_per_million: float | None = Field(default=None, ge=0)


class WorkspaceSettings(Record):
    """The file judgekit.yaml."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    dataset: str | None = None
    endpoints: dict[str, EndpointSettings] = Field(default_factory=dict)
    graders: dict[str, GraderSettings] = Field(default_factory=dict)
    agents: dict[str, Agent] = Field(default_factory=dict)
    policies: dict[str, Policy] = Field(default_factory=dict)
    gate: GateSettings = GateSettings()
    prices: dict[str, PriceSettings] = Field(default_factory=dict)
    label: LabelSettings = LabelSettings()


class Workspace(Record):
    """A folder with judgekit.yaml, and what lies beside it."""

    root: Path
    settings: WorkspaceSettings

    @cached_property
    def state_dir(self) -> Path:
        """Return the folder of the journal and caches; labels are never only there."""
        return self.root / ".judgekit"

    @property
    def annotations_dir(self) -> Path:
        """Return the folder of the datasets."""
        return self.root / "annotations"

    @property
    def lock_path(self) -> Path:
        """Return the path of judges.lock."""
        return self.root / "judges.lock"

    def grader(self, name: str) -> GraderSettings:
        """Return the settings of a grader.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.settings.graders:
            raise self._unknown("grader", name, list(self.settings.graders))
        return self.settings.graders[name]

    def agent(self, name: str) -> Agent:
        """Return an agent under test.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.settings.agents:
            raise self._unknown("agent", name, list(self.settings.agents))
        return self.settings.agents[name]

    def policy(self, name: str) -> Policy:
        """Return a policy.

        Raises:
            InputError: there is none of that name.
        """
        if name not in self.settings.policies:
            raise self._unknown("policy", name, list(self.settings.policies))
        return self.settings.policies[name]

    def rubric(self, name: str) -> Rubric:
        """Return the rubric `rubrics/<name>.yaml`, else the built-in one of that name.

        Raises:
            InputError: there is none, or the file cannot be used.
        """
        names = self.rubric_names()
        if name not in names:
            raise self._unknown("rubric", name, list(names))
        paths = (folder / f"{name}.yaml" for folder in self._rubric_folders())
        path = next(path for path in paths if path.is_file())
        rubric = load_rubric(path)
        if rubric.name != name:
            raise InputError(
                f"the rubric in {path.name!r} has another name",
                where=str(path),
                found=repr(rubric.name),
                expected=f"name: {name}",
            )
        return rubric

    def dataset(self, name: str | None = None) -> Dataset:
        """Return a dataset; without a name the one that judgekit.yaml declares.

        Raises:
            InputError: there is none, or a file of it cannot be used.
        """
        wanted = name or self.settings.dataset
        names = self.dataset_names()
        if wanted is None:
            raise InputError(
                "no dataset is named",
                where=str(self.root / SETTINGS_FILE),
                expected="dataset: <name>, or --dataset",
            )
        if wanted not in names:
            raise self._unknown("dataset", wanted, list(names))
        return load_dataset(self.annotations_dir / wanted)

    def rubric_names(self) -> tuple[str, ...]:
        """Return the names of all rubrics, built-in ones too."""
        folders = self._rubric_folders()
        return tuple(sorted({path.stem for folder in folders for path in folder.glob("*.yaml")}))

    def dataset_names(self) -> tuple[str, ...]:
        """Return the names of the datasets in `annotations/`."""
        folders = self.annotations_dir.iterdir() if self.annotations_dir.is_dir() else ()
        return tuple(sorted(folder.name for folder in folders if folder.is_dir()))

    def _rubric_folders(self) -> tuple[Path, Path]:
        return self.root / "rubrics", builtin_rubrics()

    def _unknown(self, kind: str, name: str, names: list[str]) -> InputError:
        near = get_close_matches(name, names, n=1)
        return InputError(
            f"there is no {kind} called {name!r}",
            where=str(self.root),
            found=repr(name),
            expected=", ".join(sorted(names)) or f"no {kind} is there yet",
            mend=f"did you mean {near[0]!r}?" if near else None,
        )


def find_workspace(folder: Path | None = None) -> Workspace:
    """Return the workspace in `folder`; None is the current folder or the nearest one above it.

    Raises:
        UsageError: `folder` is not there, or is no workspace; no folder above it is taken instead.
        InputError: there is no judgekit.yaml, or it cannot be used.
    """
    if folder is not None:
        root = Path(os.path.realpath(folder))  # a loop of links is no folder, not an error
        _refuse_other_folder(folder, root)
    else:
        here = _here()
        found = _nearest(here)
        if found is None:
            raise InputError(
                f"there is no {SETTINGS_FILE} here or in a folder above",
                where=str(here),
                expected=SETTINGS_FILE,
                mend="run `judgekit init`, or give --workspace",
            )
        root = found
    return Workspace(root=root, settings=load_settings(root / SETTINGS_FILE))


def workspace_if_any(folder: Path | None = None) -> Workspace | None:
    """Return what `find_workspace` does; None where no folder is named and no workspace is near.

    Raises:
        UsageError: `folder` is not there, or is no workspace.
        InputError: there is a judgekit.yaml that cannot be used.
    """
    if folder is None and _nearest(_here()) is None:
        return None
    return find_workspace(folder)


def _here() -> Path:
    try:
        return Path.cwd().resolve()
    except FileNotFoundError as error:
        raise InputError(
            "the current folder is gone: it was deleted or moved",
            mend="change into a folder that is there, or give --workspace",
        ) from error


def _nearest(folder: Path) -> Path | None:
    around = (folder, *folder.parents)
    return next((one for one in around if (one / SETTINGS_FILE).is_file()), None)


def _refuse_other_folder(given: Path, root: Path) -> None:
    """Refuse a folder that is no workspace: results for another one would be silently wrong."""
    if not root.is_dir():
        raise UsageError(
            f"the workspace {str(given)!r} is not there",
            where=str(root),
            found="a file" if root.exists() else "no such folder",
            expected=f"a folder with {SETTINGS_FILE}",
            mend="name the folder as it is called, or make one: judgekit init --workspace FOLDER",
        )
    if not (root / SETTINGS_FILE).is_file():
        around = _nearest(root)
        raise UsageError(
            f"the folder {str(given)!r} is no workspace",
            where=str(root),
            found=f"no {SETTINGS_FILE}",
            expected=f"a folder with {SETTINGS_FILE}",
            mend="judgekit init --workspace FOLDER makes one"
            if around is None
            else f"name the one around it: --workspace {around}",
        )


def load_settings(path: Path) -> WorkspaceSettings:
    """Return the settings in judgekit.yaml.

    Raises:
        InputError: a key is unknown, a value wrong, or a name points nowhere; says file:line, key.
    """
    document = YamlDocument(path)
    settings = document.parse(WorkspaceSettings)
    for name, grader in settings.graders.items():
        _check_grader(document, settings, name, grader)
    _check_gate(document, settings)
    return settings


def _check_grader(
    document: YamlDocument, settings: WorkspaceSettings, name: str, grader: GraderSettings
) -> None:
    if grader.endpoint is not None and grader.endpoint not in settings.endpoints:
        raise document.fault(
            ("graders", name, "endpoint"),
            f"the grader {name!r} names an endpoint that is not there",
            found=repr(grader.endpoint),
            expected=", ".join(sorted(settings.endpoints)) or "an entry under endpoints",
        )
    needed = {"python": "function", "recorded": "verdicts"}.get(grader.provider)
    if needed is not None and getattr(grader, needed) is None:
        raise document.fault(
            ("graders", name),
            f"the grader {name!r} lacks {needed!r}",
            found="nothing",
            expected=f"the key {needed!r}, which provider {grader.provider!r} needs",
        )


def _check_gate(document: YamlDocument, settings: WorkspaceSettings) -> None:
    for key in ("scorers", "judges"):
        for index, name in enumerate(getattr(settings.gate, key)):
            if name not in settings.graders:
                raise document.fault(
                    ("gate", key, index),
                    "the gate names a grader that is not there",
                    found=repr(name),
                    expected=", ".join(sorted(settings.graders)) or "an entry under graders",
                )
    if "policy" in settings.gate.model_fields_set and settings.gate.policy not in settings.policies:
        raise document.fault(
            ("gate", "policy"),
            "the gate names a policy that is not there",
            found=repr(settings.gate.policy),
            expected=", ".join(sorted(settings.policies)) or "an entry under policies",
        )
