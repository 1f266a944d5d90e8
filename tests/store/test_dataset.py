"""Datasets: splits are stable, never divide a group and come from the manifest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.model.item import Item
from judgekit.store.dataset import DatasetManifest, SplitSettings, assign_split, load_dataset

HALVES = DatasetManifest(name="d", splits=SplitSettings(development=0.5, holdout=0.5))


def folder(tmp_path: Path, items: list[dict[str, object]], manifest: str = "") -> Path:
    (tmp_path / "items.jsonl").write_text("\n".join(json.dumps(item) for item in items))
    if manifest:
        (tmp_path / "dataset.yaml").write_text(manifest)
    return tmp_path


def test_a_dataset_gives_its_manifest_items_and_labels(tmp_path: Path) -> None:
    text = (
        "schema: 1\nname: desk\nversion: '2'\nsource: us\nlicence: MIT\nguideline: g1\n"
        "design: random\nsynthetic: true\nsplits: {seed: s, holdout: 1.0}\n"
    )
    path = folder(tmp_path, [{"id": "a"}, {"id": "b"}], text)
    (path / "labels.jsonl").write_text('{"item_id": "b", "annotator": "x", "label": "pass"}\n')
    dataset = load_dataset(path)
    assert (dataset.name, dataset.version, dataset.design) == ("desk", "2", "random")
    assert dataset.synthetic is True
    assert dataset.splits == SplitSettings(seed="s", holdout=1.0)
    assert [item.id for item in dataset.items_of("holdout")] == ["a", "b"]
    assert [label.item_id for label in dataset.labels] == ["b"]


def test_without_a_manifest_there_are_no_splits(tmp_path: Path) -> None:
    dataset = load_dataset(folder(tmp_path, [{"id": "a"}]))
    assert dataset.name == tmp_path.name
    assert dataset.items_of("holdout") == ()
    assert dataset.items_of(None) == dataset.items_of("all") == dataset.items
    assert dataset.labels == ()


def test_an_empty_label_file_means_no_labels(tmp_path: Path) -> None:
    path = folder(tmp_path, [{"id": "a"}])
    (path / "labels.jsonl").touch()
    assert load_dataset(path).labels == ()


def test_a_split_on_the_item_wins_for_its_whole_group(tmp_path: Path) -> None:
    items: list[dict[str, object]] = [
        {"id": "a", "group": "g", "split": "train"},
        {"id": "b", "group": "g"},
    ]
    dataset = load_dataset(folder(tmp_path, items, "name: d\nsplits: {holdout: 1.0}\n"))
    assert dataset.split_of == {"a": "train", "b": "train"}


def test_shares_below_one_leave_items_in_no_split() -> None:
    manifest = DatasetManifest(name="d", splits=SplitSettings(holdout=0.5))
    splits = {assign_split(Item(id=str(n)), manifest) for n in range(100)}
    assert splits == {"holdout", None}


def test_splits_keep_about_their_shares() -> None:
    found = [assign_split(Item(id=str(n)), HALVES) for n in range(2000)]
    assert found.count("holdout") == pytest.approx(1000, abs=100)
    assert found.count("development") == 2000 - found.count("holdout")


def test_the_split_of_an_item_is_fixed_for_ever() -> None:
    # Computed apart: development where the first hex digit of sha256("1", 0x1f, id) is below 8.
    found = [assign_split(Item(id=name), HALVES) for name in ("a", "b", "c", "d", "e", "f")]
    assert found == ["holdout", "holdout", "development", "holdout", "holdout", "development"]


@given(st.text(min_size=1, max_size=8), st.lists(st.text(min_size=1), min_size=2, max_size=5))
def test_a_group_is_never_divided(group: str, ids: list[str]) -> None:
    assert len({assign_split(Item(id=name, group=group), HALVES) for name in ids}) == 1


def test_another_seed_draws_other_splits() -> None:
    other = DatasetManifest(name="d", splits=SplitSettings(seed="2", development=0.5, holdout=0.5))
    items = [Item(id=str(n)) for n in range(200)]
    same = sum(assign_split(item, HALVES) == assign_split(item, other) for item in items)
    assert 60 < same < 140
