"""What `judgekit calibrate` reads: recorded files, or a dataset and the graders' verdicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.cli.options import unusable_value
from judgekit.cli.output import say
from judgekit.errors import JudgekitError, NoVerdicts, UsageError
from judgekit.model.base import Record
from judgekit.model.policy import Policy

if TYPE_CHECKING:
    from judgekit.calibration.calibrate import CalibrationRequest
    from judgekit.calibration.files import CalibrationFiles
    from judgekit.calibration.looks import LookLedger
    from judgekit.calibration.subject import Subject
    from judgekit.model.grader import Grader
    from judgekit.model.rubric import Rubric
    from judgekit.model.verdict import Verdict
    from judgekit.store.dataset import Dataset
    from judgekit.store.mapping import Mapping
    from judgekit.store.workspace import Workspace

LIMITS = ("max_false_pass_rate", "max_false_fail_rate", "min_kappa", "confidence")


class Options(Record):
    """The options of one `judgekit calibrate`, as given."""

    items: Path | None = None
    labels: Path | None = None
    verdicts: Path | None = None
    judges: tuple[str, ...] = ()
    dataset: str | None = None
    workspace: Path | None = None
    split: str | None = None
    reference: str | None = None
    criterion: str | None = None
    criteria: tuple[str, ...] = ()
    slice_by: str | None = None
    release: str | None = None
    rubric: str | None = None
    mapping: Path | None = None
    pass_if: str | None = None
    positive: str | None = None
    policy: str | None = None
    lenient: bool = False
    max_false_pass_rate: float | None = None
    max_false_fail_rate: float | None = None
    min_kappa: float | None = None
    confidence: float | None = None


def read_mapping(options: Options) -> Mapping:
    """Return the mapping file's content under the options that override it."""
    from judgekit.store.mapping import Mapping, load_mapping, parse_pass_if

    given = load_mapping(options.mapping) if options.mapping is not None else Mapping()
    if options.pass_if is not None:
        parse_pass_if(options.pass_if)
    over = {
        "pass_if": options.pass_if,
        "positive": options.positive,
        "reference": options.reference,
    }
    kept = {key: value for key, value in over.items() if value is not None}
    return Mapping.model_validate({**given.model_dump(), **kept}) if kept else given


def read_policy(options: Options, *, fallback: Policy | None) -> Policy | None:
    """Return the policy asked for (else `fallback`) under the limits given as options.

    Raises:
        UsageError: a limit is out of range.
    """
    from pydantic import ValidationError

    named = _named_policy(options) if options.policy is not None else fallback
    over = {name: getattr(options, name) for name in LIMITS if getattr(options, name) is not None}
    if not over:
        return named
    base = named.model_dump() if named is not None else {}
    try:
        return Policy.model_validate({**base, **over})
    except ValidationError as error:
        raise unusable_value(error) from error


def _named_policy(options: Options) -> Policy:
    from judgekit.store.formats.yaml_file import load_yaml
    from judgekit.store.workspace import find_workspace

    name = options.policy or ""
    if name.endswith((".yaml", ".yml")):
        return load_yaml(Path(name), Policy)
    return find_workspace(options.workspace).policy(name)


def in_families(
    options: Options, requests_of: Callable[[Options], tuple[CalibrationRequest, ...]]
) -> tuple[tuple[CalibrationRequest, ...], ...]:
    """Return the requests of all criteria and slices asked for, those of one judge together."""
    from judgekit.calibration.families import sliced

    by_judge: dict[str, list[CalibrationRequest]] = {}
    for criterion in options.criteria or (None,):
        for request in requests_of(options.model_copy(update={"criterion": criterion})):
            key = options.slice_by
            parts = (request,) if key is None else sliced(request, key)
            by_judge.setdefault(request.judge, []).extend(parts)
    return tuple(tuple(requests) for requests in by_judge.values() if requests)


