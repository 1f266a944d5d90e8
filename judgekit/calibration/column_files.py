"""Read label, verdict and item files as columns; refuse to guess where they are not plain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from judgekit.model.label import OBJECTIVE_ANNOTATORS, OVERALL
from judgekit.store.dataset import SPLITS
from judgekit.store.mapping import UNSCORED_WORDS, common_answer, label_text
from judgekit.store.readers import (
    ANNOTATOR_NAMES,
    DEFAULT_ANNOTATOR,
    ITEM_ID_NAMES,
    LABEL_NAMES,
)
from judgekit.store.recorded import DEFAULT_JUDGE, JUDGE_NAMES, REGRADE_NAMES, VERDICT_NAMES

PASS, FAIL, UNSURE, UNSCORED = 0, 1, -2, -1
_LABEL_COLUMNS = frozenset(
    {*ITEM_ID_NAMES, *LABEL_NAMES, *ANNOTATOR_NAMES, "criterion", "origin", "design",
     "labelled_at", "guideline", "note"}
)  # fmt: skip
_VERDICT_COLUMNS = frozenset(
    {*ITEM_ID_NAMES, *JUDGE_NAMES, *VERDICT_NAMES, *REGRADE_NAMES, "criterion", "model", "raw"}
)
_ITEM_COLUMNS = frozenset(
    {"id", "group", "input", "output", "output_1", "output_2", "context", "reference", "split",
     "consequential", "metadata"}
)  # fmt: skip
_TIME = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$"
_TEXTS = ("input", "output", "output_1", "output_2", "context", "reference")


class NotPlainError(Exception):
    """The file holds something that only the reader of rows understands."""


class LabelColumns(NamedTuple):
    """The labels of one unit: item ids, answers, and whose they are."""

    unit: str
    ids: Any
    answers: Any
    origins: Any
    declared: bool


def read_label_columns(path: Path, criterion: str | None) -> LabelColumns:
    """Return the labels of the criterion, or of the only one there is.

    Raises:
        NotPlainError: an item has several labels, or a column is not known.
    """
    table = _table(path, _LABEL_COLUMNS)
    _check_times(table)
    for name in ("guideline", "note"):
        _words(table, (name,), "")
    own = _words(table, ("criterion",), OVERALL)
    unit = criterion or _only(own)
    import pyarrow.compute as pc

    kept = pc.equal(own, unit)
    table = table.filter(kept)
    ids = _ids(table)
    designs = set(_words(table, ("design",), "").unique().to_pylist())
    if not len(ids) or len(ids.unique()) != len(ids) or not designs <= {"", "random"}:
        raise NotPlainError
    return LabelColumns(
        unit=unit,
        ids=ids,
        answers=answers_of(_one_of(table, LABEL_NAMES), scored_only=True),
        origins=_origins(table),
        declared=designs == {"random"},
    )


def read_verdict_columns(path: Path, unit: str) -> dict[str, Any]:
    """Return for each judge a table of `item_id`, `code`, `label`, `model`, `raw`, `criterion`.

    Raises:
        NotPlainError: a judge has several verdicts about an item, or a column is not known.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = _table(path, _VERDICT_COLUMNS)
    criteria = _words(table, ("criterion",), "")
    named = set(criteria.unique().to_pylist()) - {""}
    if named and unit not in named:
        raise NotPlainError
    _refuse_regrades(table)
    labels = _one_of(table, VERDICT_NAMES)
    columns = {
        "item_id": _ids(table),
        "code": pa.array(answers_of(labels)),
        "label": labels,
        "judge": _words(table, JUDGE_NAMES, DEFAULT_JUDGE),
        "criterion": criteria,
        "model": _words(table, ("model",), ""),
        "raw": _words(table, ("raw",), ""),
    }
    rows = pa.table(columns)
    rows = rows.filter(pc.is_in(criteria, value_set=pa.array(["", unit])))
    found = {}
    for judge in rows["judge"].unique().to_pylist():
        own = rows.filter(pc.equal(rows["judge"], judge))
        if len(own["item_id"].unique()) != len(own):
            raise NotPlainError
        found[judge] = own
    return found


def read_groups(path: Path | None, ids: Any) -> tuple[Any, Any]:
    """Return (n,) whether each id is an item, and the groups of those that are.

    Raises:
        NotPlainError: an id is given twice, or a column is not known.
    """
    import numpy as np
    import pyarrow.compute as pc

    if path is None:
        return np.ones(len(ids), dtype=bool), ids
    table = _table(path, _ITEM_COLUMNS)
    _check_items(table)
    own = _text(table["id"])
    if len(own.unique()) != len(own):
        raise NotPlainError
    group = _text(table["group"]) if "group" in table.column_names else own
    group = pc.fill_null(group, own) if group.null_count else group
    place = pc.index_in(ids, value_set=own)
    known = pc.is_valid(place).to_numpy(zero_copy_only=False)
    return known, group.take(pc.drop_null(place))


