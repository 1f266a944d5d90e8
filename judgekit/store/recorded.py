"""Recorded verdicts: a file of what judges once said, read as verdicts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.verdict import Status, Verdict
from judgekit.store.files import file_hash
from judgekit.store.formats.problems import Refusal, misfit, refusal_error
from judgekit.store.formats.rows import scan_rows
from judgekit.store.mapping import (
    Mapping,
    Scalar,
    answer_of,
    common_answer,
    label_text,
    number_of,
)
from judgekit.store.readers import (
    ITEM_ID_NAMES,
    cells,
    identifier,
    is_table,
    no_rows,
    take,
)

VERDICT_NAMES = ("judge_label", "verdict", "label")
SCORE_NAMES = ("judge_score", "score")
JUDGE_NAMES = ("judge", "grader")
REGRADE_NAMES = ("regrade", "repeat")
DEFAULT_JUDGE = "judge"
_KEPT = frozenset({"probs"})


class RecordedRow(Record):
    """One row of a foreign verdict file, before its label is read."""

    item_id: str = Field(min_length=1)
    judge: str = Field(default=DEFAULT_JUDGE, min_length=1)
    label: str | float | int | bool | None = None
    score: float | None = None
    model: str | None = None
    criterion: str | None = None
    order: str | None = None
    regrade: int = Field(default=0, ge=0)
    raw: str | None = None
    evidence: tuple[str, ...] = ()
    failure_mode: str | None = None


_ROW_KEYS = frozenset(RecordedRow.model_fields)


class RecordedVerdicts(Record):
    """The verdicts of one file by judge, and what was not used of it.

    Each verdict's fingerprint is the file's hash and its `item_hash` is empty: nobody knows what
    the judge saw. `extra` holds, aligned with `verdicts`, the keys that are not ours (and
    `probs`); `extra_keys` counts them. `dropped` counts verdicts left out by the mapping.
    """

    name: str
    file_hash: str
    verdicts: dict[str, tuple[Verdict, ...]]
    refused: tuple[Refusal, ...] = ()
    extra: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)
    extra_keys: dict[str, int] = Field(default_factory=dict)
    dropped: dict[str, int] = Field(default_factory=dict)


def read_verdicts(
    path: Path,
    *,
    judges: Sequence[str] | None = None,
    mapping: Mapping | None = None,
    pass_if: str | None = None,
    positive: str | None = None,
    lenient: bool = False,
) -> RecordedVerdicts:
    """Return the recorded verdicts of a file, by judge.

    A row's label wins over its score unless `pass_if` is given. Labels such as `unparsed` become
    status `invalid`. `pass_if` and `positive` win over those of the mapping.

    Raises:
        InputError: a row is refused and `lenient` is off, a judge is not in the file, a score has
            no `pass_if`, labels are categories and no `positive` is given, or there is no row.
    """
    given = {"pass_if": pass_if, "positive": positive}
    used = _merged(mapping or Mapping(), {k: v for k, v in given.items() if v is not None})
    reader = _Reader(path, used, judges)
    reader.read()
    return reader.result(lenient=lenient)


class _Answer(NamedTuple):
    status: Status
    passed: bool | None
    reason: str | None


class _Reader:
    """Collect the rows of one file."""

    def __init__(self, path: Path, mapping: Mapping, judges: Sequence[str] | None) -> None:
        self._path = path
        self._mapping = mapping
        self._judges = judges
        self._hash = file_hash(path)
        self._seen: dict[tuple[object, ...], int] = {}
        self._words: set[str] = set()
        self._found: set[str] = set()
        self._refused: list[Refusal] = []
        self._dropped: Counter[str] = Counter()
        self._verdicts: dict[str, list[Verdict]] = {}
        self._extra: dict[str, list[dict[str, Any]]] = {}

    def read(self) -> None:
        """Read every row."""
        for entry in scan_rows(self._path):
            refusal = entry if isinstance(entry, Refusal) else self._row(*entry)
            if refusal is not None:
                self._refused.append(refusal)

    def result(self, *, lenient: bool) -> RecordedVerdicts:
        """Return what was read, or raise."""
        self._check(lenient)
        return RecordedVerdicts(
            name=self._path.name,
            file_hash=self._hash,
            verdicts={judge: tuple(rows) for judge, rows in self._verdicts.items()},
            refused=tuple(self._refused),
            extra={judge: tuple(rows) for judge, rows in self._extra.items()},
            extra_keys=self._extra_keys(),
            dropped=dict(self._dropped),
        )

    def _row(self, line: int, row: dict[str, Any]) -> Refusal | None:
        data, rest = _parts(cells(row) if is_table(self._path) else dict(row))
        if "status" in rest and "fingerprint" in rest:
            return self._own(line, row)
        try:
            parsed = RecordedRow.model_validate(data)
        except ValidationError as error:
            return misfit(line, error, data, RecordedRow)
        self._found.add(parsed.judge)
        if self._judges is not None and parsed.judge not in self._judges:
            return None
        if reason := self._left_out(parsed.item_id, parsed.order):
            self._dropped[reason] += 1
            return None
        verdict = self._verdict(line, parsed)
        return verdict if isinstance(verdict, Refusal) else self._keep(line, verdict, rest)

    def _own(self, line: int, row: dict[str, Any]) -> Refusal | None:
        """Read a row that judgekit wrote; the file's hash replaces its fingerprint."""
        try:
            verdict = Verdict.model_validate({**row, "fingerprint": self._hash})
        except ValidationError as error:
            return misfit(line, error, row, Verdict)
        self._found.add(verdict.grader)
        if self._judges is not None and verdict.grader not in self._judges:
            return None
        return self._keep(line, verdict, {})

    def _left_out(self, item_id: str, order: str | None) -> str | None:
        if not self._mapping.selects_id(item_id):
            return "where"
        if self._mapping.order is not None and order != self._mapping.order:
            return "order"
        return None

    def _verdict(self, line: int, row: RecordedRow) -> Verdict | Refusal:
        answer = self._answer(line, row)
        if isinstance(answer, Refusal):
            return answer
        return Verdict(
            item_id=row.item_id,
            grader=row.judge,
            fingerprint=self._hash,
            item_hash="",
            regrade=row.regrade,
            status=answer.status,
            passed=answer.passed,
            reason=answer.reason,
            evidence=row.evidence,
            failure_mode=row.failure_mode,
            model=row.model,
            raw=row.raw,
            criterion=row.criterion,
            order=row.order,
            score=row.score,
        )

    def _answer(self, line: int, row: RecordedRow) -> _Answer | Refusal:
        """Return what a row answers, or the refusal of a label that cannot be read."""
        label = _source(row, scores_first=self._mapping.pass_if is not None)
        if label is None:
            return Refusal(line=line, field="label", found="nothing", expected="a label or a score")
        if self._mapping.is_unscored(label):
            return _Answer("invalid", None, f"the recorded label is {label_text(label)!r}")
        answer = self._meaning(row, label)
        if answer is None:
            return Refusal(
                line=line, field=_field(row), found=repr(label), expected=self._expected(row)
            )
        if answer == "unsure":
            return _Answer("abstained", None, f"the recorded label is {label_text(label)!r}")
        return _Answer("scored", answer == "pass", None)

    def _meaning(self, row: RecordedRow, label: Scalar) -> str | None:
        if row.label is None and self._mapping.pass_if is None:
            return None
        if common_answer(label) is None or label_text(label) in ("0", "1"):
            self._words.add(label_text(label))
        # Words beside scores (a judge without scores in the same file) keep their common meaning.
        words = self._mapping.pass_if is not None and number_of(label) is None
        positives = self._mapping.positives
        if words and not positives:
            return common_answer(label)
        return answer_of(label, pass_if=self._mapping.pass_if, positives=positives)

    def _expected(self, row: RecordedRow) -> str:
        if row.label is None:
            return 'a label, or a rule for scores such as --pass-if ">= 4"'
        return "pass or fail, or --positive to name the label that means pass"

    def _keep(self, line: int, verdict: Verdict, rest: dict[str, Any]) -> Refusal | None:
        key = (verdict.grader, verdict.item_id, verdict.criterion, verdict.order, verdict.regrade)
        if key in self._seen:
            return Refusal(
                line=line,
                field="item_id",
                found=f"{verdict.item_id!r} by {verdict.grader!r}, as in line {self._seen[key]}",
                expected="one verdict per judge, item, criterion, order and regrade",
            )
        self._seen[key] = line
        self._verdicts.setdefault(verdict.grader, []).append(verdict)
        self._extra.setdefault(verdict.grader, []).append(rest)
        return None

    def _check(self, lenient: bool) -> None:
        absent = [judge for judge in self._judges or () if judge not in self._found]
        if absent and self._found:
            raise InputError(
                f"{self._path.name!r} holds no verdict of {absent[0]!r}",
                where=str(self._path),
                found=", ".join(sorted(self._found)),
                expected=absent[0],
            )
        # "1" beside "2" is a category, not a pass: skipping the rest would turn it into one.
        categories = {"0", "1"} & self._words and self._words - {"0", "1"}
        if self._refused and (not lenient or (categories and not self._mapping.positives)):
            raise refusal_error(self._path.name, str(self._path), self._refused)
        if not self._verdicts:
            raise no_rows(self._path, "verdict", self._refused)

    def _extra_keys(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for rows in self._extra.values():
            for row in rows:
                counts.update(key for key in row if key not in _KEPT)
        return dict(counts)


def _merged(mapping: Mapping, given: dict[str, str]) -> Mapping:
    return Mapping.model_validate({**mapping.model_dump(), **given}) if given else mapping


def _parts(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a row into the fields of a recorded row and the rest."""
    names = {
        "item_id": ITEM_ID_NAMES,
        "judge": JUDGE_NAMES,
        "label": VERDICT_NAMES,
        "score": SCORE_NAMES,
        "regrade": REGRADE_NAMES,
    }
    taken = {field: take(row, aliases) for field, aliases in names.items()}
    data = {field: value for field, value in taken.items() if value is not None}
    for key in ("item_id", "judge"):
        if key in data:
            data[key] = identifier(data[key])
    own = _ROW_KEYS & row.keys() - data.keys()
    data |= {key: row.pop(key) for key in own}
    if isinstance(data.get("evidence"), str):
        data["evidence"] = (data["evidence"],)
    if not isinstance(data.get("raw"), str | None):
        data["raw"] = json.dumps(data["raw"], ensure_ascii=False, default=str)
    return data, row


def _source(row: RecordedRow, *, scores_first: bool) -> Scalar | None:
    first, second = (row.score, row.label) if scores_first else (row.label, row.score)
    return first if first is not None else second


def _field(row: RecordedRow) -> str:
    return "label" if row.label is not None else "score"
