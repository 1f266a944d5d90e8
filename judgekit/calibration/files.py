"""Build calibration requests from files of items, labels and recorded verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from judgekit.calibration.answers import Reading
from judgekit.calibration.calibrate import CalibrationRequest
from judgekit.calibration.reference import unit_of
from judgekit.errors import UsageError
from judgekit.model.base import Record
from judgekit.model.item import Item
from judgekit.model.label import Label
from judgekit.model.policy import Policy
from judgekit.model.rubric import Rubric
from judgekit.store.mapping import Mapping, common_answer, label_text, parse_pass_if
from judgekit.store.readers import read_items, read_labels, read_rows
from judgekit.store.recorded import VERDICT_NAMES, RecordedVerdicts, read_verdicts


class CalibrationFiles(Record):
    """The files of one calibration and how they are read.

    `criterion` None = the only criterion among the labels. `judges` empty = all of the file.
    """

    labels: Path
    verdicts: Path
    items: Path | None = None
    judges: tuple[str, ...] = ()
    rule: str | None = None
    criterion: str | None = None
    rubric: Rubric | None = None
    mapping: Mapping = Mapping()
    policy: Policy | None = None
    lenient: bool = False


def requests_from_files(files: CalibrationFiles) -> tuple[CalibrationRequest, ...]:
    """Return one request per judge, in the order asked for or the order of the file.

    Raises:
        InputError: a file or a row cannot be read.
        CriterionMismatch: labels and verdicts are about different or several criteria.
    """
    rule = files.rule or files.mapping.reference or "auto"
    mapping = files.mapping.model_copy(update={"reference": rule})
    items = read_items(files.items) if files.items is not None else None
    label_file = read_labels(files.labels, lenient=files.lenient, mapping=mapping)
    labels, outside = _selected(label_file.labels, items, mapping)
    unit = unit_of(labels, rubric=files.rubric, criterion=files.criterion)
    words = _categories(labels, unit, mapping) if files.rubric is None else ()
    _refuse_limits_on_categories(words, files.policy)
    recorded = _verdicts(files, mapping, words)
    dropped = Counter(label_file.dropped)
    dropped["where"] += outside
    dropped["refused"] += len(label_file.refused) + len(recorded.refused)
    dropped["order"] += recorded.dropped.get("order", 0)
    return tuple(
        CalibrationRequest(
            judge=judge,
            fingerprint=recorded.file_hash,
            kind="recorded",
            labels=labels,
            verdicts=recorded.verdicts.get(judge, ()),
            items=items,
            rule=rule,
            criterion=unit if files.rubric is None else files.criterion,
            rubric=files.rubric,
            reading=reading_of(mapping, words),
            policy=files.policy,
            order=mapping.order,
            verdict_criterion=_verdict_criterion(mapping, unit),
            categories=_judge_categories(files.verdicts, judge, mapping) if words else None,
            dropped_before={reason: n for reason, n in dropped.items() if n},
        )
        for judge in files.judges or tuple(recorded.verdicts)
    )


def _selected(
    labels: tuple[Label, ...], items: tuple[Item, ...] | None, mapping: Mapping
) -> tuple[tuple[Label, ...], int]:
    if items is None:
        foreign = sorted(set(mapping.where) - {"id"})
        if foreign:
            raise UsageError(
                f"the mapping selects items by {foreign[0]!r}, and no items were given",
                mend="add --items FILE",
            )
        return labels, 0
    out = {item.id for item in items if not mapping.selects(item)}
    kept = tuple(label for label in labels if label.item_id not in out)
    return kept, len(labels) - len(kept)


def _categories(labels: Sequence[Label], unit: str, mapping: Mapping) -> tuple[str, ...]:
    """Return the labels' categories where they are neither pass and fail nor given a meaning."""
    if mapping.pass_if is not None or mapping.positives:
        return ()
    own = [label.label for label in labels if label.criterion == unit]
    if all(common_answer(value) is not None for value in own):
        return ()
    return tuple(sorted({label_text(value) for value in own}))


def _refuse_limits_on_categories(words: tuple[str, ...], policy: Policy | None) -> None:
    rates = (policy.max_false_pass_rate, policy.max_false_fail_rate) if policy else ()
    if words and any(limit is not None for limit in rates):
        raise UsageError(
            "error rates need to know which category passes",
            found=", ".join(words[:10]),
            mend="name it with --positive, or say which numbers pass with --pass-if",
        )


def _verdicts(
    files: CalibrationFiles, mapping: Mapping, words: tuple[str, ...]
) -> RecordedVerdicts:
    # Any one category may stand for pass here: the categories themselves are compared.
    return read_verdicts(
        files.verdicts,
        judges=files.judges or None,
        mapping=mapping,
        positive=words[0] if words else None,
        lenient=files.lenient,
    )


def reading_of(mapping: Mapping, categories: tuple[str, ...] = ()) -> Reading:
    """Return how a mapping reads human labels."""
    out = tuple(word.lower() for word in mapping.not_applicable)
    if categories:
        return Reading(categories=categories, not_applicable=out)
    rule = parse_pass_if(mapping.pass_if) if mapping.pass_if is not None else None
    return Reading(pass_if=rule, positives=mapping.positives, not_applicable=out)


def _verdict_criterion(mapping: Mapping, unit: str) -> str | None:
    """Return the verdicts' name for the unit, where the mapping joins two names."""
    return next((theirs for theirs, ours in mapping.criterion.items() if ours == unit), None)


def _judge_categories(path: Path, judge: str, mapping: Mapping) -> dict[str, str]:
    found = {}
    for _, row in read_rows(path):
        if row.get("judge", row.get("grader", judge)) != judge:
            continue
        if mapping.order is not None and row.get("order") != mapping.order:
            continue
        label = next((row[name] for name in VERDICT_NAMES if row.get(name) is not None), None)
        if label is not None:
            found[str(row.get("item_id", row.get("id")))] = label_text(label)
    return found