def _check_items(table: Any) -> None:
    """Refuse what the reader of rows may refuse: it says why."""
    import pyarrow as pa

    for name in _TEXTS:
        _words(table, (name,), "")
    if not set(_words(table, ("split",), "train").unique().to_pylist()) <= set(SPLITS):
        raise NotPlainError
    for name, fits in (("metadata", pa.types.is_struct), ("consequential", pa.types.is_boolean)):
        if name in table.column_names:
            column = table[name]
            if not fits(column.type) or column.null_count:
                raise NotPlainError


def _check_times(table: Any) -> None:
    """Refuse times without an offset."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "labelled_at" not in table.column_names:
        return
    column = table["labelled_at"]
    if pa.types.is_timestamp(column.type) and column.type.tz is not None:
        return
    given = pc.drop_null(_text(column))
    if len(given) and not pc.all(pc.match_substring_regex(given, _TIME)).as_py():
        raise NotPlainError


def answers_of(labels: Any, *, scored_only: bool = False) -> Any:
    """Return (n,) codes of labels in common words.

    `scored_only`: unsure is the only answer beside pass and fail (human labels).

    Raises:
        NotPlainError: a label is none of the common words.
    """
    import numpy as np
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(labels)
    codes = np.array([_code(word, scored_only) for word in encoded.dictionary.to_pylist()])
    if encoded.null_count or not len(codes):
        raise NotPlainError
    return codes[encoded.indices.to_numpy(zero_copy_only=False)]


def _code(label: Any, scored_only: bool) -> int:
    answer = common_answer(label)
    if answer is not None:
        return {"pass": PASS, "fail": FAIL, "unsure": UNSURE}[answer]
    if scored_only or label_text(label).lower() not in UNSCORED_WORDS:
        raise NotPlainError
    return UNSCORED


def _table(path: Path, known: frozenset[str]) -> Any:
    table = _read(path)
    if "labelled_at" not in known and "labelled_at" in table.column_names:
        if table["labelled_at"].null_count < len(table):
            raise NotPlainError
        table = table.drop_columns(["labelled_at"])
    if not set(table.column_names) <= known or not len(table):
        raise NotPlainError
    return table.combine_chunks()


def _read(path: Path) -> Any:
    import pyarrow as pa

    suffix = path.suffix.lower()
    if suffix == ".jsonl":
        from pyarrow import json as reader

        texts = pa.schema([("labelled_at", pa.string())])  # else a time without an offset passes
        return reader.read_json(
            path,
            read_options=reader.ReadOptions(block_size=1 << 24),
            parse_options=reader.ParseOptions(explicit_schema=texts),
        )
    if suffix == ".parquet":
        from pyarrow import parquet

        return parquet.read_table(path)
    raise NotPlainError


def _one_of(table: Any, names: Sequence[str]) -> Any:
    """Return the one column that is there under one of the names."""
    present = [name for name in names if name in table.column_names]
    if len(present) != 1:
        raise NotPlainError
    column = table[present[0]]
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _words(table: Any, names: Sequence[str], default: str) -> Any:
    """Return a column of texts, `default` where it is absent or empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not any(name in table.column_names for name in names):
        return pa.array([default]).take(pa.array([0] * len(table)))
    return pc.fill_null(_text(_one_of(table, names)), default)


def _ids(table: Any) -> Any:
    ids = _text(_one_of(table, ITEM_ID_NAMES))
    if ids.null_count:
        raise NotPlainError
    return ids


def _text(column: Any) -> Any:
    """Return texts as they are and whole numbers as text; an empty text is not plain."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = column.type
    if pa.types.is_integer(kind):
        return column.cast(pa.string())
    if not pa.types.is_string(kind) and not pa.types.is_null(kind):
        raise NotPlainError
    column = column.cast(pa.string())
    if pc.any(pc.equal(column, "")).as_py():
        raise NotPlainError
    return column


def _only(words: Any) -> str:
    found: list[str] = words.unique().to_pylist()
    if len(found) != 1:
        raise NotPlainError
    return found[0]


def _origins(table: Any) -> Any:
    """Return the effective origin of each label."""
    import pyarrow as pa
    import pyarrow.compute as pc

    annotators = _words(table, ANNOTATOR_NAMES, DEFAULT_ANNOTATOR)
    objective = pc.is_in(annotators, value_set=pa.array(sorted(OBJECTIVE_ANNOTATORS)))
    default = pc.if_else(objective, "objective", "human")
    if "origin" not in table.column_names:
        return default
    given = _text(_one_of(table, ("origin",)))
    if not set(given.unique().to_pylist()) <= {"human", "adjudicated", "objective", None}:
        raise NotPlainError
    return pc.if_else(pc.is_valid(given), given, default)


def _refuse_regrades(table: Any) -> None:
    import pyarrow.compute as pc

    for name in REGRADE_NAMES:
        if name in table.column_names and pc.any(pc.not_equal(table[name], 0)).as_py():
            raise NotPlainError
