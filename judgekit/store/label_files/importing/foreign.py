"""Anyone's label file as import events, so that its labels are part of the log."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.label import OVERALL, Label
from judgekit.store.formats.problems import Refusal
from judgekit.store.label_files.aliases import check_alias
from judgekit.store.label_files.fold import label_of, standing
from judgekit.store.label_files.import_plan import ImportProblem
from judgekit.store.label_files.log.event_line import time_fault
from judgekit.store.label_store import ADJUDICATION, LabelEvent, LabelStore, Project
from judgekit.store.mapping import Mapping, common_answer, label_text
from judgekit.store.readers import scan_labels

UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
Chain = tuple[str, str, str]


class ReadLabels(Record):
    """Events for the labels that the log lacks, and where in the file each came from."""

    events: tuple[LabelEvent, ...]
    place: dict[str, tuple[str, int]]
    problems: tuple[ImportProblem, ...] = ()
    n_known: int = 0


def label_events(
    store: LabelStore, project: str, path: Path, *, mapping: Mapping | None = None
) -> ReadLabels:
    """Return import events for the labels of a file that do not stand in the log yet.

    A label that stands with the same answer, failure mode and note is known; one of the same
    person about the same item and criterion with another answer is a conflict. A label without a
    date keeps none; one without a design has its item's. Labels of origin `adjudicated` become
    adjudications.

    Raises:
        InputError: the file itself cannot be read.
    """
    reader = _Reader(store, store.projects.get(project), path.name, mapping)
    for entry in scan_labels(path):
        reader.take(entry)
    return ReadLabels(
        events=tuple(reader.events),
        place=reader.place,
        problems=tuple(reader.problems),
        n_known=reader.n_known,
    )


class _Reader:
    def __init__(
        self, store: LabelStore, project: Project, file: str, mapping: Mapping | None
    ) -> None:
        self._project = project
        self._file = file
        self._mapping = mapping
        stored = store.projects.items(project.name)
        self._hashes = {one.item.id: one.item_hash for one in stored}
        self._designs = {one.item.id: one.design for one in stored}
        log = tuple(store.events.since(0, project=project.name))
        self._standing = {
            key: label_of(event)
            for key, event in standing(log).items()
            if (event.value or {}).get("label") is not None
        }
        self._revs = _revisions(log)
        self.events: list[LabelEvent] = []
        self.place: dict[str, tuple[str, int]] = {}
        self.problems: list[ImportProblem] = []
        self.n_known = 0

    def take(self, entry: Label | Refusal) -> None:
        if isinstance(entry, Refusal):
            self.problems.append(ImportProblem.of(self._file, entry))
            return
        label = self._read(entry)
        if isinstance(label, Refusal):
            self.problems.append(ImportProblem.of(self._file, label))
            return
        stands = self._standing.get(_chain(label))
        if stands is None:
            self._add(label)
        elif _answer(stands) == _answer(label):
            self.n_known += 1
        else:
            self.problems.append(
                ImportProblem.of(self._file, _conflict(label, stands), "conflicting")
            )

    def _read(self, label: Label) -> Label | Refusal:
        line = label.line or 0
        if label.item_id not in self._hashes:
            found = f"{label.item_id!r}, which is not in the project"
            return Refusal(line=line, field="item_id", found=found, expected="an item's id")
        try:
            check_alias(label.annotator)
        except InputError as error:
            found = f"{label.annotator!r}: {error.found}"
            return Refusal(line=line, field="annotator", found=found, expected="an alias")
        known = (OVERALL, *(c.id for c in self._project.label_schema.criteria))
        if label.criterion not in known:
            expected = f"one of {', '.join(known)}"
            return Refusal(
                line=line, field="criterion", found=repr(label.criterion), expected=expected
            )
        if label.labelled_at and (odd := time_fault(line, "labelled_at", label.labelled_at)):
            return odd
        return self._answered(label)

    def _answered(self, label: Label) -> Label | Refusal:
        word = label_text(label.label)
        answer: str | None = word if word in self._project.label_schema.labels else None
        if answer is None:
            means = self._mapping.answer if self._mapping else common_answer
            answer = means(label.label)
        if answer is None:
            return Refusal(
                line=label.line or 0,
                field="label",
                found=repr(label.label),
                expected=f"{', '.join(self._project.label_schema.labels)} or unsure; a --mapping "
                "file says what other words mean",
            )
        return label.model_copy(update={"label": answer})

    def _add(self, label: Label) -> None:
        decided = label.effective_origin == "adjudicated"
        chain = (label.item_id, label.criterion, ADJUDICATION if decided else label.annotator)
        rev = self._revs.get(chain, 0)
        event = LabelEvent(
            seq=len(self.events) + 1,
            op_id=_op_id(self._project.name, label, rev),
            project=self._project.name,
            dataset=self._project.dataset,
            item_id=label.item_id,
            item_hash=self._hashes[label.item_id],
            annotator=chain[2],
            actor=label.annotator,
            field=label.criterion,
            kind="adjudicate" if decided else "import",
            value=_value(label),
            rev=rev + 1,
            prev_rev=rev or None,
            schema_version=self._project.label_schema.version,
            guideline=label.guideline,
            design=label.design or self._designs[label.item_id],
            at=label.labelled_at or UNDATED,
        )
        self._revs[chain] = rev + 1
        self._standing[_chain(label)] = label
        self.events.append(event)
        self.place[event.key] = (self._file, label.line or 0)


def _revisions(log: tuple[LabelEvent, ...]) -> dict[Chain, int]:
    last: dict[Chain, int] = {}
    for event in log:
        if not event.repeat:
            key = (event.item_id, event.field, event.annotator)
            last[key] = max(event.rev, last.get(key, 0))
    return last


def _value(label: Label) -> dict[str, Any]:
    value: dict[str, Any] = {"label": label.label}
    if label.effective_origin not in ("human", "adjudicated"):
        value["origin"] = label.effective_origin
    if label.labelled_at is None:
        value["undated"] = True
    if label.evidence:
        value["evidence"] = list(label.evidence)
    for name in ("failure_mode", "note", "weight"):
        if getattr(label, name) is not None:
            value[name] = getattr(label, name)
    return value


def _op_id(project: str, label: Label, rev: int) -> str:
    row = label.model_dump(mode="json", exclude={"line"})
    return f"import-{content_hash([project, rev, row]).removeprefix('sha256:')[:32]}"


def _chain(label: Label) -> Chain:
    decided = label.effective_origin == "adjudicated"
    return (label.item_id, label.criterion, ADJUDICATION if decided else label.annotator)


def _answer(label: Label) -> tuple[object, ...]:
    return (label.label, label.failure_mode, label.note, label.evidence)


def _conflict(label: Label, stands: Label) -> Refusal:
    return Refusal(
        line=label.line or 0,
        field="label",
        found=f"{label.label!r} by {label.annotator!r} about {label.item_id!r}",
        expected=f"{stands.label!r} as it stands in the log, or the same failure mode and note",
    )