def dataset_families(
    options: Options, *, tell: Callable[[str], None] = say
) -> tuple[tuple[tuple[CalibrationRequest, ...], ...], LookLedger]:
    """Return the requests of a dataset, those of one judge together, and its ledger of looks.

    `judgekit calibrate` and the app's Calibrate page both read them here. `tell` takes what is
    left out, a sentence each.

    Raises:
        NoVerdicts: no grader has verdicts, or one that was named has none.
    """
    from judgekit.calibration.looks import LookLedger
    from judgekit.store.workspace import find_workspace

    place = find_workspace(options.workspace)
    data = chosen_dataset(options, place)
    families = in_families(options, lambda one: dataset_requests(one, place, data, tell=tell))
    return families, LookLedger(data.folder / "looks.jsonl")


def chosen_dataset(options: Options, place: Workspace) -> Dataset:
    """Return the dataset that the options name, with the labels of the release they name.

    Raises:
        InputError: there is no such dataset or release, or the labels are not as released.
    """
    data = place.dataset(options.dataset)
    from judgekit.store.label_files.released.labels_file import refuse_edited, release_labels_path
    from judgekit.store.readers import read_labels

    if options.release is None:
        refuse_edited(data.folder)
        return data

    labels = read_labels(release_labels_path(data.folder, options.release))
    return data.model_copy(update={"label_file": labels})


def file_requests(options: Options) -> tuple[CalibrationRequest, ...]:
    """Return the requests of recorded files.

    Raises:
        UsageError: labels or verdicts are not named, or an option of a dataset is.
    """
    from judgekit.calibration.files import requests_from_files

    return requests_from_files(recorded_files(options))


def recorded_files(options: Options) -> CalibrationFiles:
    """Return the recorded files that the options name.

    Raises:
        UsageError: labels or verdicts are not named, or an option of a dataset is.
    """
    from judgekit.calibration.files import CalibrationFiles
    from judgekit.store.workspace import find_workspace

    if options.labels is None or options.verdicts is None:
        raise UsageError(
            "recorded files need both labels and verdicts",
            expected="--labels FILE --verdicts FILE, and --items FILE where the texts are known",
        )
    if any((options.dataset, options.split, options.release)):
        raise UsageError("--dataset, --split, --release do not go with --labels and --verdicts")
    if options.workspace is not None:
        find_workspace(options.workspace)  # refused where it is none, also where nothing needs it
    return CalibrationFiles(
        labels=options.labels,
        verdicts=options.verdicts,
        items=options.items,
        judges=options.judges,
        criterion=options.criterion,
        rubric=_rubric(options),
        mapping=read_mapping(options),
        policy=read_policy(options, fallback=None),
        lenient=options.lenient,
    )


def large_subjects(options: Options) -> tuple[Subject, ...] | None:
    """Return what large plain files say, read by columns; None where they are to be read by rows.

    Raises:
        UsageError: as `recorded_files`.
    """
    from judgekit.calibration.columns import is_large, subjects_from_columns

    if options.labels is None or options.slice_by is not None or len(options.criteria) > 1:
        return None
    criterion = next(iter(options.criteria), None)
    files = recorded_files(options.model_copy(update={"criterion": criterion}))
    return subjects_from_columns(files) if is_large(files) else None


def _rubric(options: Options) -> Rubric | None:
    if options.rubric is None:
        return None
    from judgekit.store.rubrics import load_rubric
    from judgekit.store.workspace import find_workspace

    if options.rubric.endswith((".yaml", ".yml")):
        return load_rubric(Path(options.rubric))
    return find_workspace(options.workspace).rubric(options.rubric)


