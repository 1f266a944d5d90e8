"""Recorded files of any size, column by column: the plain case of `files`, and only that.

What is read here is read exactly as row by row: one label an item in common words, one verdict an
item and judge. Anything else (mappings, rubrics, several labels, failure modes, designs, rows that
would be refused) is left to the readers that look at each row and say what is wrong with it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgekit.calibration.arrays import counted_subject, heading_for
from judgekit.calibration.column_files import (
    FAIL,
    UNSCORED,
    UNSURE,
    LabelColumns,
    NotPlainError,
    read_groups,
    read_label_columns,
    read_verdict_columns,
)
from judgekit.calibration.column_text import disagreements_of, pair_hashes
from judgekit.calibration.design import Sampling
from judgekit.calibration.subject import Subject
from judgekit.calibration.tables import count_tables, counts_by_group
from judgekit.stats.confusion import PASS_FAIL

if TYPE_CHECKING:
    from judgekit.calibration.files import CalibrationFiles
    from judgekit.stats.intervals import GroupedCounts

LEAST_BYTES = 4_000_000
"""Smaller label files are read row by row: that is quick enough."""


@dataclass(frozen=True)
class _Known:
    """The labels about known items: ids, answers, groups (codes and names) and earlier counts."""

    labels: LabelColumns
    ids: Any
    human: Any
    group: Any
    names: Any
    n_groups: int
    outside: int


def is_large(files: CalibrationFiles) -> bool:
    """Tell whether the label file is worth reading by columns."""
    return files.labels.is_file() and files.labels.stat().st_size >= LEAST_BYTES


def subjects_from_columns(files: CalibrationFiles) -> tuple[Subject, ...] | None:
    """Return one subject per judge, or None where the files are not plain."""
    import pyarrow as pa

    if not _plain(files):
        return None
    try:
        return _subjects(files)
    except (NotPlainError, pa.ArrowException, ValueError, TypeError, KeyError, OSError):
        return None  # the readers of rows say what it is


def _plain(files: CalibrationFiles) -> bool:
    from judgekit.store.mapping import Mapping

    rule = files.rule or files.mapping.reference or "auto"
    if files.rubric is not None or files.lenient or rule != "auto":
        return False
    policy = files.policy
    if policy is not None and (policy.sequential == "anytime" or policy.min_annotators):
        return False
    return files.mapping.model_copy(update={"reference": None, "name": None}) == Mapping()


def _subjects(files: CalibrationFiles) -> tuple[Subject, ...]:
    from judgekit.store.files import file_hash

    known = _known(files)
    by_judge = read_verdict_columns(files.verdicts, known.labels.unit)
    fingerprint = file_hash(files.verdicts)
    return tuple(
        _subject(files, judge, fingerprint, known, by_judge[judge])
        for judge in files.judges or tuple(by_judge)
    )


def _known(files: CalibrationFiles) -> _Known:
    labels = read_label_columns(files.labels, files.criterion)
    kept, groups = read_groups(files.items, labels.ids)
    codes, n_groups = _sorted_codes(groups)
    return _Known(
        labels=labels,
        ids=labels.ids.filter(kept),
        human=labels.answers[kept],
        group=codes,
        names=groups,
        n_groups=n_groups,
        outside=int((~kept).sum()),
    )


def _sorted_codes(groups: Any) -> tuple[Any, int]:
    """Return codes in the sorted order of the groups' names."""
    import numpy as np
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(groups)
    words = encoded.dictionary.to_pylist()
    place = np.empty(len(words), dtype=np.int64)
    place[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return place[encoded.indices.to_numpy(zero_copy_only=False)], len(words)


def _subject(
    files: CalibrationFiles, judge: str, fingerprint: str, known: _Known, rows: Any
) -> Subject:
    import numpy as np
    import pyarrow.compute as pc

    found = pc.index_in(known.ids, value_set=rows["item_id"].combine_chunks())
    place = pc.fill_null(found, -1).to_numpy(zero_copy_only=False)
    code = rows["code"].to_numpy()[place]
    seen, settled = place >= 0, known.human >= 0
    if not (seen & settled).any():
        raise NotPlainError
    answer = np.where(seen, code, UNSCORED)
    wrong = seen & settled & (answer >= 0) & (answer != known.human)
    return counted_subject(
        heading_for(judge, files.policy, fingerprint=fingerprint, unit=known.labels.unit),
        count_tables(
            PASS_FAIL,
            human=np.maximum(known.human, -1),
            judge=np.maximum(answer, -1),
            group=known.group,
            n_groups=known.n_groups,
        ),
        hashes=lambda: pair_hashes(
            known.ids.filter(settled), known.human[settled], answer[settled], seen[settled]
        ),
        sampling=Sampling(declared=known.labels.declared),
        dropped=_dropped(known, rows, seen, settled),
        without_answer=lambda: _without_answer(files, known, rows, ~seen & settled),
        unscored=_statuses(answer[seen & settled]),
        disagreements=lambda: disagreements_of(
            rows.take(place[wrong]), known.human[wrong], judge, fingerprint
        ),
        **_behind(known.labels),
    )


def _without_answer(
    files: CalibrationFiles, known: _Known, rows: Any, missing: Any
) -> GroupedCounts:
    """Return the verdicts without an answer, by group: all rows about known items, and the
    labelled items that have none."""
    import numpy as np
    import pyarrow as pa

    kept, groups = read_groups(files.items, rows["item_id"].combine_chunks())
    of_missing = known.names.filter(pa.array(missing))
    codes, n_groups = _sorted_codes(pa.concat_arrays([groups, of_missing]))
    lost = np.concatenate([rows["code"].to_numpy()[kept] < 0, np.ones(len(of_missing), bool)])
    return counts_by_group(lost, codes, n_groups)


def _dropped(known: _Known, rows: Any, seen: Any, settled: Any) -> dict[str, int]:
    import pyarrow.compute as pc

    labelled = pc.is_in(rows["item_id"], value_set=known.labels.ids)
    counted = {
        "missing": int((~seen & settled).sum()),
        "unknown_item": known.outside,
        "unlabelled": len(rows) - int(pc.sum(labelled).as_py() or 0),
        "unsure": int((known.human == UNSURE).sum()),
    }
    return {reason: n for reason, n in counted.items() if n}


def _statuses(answers: Any) -> dict[str, int]:
    counted = {
        "abstained": int((answers == UNSURE).sum()),
        "invalid": int((answers == UNSCORED).sum()),
    }
    return {status: n for status, n in counted.items() if n}


def _behind(labels: LabelColumns) -> dict[str, Any]:
    """Return whose the reference labels are, and how many stand alone."""
    settled = (labels.answers >= 0) & (labels.answers <= FAIL)
    origins = Counter(labels.origins.filter(settled).to_pylist())
    people = sum(n for origin, n in origins.items() if origin == "human")
    return {"origins": dict(sorted(origins.items())), "single": people}
