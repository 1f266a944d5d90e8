"""From settings to concrete graders: the only place that chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.errors import InputError, ItemError, NotRun, UsageError
from judgekit.model.canonical import content_hash
from judgekit.model.grader import Grader
from judgekit.model.item import Item
from judgekit.model.rubric import Rubric
from judgekit.model.throttle import Throttle
from judgekit.model.verdict import Usage, Verdict
from judgekit.runs.budget import CostEstimate
from judgekit.runs.collect import current_verdicts
from judgekit.runs.throttle import AdaptiveThrottle
from judgekit.store.dataset import Dataset
from judgekit.store.journal import read_verdict_journal
from judgekit.store.workspace import EndpointSettings, GraderSettings, Workspace

if TYPE_CHECKING:
    from judgekit.approval.evidence import Evidence
    from judgekit.approval.gather import Candidate
    from judgekit.providers.base import Endpoint

CHARACTERS_PER_TOKEN = 4
EXPECTED_REPLY_TOKENS = 300
DEFAULT_ENDPOINT = "default"


def run_names(workspace: Workspace, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the graders to run: those wanted, else all that are not recorded.

    Raises:
        InputError: a wanted grader is not in judgekit.yaml.
        UsageError: there is none to run.
    """
    for name in wanted:
        workspace.grader(name)
    graders = workspace.settings.graders
    names = tuple(dict.fromkeys(wanted)) or tuple(
        name for name, settings in graders.items() if settings.provider != "recorded"
    )
    if not names:
        raise UsageError(
            "there is no grader to run",
            where=str(workspace.root / "judgekit.yaml"),
            mend="add one under `graders:`",
        )
    return names


def build_graders(workspace: Workspace, names: Sequence[str]) -> list[Grader]:
    """Return the graders, those of one endpoint behind one throttle. Nothing is sent."""
    throttles: dict[str, Throttle] = {}
    return [
        build_grader(workspace, name, throttle=_shared_throttle(workspace, name, throttles))
        for name in names
    ]


def build_grader(workspace: Workspace, name: str, *, throttle: Throttle | None = None) -> Grader:
    """Return one grader of judgekit.yaml. Needs no key and sends nothing.

    Raises:
        InputError: there is no such grader, or its rubric or file cannot be used.
        UsageError: its settings do not fit together.
    """
    settings = workspace.grader(name)
    if settings.provider == "recorded":
        return _recorded(workspace, name, settings)
    if settings.provider == "python":
        return _python(workspace, name, settings)
    if settings.provider == "scorer":
        return _scorer(workspace, name, settings)
    return _judge(workspace, name, settings, throttle or build_throttle(workspace, settings))


def build_throttle(workspace: Workspace, settings: GraderSettings) -> AdaptiveThrottle:
    """Return the throttle of a grader's endpoint."""
    endpoint = _endpoint_settings(workspace, settings)
    local = settings.provider == "llamacpp"  # its server answers one request at a time
    return AdaptiveThrottle(
        concurrency=1 if local else endpoint.concurrency,
        requests_per_minute=endpoint.requests_per_minute,
        tokens_per_minute=endpoint.tokens_per_minute,
    )


def build_price(
    workspace: Workspace, settings: GraderSettings
) -> Callable[[Usage], float | None] | None:
    """Return tokens -> US dollars for a grader's model, or None where no price is known."""
    from judgekit.providers.prices import price_of

    return price_of(settings.model or "", settings.provider, workspace.settings.prices)


def cost_estimator(workspace: Workspace) -> CostEstimate:
    """Return (grader, item) -> expected cost of one verdict in US dollars; None = no price known.

    A request counts one token for four characters and a reply 300 tokens. A grader that sends no
    prompt is free, and so is an item that cannot be sent. A price is looked up once a grader.
    """
    price_of_grader = cache(lambda name: build_price(workspace, workspace.grader(name)))

    def estimate(grader: Grader, item: Item) -> float | None:
        show_prompt = getattr(grader, "show_prompt", None)
        if show_prompt is None:
            return 0.0
        price = price_of_grader(grader.name)
        if price is None:
            return None
        try:
            tokens = len(show_prompt(item)) // CHARACTERS_PER_TOKEN + 1
        except ItemError:
            return 0.0
        return price(Usage(input_tokens=tokens, output_tokens=EXPECTED_REPLY_TOKENS))

    return estimate


def require_credentials(graders: Sequence[Grader]) -> None:
    """Check that every environment variable the graders need is set.

    Raises:
        NotRun: one is not; it says which to set.
    """
    for grader in graders:
        provider = getattr(grader, "provider", None)
        read = getattr(provider, "secret_headers", None)
        if read is not None:
            _read_for(grader.name, read)


