"""What the Calibrate and Disagreements pages show, computed by the library and kept until a file
that it was read from changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from judgekit.calibration.calibrate import CalibrationRequest, calibrate_family
from judgekit.calibration.cases import Case, cases_of
from judgekit.calibration.comparison import ComparisonReport
from judgekit.calibration.foresight import Foresight, foresee
from judgekit.calibration.looks import LookLedger
from judgekit.cli.calibrate_inputs import Options, dataset_families
from judgekit.cli.compare_inputs import CompareOptions, comparison
from judgekit.errors import JudgekitError, NoRate
from judgekit.model.item import Item
from judgekit.model.label import OVERALL
from judgekit.model.release import Release
from judgekit.store.dataset import SPLITS, Dataset
from judgekit.store.workspace import Workspace, find_workspace
from judgekit.wiring import build_grader, inputs_stamp
from parts.settings import workspace

MOST_VALUES = 20
NO_JUDGE = (
    "This workspace has no judge yet: a grader of kind judge under `graders:` in judgekit.yaml."
)
NO_LABELS = (
    "This dataset has no released labels yet, so nothing can be compared with them. "
    "A release is proposed in Approvals."
)
Families = tuple[tuple[CalibrationRequest, ...], ...]


@dataclass(frozen=True)
class Offer:
    """What there is to choose from in one dataset."""

    dataset: str
    version: str
    labels_hash: str | None
    releases: tuple[Release, ...]
    judges: tuple[str, ...]
    splits: tuple[str, ...]
    default_split: str
    policies: tuple[str, ...]
    default_policy: str | None
    references: tuple[str, ...]
    criteria: tuple[str, ...]
    slices: tuple[str, ...]

    @property
    def lacks(self) -> str | None:
        """Return what is missing before judges can be compared, None where nothing is."""
        if not self.judges:
            return NO_JUDGE
        return NO_LABELS if self.labels_hash is None else None


@dataclass(frozen=True)
class Question:
    """The requests of one choice, and what was left out."""

    options: Options
    families: Families
    ledger: LookLedger
    told: tuple[str, ...]

    @property
    def requests(self) -> tuple[CalibrationRequest, ...]:
        """Return the requests in the order of the reports."""
        return tuple(request for family in self.families for request in family)


@dataclass(frozen=True)
class Asked(Question):
    """A question with what looking would show and cost."""

    foresight: Foresight


@dataclass(frozen=True)
class Version:
    """What one judge is, by name of its part: rubric, model, prompt, settings."""

    judge: str
    fingerprint: str
    model: str
    parts: tuple[tuple[str, str], ...]


def offer(dataset: str | None) -> Offer:
    """Return what can be chosen in a dataset.

    Raises:
        InputError: the workspace or the dataset cannot be used.
    """
    place = workspace()
    name = dataset or place.settings.dataset or ""
    return _offer(str(place.root), dataset, inputs_stamp(place, name) if name else "")


@st.cache_resource(show_spinner=False, max_entries=8)
def _offer(root: str, dataset: str | None, stamp: str) -> Offer:
    del stamp  # part of the cache's key
    place = find_workspace(Path(root))
    data = place.dataset(dataset)
    settings = place.settings
    policy = settings.policies.get(settings.gate.policy)
    present = set(data.split_of.values())
    splits = tuple(split for split in SPLITS if split in present)
    return Offer(
        dataset=data.folder.name,
        version=data.version,
        labels_hash=data.label_file.file_hash if data.label_file else None,
        releases=data.manifest.releases,
        judges=tuple(n for n, g in settings.graders.items() if g.kind == "judge"),
        splits=(*splits, "all"),
        default_split=_default_split(splits, policy.split if policy else "all"),
        policies=tuple(settings.policies),
        default_policy=settings.gate.policy if policy else None,
        references=_references(data),
        criteria=_criteria(place, data),
        slices=_slices(data),
    )


def _default_split(splits: tuple[str, ...], policy: str) -> str:
    """Return development, where looking is free; else the policy's split; else all items."""
    return next((one for one in ("development", policy) if one in splits), "all")


def _references(data: Dataset) -> tuple[str, ...]:
    people = sorted({label.annotator for label in data.labels})
    return ("auto", "adjudicated", "agreement", "majority", *people)


def _criteria(place: Workspace, data: Dataset) -> tuple[str, ...]:
    names = {g.rubric for g in place.settings.graders.values() if g.rubric and g.kind == "judge"}
    known = {c for name in names for c in place.rubric(name).criterion_ids}
    labelled = {label.criterion for label in data.labels} - {OVERALL}
    return tuple(sorted(known & labelled)) or tuple(sorted(labelled))