def dataset_requests(
    options: Options,
    place: Workspace,
    dataset: Dataset,
    *,
    tell: Callable[[str], None] = say,
) -> tuple[CalibrationRequest, ...]:
    """Return the requests of graders whose current fingerprints have verdicts; `tell` is told of
    the others and of the command that fetches them.

    Raises:
        NoVerdicts: no grader has verdicts, or one that was named has none.
    """
    policies = place.settings.policies
    default = policies.get(place.settings.gate.policy)
    policy = read_policy(options, fallback=default)
    split = options.split or (policy or Policy()).split
    names = options.judges or tuple(
        name for name, settings in place.settings.graders.items() if settings.kind == "judge"
    )
    requests, missing = [], []
    for name in names:
        found = _request(options, place, dataset, name, policy, split, tell)
        requests.append(found) if found is not None else missing.append(name)
    if missing:
        _tell_missing(missing, options, dataset, tell, all_missing=not requests)
    return tuple(requests)


def _tell_missing(
    missing: Sequence[str],
    options: Options,
    dataset: Dataset,
    tell: Callable[[str], None],
    *,
    all_missing: bool,
) -> None:
    graders = " ".join(f"--grader {name}" for name in missing)
    command = f"judgekit run --dataset {dataset.folder.name} {graders}"
    if all_missing or options.judges:
        raise NoVerdicts(
            f"{', '.join(missing)}: no verdicts of the current fingerprint",
            where=f"dataset {dataset.name!r}",
            mend=command,
        )
    tell(f"no verdicts of the current fingerprint: {', '.join(missing)}\n  mend: {command}")


def _grader_or_none(
    options: Options, place: Workspace, name: str, tell: Callable[[str], None]
) -> Grader | None:
    from judgekit.wiring import build_grader

    try:
        grader = build_grader(place, name)
        _ = grader.fingerprint  # read here: weights or a source may be missing
    except JudgekitError as error:
        if options.judges:
            raise
        tell(f"{name} is left out: {error}")
        return None
    return grader


def _request(
    options: Options,
    place: Workspace,
    dataset: Dataset,
    name: str,
    policy: Policy | None,
    split: str,
    tell: Callable[[str], None],
) -> CalibrationRequest | None:
    from judgekit.calibration.calibrate import CalibrationRequest
    from judgekit.calibration.files import reading_of

    grader = _grader_or_none(options, place, name, tell)
    if grader is None:
        return None
    fingerprint, rubric = grader.fingerprint.value, place.grader(name).rubric
    within = frozenset(item.id for item in dataset.items_of(split))
    known = verdicts_of(place, name, fingerprint, dataset)
    if not (verdicts := tuple(v for v in known if v.item_id in within and v.regrade == 0)):
        return None
    mapping = read_mapping(options)
    return CalibrationRequest(
        judge=name,
        fingerprint=fingerprint,
        kind=grader.kind,
        labels=dataset.labels,
        verdicts=verdicts,
        items=dataset.items,
        rule=mapping.reference or "auto",
        criterion=options.criterion,
        rubric=place.rubric(rubric) if rubric else None,
        reading=reading_of(mapping),
        policy=policy,
        split=None if split == "all" else split,
        within=within,
        order=mapping.order,
        synthetic=dataset.synthetic,
        design=dataset.design,
        filling=_being_filled(place, name, tell),
    )


def _being_filled(place: Workspace, name: str, tell: Callable[[str], None]) -> bool:
    """Tell whether another process is writing this grader's verdicts, and say so."""
    from judgekit.store.locks import is_locked
    from judgekit.wiring import journal_dir

    path = journal_dir(place) / f"{name}.jsonl"
    if not is_locked(path):
        return False
    tell(f"{name}: its verdicts are still being written; no look is spent and nothing is decided")
    return True


def verdicts_of(
    place: Workspace, name: str, fingerprint: str, dataset: Dataset
) -> tuple[Verdict, ...]:
    """Return a grader's verdicts under one fingerprint; of recorded ones, which have none, all."""
    from judgekit.wiring import all_verdicts, load_verdicts

    if place.grader(name).provider == "recorded":
        return all_verdicts(place, name, dataset)
    return load_verdicts(place, name, fingerprint, dataset)
