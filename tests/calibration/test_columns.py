"""Large files and arrays: read by columns, and the same report as row by row."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from judgekit.calibration import columns
from judgekit.calibration.arrays import calibrate_arrays
from judgekit.calibration.assemble import judge_all
from judgekit.calibration.calibrate import calibrate
from judgekit.calibration.columns import subjects_from_columns
from judgekit.calibration.files import CalibrationFiles, requests_from_files
from judgekit.calibration.report import CalibrationReport
from judgekit.cli.main import run_cli
from judgekit.errors import UsageError
from judgekit.model.policy import Policy
from judgekit.store.mapping import Mapping

from .test_looks import NOW

POLICY = Policy(
    max_false_pass_rate=0.2, max_false_fail_rate=0.2, min_kappa=0.3, max_unscored_rate=0.5
)
Rows = list[dict[str, Any]]


def rows(n: int = 300) -> tuple[Rows, Rows, Rows]:
    """Labels, verdicts and items with everything that a plain file may hold."""
    dice = random.Random(5)
    labels, verdicts = [], []
    items = [
        {"id": f"ü{k}", "input": "q", "output": f"a {k}", "metadata": {"k": k}} for k in range(n)
    ]
    for k, item in enumerate(items):
        if k % 3:
            item["group"] = f"g{k % 40}"
        human = dice.choice(["pass", "pass", "fail", "unsure" if k % 20 == 0 else "fail"])
        labels.append({"item_id": item["id"], "annotator": "gold" if k % 7 else "ann"})
        labels[-1] |= {"label": human, "criterion": "c", "labelled_at": "2026-11-30T12:00:00Z"}
        for judge in ("one", "two"):
            said = human if dice.random() < 0.9 and human != "unsure" else "pass"
            said = {5: "unparsed", 6: "abstain"}.get(k % 50, said)
            if k % 11:
                verdicts.append({"item_id": item["id"], "judge": judge, "label": said})
    labels.append({"item_id": "elsewhere", "annotator": "ann", "label": "pass", "criterion": "c"})
    verdicts.append({"item_id": "unlabelled", "judge": "one", "label": "pass"})
    for k, said in enumerate(("unparsed", "pass", "unparsed")):  # counted by the cap
        items.append({**items[1], "id": f"open{k}", "output": f"b {k}"})
        verdicts.append({"item_id": f"open{k}", "judge": "one", "label": said})
    dice.shuffle(labels)
    dice.shuffle(verdicts)
    return labels, verdicts, items


def write(path: Path, content: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    return path


def files(folder: Path, content: Sequence[Rows], **more: Any) -> CalibrationFiles:
    labels, verdicts, items = content
    given = {
        "labels": write(folder / "labels.jsonl", labels),
        "verdicts": write(folder / "verdicts.jsonl", verdicts),
        "items": write(folder / "items.jsonl", items),
        "policy": POLICY,
    }
    return CalibrationFiles(**{**given, **more})


def by_rows(found: CalibrationFiles) -> list[CalibrationReport]:
    return [calibrate(request, now=NOW) for request in requests_from_files(found)]


def by_columns(found: CalibrationFiles) -> list[CalibrationReport]:
    subjects = subjects_from_columns(found)
    assert subjects is not None
    return [judge_all((subject,), None, NOW)[0] for subject in subjects]


def test_columns_and_rows_give_the_same_report_to_the_last_field(tmp_path: Path) -> None:
    found = files(tmp_path, rows())
    plain, quick = by_rows(found), by_columns(found)
    assert len(plain) == len(quick) == 2
    for first, second in zip(plain, quick, strict=True):
        assert set(first.dropped) == {"missing", "unknown_item", "unlabelled", "unsure"} - (
            {"unlabelled"} if first.judge == "two" else set()
        )
        assert first.unscored.keys() == {"abstained", "invalid"}
        assert first.unresolved > 0
        assert first.to_json() == second.to_json()


def test_without_items_each_item_is_its_own_group(tmp_path: Path) -> None:
    found = files(tmp_path, rows(), items=None, judges=("two",))
    first, second = by_rows(found), by_columns(found)
    assert [one.to_json() for one in first] == [one.to_json() for one in second]


def test_parquet_files_are_read_by_columns_too(tmp_path: Path) -> None:
    labels, verdicts, items = rows()
    found = files(tmp_path, (labels, verdicts, items))
    tables = {}
    for name, content in (("labels", labels), ("verdicts", verdicts), ("items", items)):
        tables[name] = tmp_path / f"{name}.parquet"
        parquet.write_table(pa.Table.from_pylist(content), tables[name])
    quick = by_columns(found.model_copy(update=tables))
    plain = by_columns(found)
    for first, second in zip(quick, plain, strict=True):
        assert first.confusion == second.confusion
        assert first.labels_hash == second.labels_hash


def _spoil(content: Rows, **change: Any) -> Rows:
    return [{**content[0], **change}, *content[1:]]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda a, b, c: ([*a, a[0]], b, c),
        lambda a, b, c: (_spoil(a, label="good"), b, c),
        lambda a, b, c: (_spoil(a, design="targeted"), b, c),
        lambda a, b, c: (_spoil(a, failure_mode="late"), b, c),
        lambda a, b, c: (_spoil(a, weight=2.0), b, c),
        lambda a, b, c: (_spoil(a, criterion="d"), b, c),
        lambda a, b, c: (_spoil(a, origin="synthetic"), b, c),
        lambda a, b, c: (a, [*b, b[0]], c),
        lambda a, b, c: (a, _spoil(b, regrade=1), c),
        lambda a, b, c: (a, _spoil(b, label="great"), c),
        lambda a, b, c: (a, _spoil(b, order="ab"), c),
        lambda a, b, c: (a, [{**x, "criterion": "d"} for x in b], c),
        lambda a, b, c: (a, b, [*c, c[0]]),
        lambda a, b, c: (a, b, _spoil(c, colour="red")),
        lambda a, b, c: (_spoil(a, labelled_at="2026-11-30T12:00:00"), b, c),
        lambda a, b, c: (_spoil(a, note=3.5), b, c),
        lambda a, b, c: (a, _spoil(b, labelled_at="2026-11-30T12:00:00Z"), c),
        lambda a, b, c: (a, b, _spoil(c, split="elsewhere")),
        lambda a, b, c: (a, b, _spoil(c, metadata="none")),
        lambda a, b, c: (a, b, _spoil(c, output={"text": "an object"})),
    ],
)
def test_what_is_not_plain_is_left_to_the_reader_of_rows(tmp_path: Path, spoil: Any) -> None:
    assert subjects_from_columns(files(tmp_path, spoil(*rows(60)))) is None


def test_a_mapping_or_an_anytime_policy_is_left_to_the_reader_of_rows(tmp_path: Path) -> None:
    found = files(tmp_path, rows(60))
    for change in (
        {"mapping": Mapping(positive="pass")},
        {"rule": "each"},
        {"lenient": True},
        {"policy": Policy(max_false_pass_rate=0.1, sequential="anytime")},
        {"policy": Policy(max_false_pass_rate=0.1, min_annotators=2)},
        {"judges": ("nobody",)},
    ):
        assert subjects_from_columns(found.model_copy(update=change)) is None


def test_the_command_reads_large_files_by_columns_and_says_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = files(tmp_path, rows())
    argv = [
        "calibrate", "--labels", str(found.labels), "--verdicts", str(found.verdicts),
        "--items", str(found.items), "--judge", "one", "--max-false-pass-rate", "0.2", "--json",
    ]  # fmt: skip
    code = run_cli(argv)
    plain = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(columns, "LEAST_BYTES", 1)
    assert run_cli(argv) == code
    assert json.loads(capsys.readouterr().out) == plain


def test_arrays_give_the_report_of_the_files_they_came_from(tmp_path: Path) -> None:
    human = np.array([1] * 150 + [0] * 150)
    judge = np.where(np.arange(300) % 17 == 0, 1 - human, human)
    group = np.arange(300) % 60
    words = {0: "fail", 1: "pass"}
    ids = [f"i{k:03}" for k in range(300)]
    content = (
        [{"item_id": i, "label": words[int(h)]} for i, h in zip(ids, human, strict=True)],
        [{"item_id": i, "label": words[int(j)]} for i, j in zip(ids, judge, strict=True)],
        [{"id": i, "group": f"g{g:02}"} for i, g in zip(ids, group, strict=True)],
    )
    from_files = by_rows(files(tmp_path, content))[0]
    from_arrays = calibrate_arrays(human, judge, groups=group, policy=POLICY)
    named = calibrate_arrays(human, judge, groups=[f"g{g:02}" for g in group], policy=POLICY)
    assert from_arrays.conditions == from_files.conditions == named.conditions
    for name in ("confusion", "kappa", "ac1", "false_pass_rate", "needed", "decision"):
        assert getattr(from_arrays, name) == getattr(from_files, name)


def test_arrays_hold_unscored_and_unsettled_items() -> None:
    report = calibrate_arrays([1, 0, 0, -1, -1, 1], [1, 1, -1, 1, -1, 1])
    assert (report.n_pairs, report.unscored, report.unresolved) == (3, {"invalid": 1}, 1)
    weighed = calibrate_arrays(
        [1] * 60 + [0] * 6 + [1] * 8 + [0] * 62, [1] * 66 + [0] * 70, judge_pass_share=0.9
    )
    assert weighed.to_json()["false_pass_rate"]["value"] == pytest.approx(0.480182926829)


@pytest.mark.parametrize(
    ("human", "judge", "groups"),
    [([], [], None), ([1], [1, 0], None), ([2], [1], None), (["pass"], [1], None), ([1], [1], [])],
)
def test_arrays_that_are_no_answers_are_refused(human: Any, judge: Any, groups: Any) -> None:
    with pytest.raises(UsageError):
        calibrate_arrays(human, judge, groups=groups)