def _read_for(name: str, read: Callable[[], object]) -> None:
    try:
        read()
    except NotRun as error:
        where = f"judgekit.yaml: graders.{name}"
        raise NotRun(error.message, where=where, mend=error.mend) from error


def load_verdicts(
    workspace: Workspace, grader_name: str, fingerprint: str, dataset: Dataset
) -> tuple[Verdict, ...]:
    """Return a grader's verdicts under one fingerprint about a dataset's present items.

    They come from the journal, and from `annotations/<dataset>/verdicts/` for what it lacks.
    Verdicts under another fingerprint or about changed items are never among them.
    """
    found: dict[tuple[str, int], Verdict] = {}
    for path in verdict_paths(workspace, grader_name, dataset):
        for verdict in current_verdicts(path, fingerprint, dataset.items):
            key = (verdict.item_id, verdict.regrade)
            if key not in found or found[key].status == "failed":
                found[key] = verdict
    return tuple(found.values())


def all_verdicts(workspace: Workspace, grader_name: str, dataset: Dataset) -> tuple[Verdict, ...]:
    """Return every verdict on record of one grader, of any fingerprint; for looking at only."""
    if workspace.grader(grader_name).provider == "recorded":
        return _recorded_verdicts(workspace, grader_name)
    found: dict[tuple[str, str, str, int], Verdict] = {}
    for path in verdict_paths(workspace, grader_name, dataset):
        for verdict in read_verdict_journal(path):
            key = (verdict.item_id, verdict.fingerprint, verdict.item_hash, verdict.regrade)
            found.setdefault(key, verdict)
    return tuple(found.values())


def verdict_paths(workspace: Workspace, grader_name: str, dataset: Dataset) -> tuple[Path, Path]:
    """Return where a grader's verdicts may lie: the journal and the dataset's own file."""
    file = f"{grader_name}.jsonl"
    return journal_dir(workspace) / file, dataset.folder / "verdicts" / file


def journal_dir(workspace: Workspace) -> Path:
    """Return the folder of the verdict journals."""
    return workspace.state_dir / "verdicts"


def evidence_of(
    workspace: Workspace,
    judge: str,
    dataset_name: str | None,
    policy_name: str,
    *,
    reference: str = "auto",
    criterion: str | None = None,
    record_look: bool = True,
) -> Evidence:
    """Return what an approval of `judge` would rest on: its calibration on the policy's split.

    `judgekit approve` and the app's Approvals page both read it here, so that they sign the same.
    `record_look` False reads the ledger of looks and leaves it as it is.

    Raises:
        UsageError: this kind of grader cannot be approved.
        InputError: the judge's verdicts are still being written, or nothing can be paired.
    """
    from judgekit.approval.gather import gather
    from judgekit.store.label_files.released.labels_file import refuse_edited

    candidate = _candidate(workspace, judge)
    dataset = workspace.dataset(dataset_name)
    refuse_edited(dataset.folder)
    if record_look:
        _refuse_unfinished(journal_dir(workspace) / f"{judge}.jsonl")
    return gather(
        candidate,
        dataset,
        load_verdicts(workspace, judge, candidate.fingerprint.value, dataset),
        workspace.policy(policy_name),
        reference=reference,
        criterion=criterion,
        record_look=record_look,
    )


def _candidate(workspace: Workspace, judge: str) -> Candidate:
    from judgekit.approval.approve import check_kind
    from judgekit.approval.gather import Candidate

    settings = workspace.grader(judge)
    grader = build_grader(workspace, judge)
    check_kind(judge, grader.kind)
    return Candidate(
        judge=judge,
        kind=grader.kind,
        fingerprint=grader.fingerprint,
        rubric=workspace.rubric(settings.rubric) if settings.rubric else None,
        app_version=settings.app_version,
    )


def _refuse_unfinished(journal: Path) -> None:
    from judgekit.store.locks import is_locked

    if is_locked(journal):
        raise InputError(
            "the verdicts of this judge are still being written; no look was spent",
            where=str(journal),
            mend="approve when the run has ended",
        )


def inputs_stamp(workspace: Workspace, dataset_name: str) -> str:
    """Return a value that changes whenever a file that a calibration reads does.

    Files are told apart by path, size and time of change: the app asks on every rerun.
    """
    root = workspace.root
    graders = workspace.settings.graders.values()
    named = [root / str(path) for g in graders for path in (g.verdicts, g.weights) if path]
    named += [root / e.cassette for e in workspace.settings.endpoints.values() if e.cassette]
    modules = {(g.function or "").partition(":")[0].replace(".", "/") for g in graders}
    sources = [p for m in modules if m for p in (root / m).parent.glob("*.py")]
    folders = [workspace.annotations_dir / dataset_name, journal_dir(workspace), root / "rubrics"]
    inside = [path for folder in folders for path in sorted(folder.rglob("*"))]
    inside = [path for path in inside if path.parent.name != "events"]  # no calibration reads them
    fixed = [root / "judgekit.yaml", workspace.lock_path]
    stamps = [_stamp(path) for path in (*fixed, *named, *sorted(sources), *inside)]
    return content_hash([stamps, _being_written(workspace)])


