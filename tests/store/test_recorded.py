"""Recorded verdicts keep order, criterion, score and regrade, and never guess."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgekit.errors import InputError
from judgekit.model.verdict import Verdict
from judgekit.store.files import file_hash
from judgekit.store.mapping import Mapping
from judgekit.store.recorded import read_verdicts


def verdict_file(tmp_path: Path, *rows: dict[str, object]) -> Path:
    path = tmp_path / "verdicts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def passed(tmp_path: Path, row: dict[str, object], **options: object) -> tuple[str, bool | None]:
    path = verdict_file(tmp_path, {"item_id": "a", "judge": "j", **row})
    verdict = read_verdicts(path, **options).verdicts["j"][0]  # type: ignore[arg-type]
    return verdict.status, verdict.passed


def test_a_recorded_verdict_keeps_what_the_row_says(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "item_id": "a",
        "judge": "j/p1",
        "model": "m-1",
        "label": "fail",
        "score": 2,
        "criterion": "tone",
        "order": "swapped",
        "repeat": 1,
        "raw": "Bad.",
        "probs": [0.1, 0.9],
        "swapped": True,
    }
    path = verdict_file(tmp_path, row)
    read = read_verdicts(path)
    expected = Verdict(
        item_id="a",
        grader="j/p1",
        fingerprint=file_hash(path),
        item_hash="",
        regrade=1,
        status="scored",
        passed=False,
        model="m-1",
        raw="Bad.",
        criterion="tone",
        order="swapped",
        score=2.0,
    )
    assert read.verdicts == {"j/p1": (expected,)}
    assert read.extra == {"j/p1": ({"probs": [0.1, 0.9], "swapped": True},)}
    assert read.extra_keys == {"swapped": 1}


WORDS = [("pass", True), ("TRUE", True), ("Yes", True), (1, True), ("1", True), ("correct", True)]
WORDS += [("fail", False), (False, False), ("no", False), (0, False), ("incorrect", False)]


@pytest.mark.parametrize(("word", "expected"), WORDS)
@pytest.mark.parametrize("name", ["label", "verdict", "judge_label"])
def test_the_common_words_are_read(tmp_path: Path, name: str, word: object, expected: bool) -> None:
    assert passed(tmp_path, {name: word}) == ("scored", expected)


def test_the_judges_own_column_wins_over_a_human_one(tmp_path: Path) -> None:
    assert passed(tmp_path, {"label": "pass", "judge_label": "fail"}) == ("scored", False)


@pytest.mark.parametrize("word", ["unparsed", "garbage"])
def test_an_unparsed_label_is_invalid_and_neither_pass_nor_fail(tmp_path: Path, word: str) -> None:
    assert passed(tmp_path, {"label": word}) == ("invalid", None)


def test_a_mapping_names_other_unparsed_words(tmp_path: Path) -> None:
    mapping = Mapping(unparsed=("n/a",))
    assert passed(tmp_path, {"label": "N/A"}, mapping=mapping) == ("invalid", None)


def test_an_abstention_is_abstained(tmp_path: Path) -> None:
    assert passed(tmp_path, {"label": "unsure"}) == ("abstained", None)


def test_a_label_wins_over_a_score_unless_a_rule_is_given(tmp_path: Path) -> None:
    row: dict[str, object] = {"label": "fail", "score": 0.9}
    assert passed(tmp_path, row) == ("scored", False)
    assert passed(tmp_path, row, pass_if=">= 0.5") == ("scored", True)


def test_a_rule_leaves_the_words_of_judges_without_scores_alone(tmp_path: Path) -> None:
    assert passed(tmp_path, {"label": "pass"}, pass_if=">= 4") == ("scored", True)
    assert passed(tmp_path, {"label": 3}, pass_if=">= 4") == ("scored", False)


@pytest.mark.parametrize(
    ("label", "expected"), [("1", True), (1, True), ("2", False), ("tie", False)]
)
def test_a_positive_category_means_pass_and_every_other_fail(
    tmp_path: Path, label: object, expected: bool
) -> None:
    assert passed(tmp_path, {"label": label}, positive="1") == ("scored", expected)


def test_options_win_over_the_mapping(tmp_path: Path) -> None:
    mapping = Mapping(positive="1")
    assert passed(tmp_path, {"label": "2"}, mapping=mapping, positive="2") == ("scored", True)


def test_order_and_where_leave_verdicts_out_and_count_them(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"item_id": item, "judge": "j", "label": "pass", "order": order}
        for item in ("a-1", "b-1")
        for order in ("original", "swapped")
    ]
    mapping = Mapping(order="original", where={"id": "a-*"})
    read = read_verdicts(verdict_file(tmp_path, *rows), mapping=mapping)
    assert [v.item_id for v in read.verdicts["j"]] == ["a-1"]
    assert read.dropped == {"order": 1, "where": 2}


def test_only_the_judges_asked_for_are_read(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"item_id": "a", "judge": "words", "label": "pass"},
        {"item_id": "a", "judge": "scores", "score": 0.2},
    ]
    read = read_verdicts(verdict_file(tmp_path, *rows), judges=["words"])
    assert list(read.verdicts) == ["words"]


def test_a_row_without_a_judge_belongs_to_the_one_judge(tmp_path: Path) -> None:
    read = read_verdicts(verdict_file(tmp_path, {"item_id": 3, "verdict": "pass"}))
    assert [v.item_id for v in read.verdicts["judge"]] == ["3"]


def test_our_own_verdict_rows_are_read_under_the_files_hash(tmp_path: Path) -> None:
    own = Verdict(
        item_id="a",
        grader="tone",
        fingerprint="sha256:x",
        item_hash="sha256:y",
        status="failed",
        kind="timeout",
        reason="no reply in 60 s",
    )
    path = verdict_file(tmp_path, own.model_dump(mode="json"))
    read = read_verdicts(path)
    assert read.verdicts == {"tone": (own.model_copy(update={"fingerprint": file_hash(path)}),)}


def test_a_csv_of_scores_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("item_id,judge,score,repeat\na,j,4.5,0\na,j,3,1\n")
    read = read_verdicts(path, pass_if=">= 4")
    assert [(v.passed, v.score, v.regrade) for v in read.verdicts["j"]] == [
        (True, 4.5, 0),
        (False, 3.0, 1),
    ]


def test_lenient_reading_counts_what_it_refuses(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"item_id": "a", "label": "pass"}, {"item_id": "b"}]
    read = read_verdicts(verdict_file(tmp_path, *rows), lenient=True)
    assert (len(read.verdicts["judge"]), [r.line for r in read.refused]) == (1, [2])


def test_our_own_rows_are_checked_and_selected_by_grader(tmp_path: Path) -> None:
    own = {"item_id": "a", "fingerprint": "f", "item_hash": "h", "status": "scored"}
    good = [{**own, "grader": name, "passed": True} for name in ("tone", "other")]
    read = read_verdicts(verdict_file(tmp_path, *good), judges=["tone"])
    assert list(read.verdicts) == ["tone"]
    with pytest.raises(InputError, match="one row of 'verdicts"):
        read_verdicts(verdict_file(tmp_path, {**own, "grader": "tone"}))


def test_a_raw_reply_that_is_an_object_is_kept_as_json(tmp_path: Path) -> None:
    row: dict[str, object] = {"item_id": "a", "label": "pass", "raw": {"a": 1}, "evidence": "x"}
    verdict = read_verdicts(verdict_file(tmp_path, row)).verdicts["judge"][0]
    assert (verdict.raw, verdict.evidence) == ('{"a": 1}', ("x",))
