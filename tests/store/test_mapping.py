"""Mapping files say what foreign words mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.model.item import Item
from judgekit.store.mapping import Mapping, common_answer, load_mapping, parse_pass_if


@pytest.mark.parametrize(
    ("rule", "number", "expected"),
    [
        (">= 4", 4, True),
        ("> 4", 4, False),
        ("<=0.5", 0.5, True),
        ("< -1", -2, True),
        ("== 1", 1.0, True),
        ("!= 1", 1, False),
    ],
)
def test_a_pass_rule_compares_a_number(rule: str, number: float, expected: bool) -> None:
    assert parse_pass_if(rule)(number) is expected


def test_a_mapping_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text(
        "name: ratings\n"
        "reference: mean\n"
        'pass_if: ">= 3.5"\n'
        "where: {id: 'real-*', metadata.subset: natural}\n"
        "order: original\n"
        "criterion: {summary: explanation}\n"
        "unparsed: [garbage, '-1']\n"
        "not_applicable: [na]\n"
    )
    assert load_mapping(path) == Mapping(
        name="ratings",
        reference="mean",
        pass_if=">= 3.5",
        where={"id": "real-*", "metadata.subset": "natural"},
        order="original",
        criterion={"summary": "explanation"},
        unparsed=("garbage", "-1"),
        not_applicable=("na",),
    )


def test_a_positive_category_may_be_a_number_or_several(tmp_path: Path) -> None:
    path = tmp_path / "map.yaml"
    path.write_text("positive: 1\n")
    assert load_mapping(path).positive == "1"
    path.write_text("positive: [A, B]\n")
    mapping = load_mapping(path)
    assert [mapping.answer(word) for word in ("a", "B", "c")] == ["pass", "pass", "fail"]


def test_numbers_go_through_the_rule_and_words_keep_their_meaning() -> None:
    mapping = Mapping(pass_if=">= 3")
    assert [mapping.answer(label) for label in (3, "2.5", "unsure", "pass", "na", True)] == [
        "pass",
        "fail",
        "unsure",
        "pass",
        None,
        "pass",
    ]


def test_where_looks_at_id_group_split_and_metadata() -> None:
    items = (
        Item(id="a-1", group="g", split="holdout", metadata={"subset": "natural", "row": 1}),
        Item(id="a-2", metadata={"subset": "neighbor"}),
        Item(id="b-1"),
    )
    keep = {
        "id": (Mapping(where={"id": "a-*"}), ["a-1", "a-2"]),
        "metadata": (Mapping(where={"metadata.subset": "nat*"}), ["a-1"]),
        "number": (Mapping(where={"metadata.row": 1}), ["a-1"]),
        "group": (Mapping(where={"group": "b-1"}), ["b-1"]),
        "split": (Mapping(where={"split": "holdout"}), ["a-1"]),
        "nothing": (Mapping(), ["a-1", "a-2", "b-1"]),
    }
    for mapping, ids in keep.values():
        assert [item.id for item in mapping.select(items)] == ids


def test_common_words_have_one_meaning_and_others_none() -> None:
    words = ["pass", "FALSE", "yes", "0", 1.0, "correct", "tie", 2, ""]
    assert [common_answer(word) for word in words] == [
        "pass",
        "fail",
        "pass",
        "fail",
        "pass",
        "pass",
        None,
        None,
        None,
    ]