def _being_written(workspace: Workspace) -> list[str]:
    """Return the graders whose verdicts are being written now: then nothing is decided on them."""
    from judgekit.store.locks import is_locked

    names = workspace.settings.graders
    return [name for name in names if is_locked(journal_dir(workspace) / f"{name}.jsonl")]


def _stamp(path: Path) -> list[str | int]:
    try:
        found = path.stat()
    except OSError:
        return [str(path)]
    return [str(path), found.st_size, found.st_mtime_ns]


def _shared_throttle(workspace: Workspace, name: str, throttles: dict[str, Throttle]) -> Throttle:
    settings = workspace.grader(name)
    key = settings.endpoint or f"provider {settings.provider}"
    if key not in throttles:
        throttles[key] = build_throttle(workspace, settings)
    return throttles[key]


def _endpoint_settings(workspace: Workspace, settings: GraderSettings) -> EndpointSettings:
    if settings.endpoint is None:
        return EndpointSettings()
    return workspace.settings.endpoints[settings.endpoint]


def _endpoint(workspace: Workspace, settings: GraderSettings) -> Endpoint:
    from judgekit.providers.base import Endpoint

    given = _endpoint_settings(workspace, settings)
    kept: dict[str, Any] = given.model_dump(exclude={"requests_per_minute", "tokens_per_minute"})
    if given.cassette is not None:
        kept["cassette"] = str(workspace.root / given.cassette)
    return Endpoint(name=settings.endpoint or DEFAULT_ENDPOINT, **kept)


def _needed_rubric(workspace: Workspace, name: str, settings: GraderSettings) -> Rubric:
    if settings.rubric is None:
        raise UsageError(
            f"the grader {name!r} has no rubric",
            where=f"judgekit.yaml: graders.{name}",
            expected="rubric: <name of a file in rubrics/>",
        )
    return workspace.rubric(settings.rubric)


def _judge(workspace: Workspace, name: str, settings: GraderSettings, throttle: Throttle) -> Grader:
    from judgekit.judges.judge import Judge
    from judgekit.providers.catalog import load_provider

    rubric = _needed_rubric(workspace, name, settings)
    weights = str(workspace.root / settings.weights) if settings.weights else None
    provider = load_provider(settings.provider, _endpoint(workspace, settings), weights=weights)
    return Judge(
        name,
        rubric,
        provider,
        settings.model or settings.provider,
        mode=settings.mode,
        settings=settings.settings,
        reasks=settings.reasks,
        app_version=settings.app_version,
        price=build_price(workspace, settings),
        throttle=throttle,
    )


def _python(workspace: Workspace, name: str, settings: GraderSettings) -> Grader:
    from judgekit.scorers.python_function import PythonGrader

    return PythonGrader(
        name,
        settings.function or "",
        rubric=workspace.rubric(settings.rubric) if settings.rubric else None,
        root=workspace.root,
        kind=settings.kind,
        app_version=settings.app_version,
    )


def _recorded(workspace: Workspace, name: str, settings: GraderSettings) -> Grader:
    from judgekit.scorers.recorded import RecordedGrader
    from judgekit.store.files import file_hash

    verdicts = _recorded_verdicts(workspace, name)
    return RecordedGrader(name, verdicts, file_hash(workspace.root / (settings.verdicts or "")))


def _recorded_verdicts(workspace: Workspace, name: str) -> tuple[Verdict, ...]:
    from judgekit.store.recorded import read_verdicts

    found = read_verdicts(workspace.root / (workspace.grader(name).verdicts or ""))
    if name in found.verdicts:
        return found.verdicts[name]
    if len(found.verdicts) != 1:
        raise UsageError(
            f"the verdict file of grader {name!r} holds several judges, none of that name",
            where=f"judgekit.yaml: graders.{name}.verdicts",
            found=", ".join(found.verdicts),
            mend="name the grader as one of them",
        )
    return next(iter(found.verdicts.values()))


def _scorer(workspace: Workspace, name: str, settings: GraderSettings) -> Grader:
    from judgekit.scorers.base import Scorer, scorers

    if not settings.function or settings.kind != "scorer":
        raise UsageError(
            f"grader {name!r} has provider 'scorer' and needs `kind: scorer` and a `function`",
            where=f"judgekit.yaml: graders.{name}",
            found=f"kind: {settings.kind}, function: {settings.function}",
            expected=f"function: one of {', '.join(scorers())}",
        )
    return Scorer(
        name,
        settings.function,
        settings.settings,
        app_version=settings.app_version,
        root=workspace.root,
    )