def _slices(data: Dataset) -> tuple[str, ...]:
    values: dict[str, set[str]] = {}
    for item in data.items:
        for key, value in item.metadata.items():
            values.setdefault(key, set()).add(str(value))
    return tuple(sorted(key for key, found in values.items() if 1 < len(found) <= MOST_VALUES))


def ask(options: Options) -> Asked:
    """Return the requests of a choice and what looking would show; nothing is spent.

    Raises:
        JudgekitError: as `judgekit calibrate`.
    """
    stamp = inputs_stamp(workspace(), options.dataset or "")
    return _asked(options.model_dump_json(), stamp, options)


@st.cache_resource(show_spinner="Reading verdicts and labels", max_entries=16)
def _asked(key: str, stamp: str, _options: Options) -> Asked:
    one = _question(key, stamp, _options)
    foresight = foresee(one.families, one.ledger)
    return Asked(_options, one.families, one.ledger, one.told, foresight)


@st.cache_resource(show_spinner="Reading verdicts and labels", max_entries=16)
def _question(key: str, stamp: str, _options: Options) -> Question:
    del key, stamp  # they are the cache's key
    told: list[str] = []
    families, ledger = dataset_families(_options, tell=told.append)
    return Question(_options, families, ledger, tuple(told))


def spend_looks(asked: Asked) -> None:
    """Look for good, as `judgekit calibrate` does: each new look is written to the ledger."""
    for family in asked.families:
        calibrate_family(family, ledger=asked.ledger)


def compared(asked: Asked) -> ComparisonReport | JudgekitError | None:
    """Return the comparison of the judges, why there is none, or None with one judge.

    Only of judges whose figures were looked at and only one unit: so no look is spent here.
    """
    options = asked.options
    if len(asked.families) < 2 or options.slice_by or len(options.criteria) > 1:
        return None
    if asked.foresight.new_looks:
        return None
    stamp = inputs_stamp(workspace(), options.dataset or "")
    names = tuple(family[0].judge for family in asked.families)
    one = next(iter(options.criteria), None)
    wanted = options.model_copy(update={"judges": names, "criterion": one})
    return _compared(wanted.model_dump_json(), stamp, wanted)


@st.cache_resource(show_spinner="Comparing judges", max_entries=16)
def _compared(key: str, stamp: str, _options: Options) -> ComparisonReport | JudgekitError:
    del key, stamp  # they are the cache's key
    try:
        return comparison(_options, CompareOptions())
    except JudgekitError as error:
        return error


def versions(options: Options, judges: tuple[str, ...]) -> tuple[Version, ...]:
    """Return what each judge is, as its fingerprint covers it."""
    place = workspace()
    stamp = inputs_stamp(place, options.dataset or "")
    return _versions(str(place.root), judges, stamp)


@st.cache_resource(show_spinner=False, max_entries=16)
def _versions(root: str, judges: tuple[str, ...], stamp: str) -> tuple[Version, ...]:
    del stamp  # part of the cache's key
    place = find_workspace(Path(root))
    found = []
    for name in judges:
        fingerprint = build_grader(place, name).fingerprint
        settings = place.grader(name)
        found.append(
            Version(
                judge=name,
                fingerprint=fingerprint.value,
                model=settings.model or settings.function or settings.verdicts or "-",
                parts=tuple(sorted(fingerprint.components.items())),
            )
        )
    return tuple(found)


@dataclass(frozen=True)
class Read:
    """The cases of one judge on one unit and slice, and the items they are about.

    `no_rate` says why the labels give no rate, None where they give one.
    """

    asked: Question
    request: CalibrationRequest
    foresight: Foresight
    cases: tuple[Case, ...]
    items: dict[str, Item]
    no_rate: NoRate | None


def read_cases(options: Options, *, judge: str, slice_value: str | None) -> Read:
    """Return the cases of one judge, exactly those that its matrix counts.

    Raises:
        JudgekitError: as `judgekit calibrate`.
    """
    stamp = inputs_stamp(workspace(), options.dataset or "")
    return _read(options.model_dump_json(), stamp, judge, slice_value, options)


@st.cache_resource(show_spinner="Reading cases", max_entries=16)
def _read(key: str, stamp: str, judge: str, slice_value: str | None, _options: Options) -> Read:
    asked = _question(key, stamp, _options)
    request = next(r for r in asked.requests if r.judge == judge and slice_value in (None, r.slice))
    items = {item.id: item for item in request.items or ()}
    no_rate = None
    try:
        foresight = foresee(((request,),), asked.ledger)
    except NoRate as error:
        foresight, no_rate = Foresight(reports=(), new_looks=()), error
    return Read(asked, request, foresight, cases_of(request), items, no_rate)
