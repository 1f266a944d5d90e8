"""A dataset folder: manifest, items, human labels and splits that never divide a group."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from judgekit.errors import InputError
from judgekit.model.base import Record
from judgekit.model.canonical import unit_interval
from judgekit.model.item import Item, Split
from judgekit.model.label import Label
from judgekit.model.release import Release
from judgekit.store.formats.yaml_file import YamlDocument
from judgekit.store.mapping import Mapping
from judgekit.store.readers import LabelFile, read_items, read_labels

SPLITS: tuple[Split, ...] = get_args(Split)
SUFFIXES = (".jsonl", ".csv", ".parquet")
MANIFEST_FILE = "dataset.yaml"


class SplitSettings(Record):
    """Shares of the splits; what they leave out of 1 is in no split.

    The group's key is hashed with `seed`, so an item keeps its split when others are added.
    """

    seed: str = "1"
    train: float = Field(default=0.0, ge=0, le=1)
    development: float = Field(default=0.0, ge=0, le=1)
    holdout: float = Field(default=0.0, ge=0, le=1)

    @model_validator(mode="after")
    def _at_most_all(self) -> Self:
        total = self.train + self.development + self.holdout
        if total > 1 + 1e-9 or total == 0:
            raise ValueError(f"shares between 0 and 1 in sum, not {total:g}")
        return self


class DatasetManifest(Record):
    """The file dataset.yaml.

    `guideline` is the version of the labelling guideline, `design` says how labelled items were
    drawn (random, `stratified:<stratum>`, targeted), `synthetic` that no human gave the labels.
    `releases` are written by `judgekit labels export`, oldest first.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    name: str = Field(min_length=1)
    version: str = "0"
    title: str | None = None
    source: str | None = None
    licence: str | None = None
    guideline: str | None = None
    design: str | None = Field(default=None, pattern=r"^(random|targeted|stratified(:.+)?)$")
    synthetic: bool = False
    splits: SplitSettings | None = None
    releases: tuple[Release, ...] = ()


class Dataset(Record):
    """What lies in `annotations/<name>/`. `labels` is empty where there is no label file."""

    folder: Path
    manifest: DatasetManifest
    items: tuple[Item, ...]
    label_file: LabelFile | None = None

    @property
    def name(self) -> str:
        """Return the dataset's name."""
        return self.manifest.name

    @property
    def version(self) -> str:
        """Return the dataset's version."""
        return self.manifest.version

    @property
    def splits(self) -> SplitSettings | None:
        """Return the shares of the splits, or None where none are declared."""
        return self.manifest.splits

    @property
    def design(self) -> str | None:
        """Return the declared sampling design."""
        return self.manifest.design

    @property
    def synthetic(self) -> bool:
        """Return whether the labels are declared synthetic."""
        return self.manifest.synthetic

    @property
    def labels(self) -> tuple[Label, ...]:
        """Return the human labels."""
        return self.label_file.labels if self.label_file else ()

    @cached_property
    def split_of(self) -> dict[str, Split | None]:
        """Return the split of each item id; a split given to one item holds for its group."""
        given = {item.group_key: item.split for item in self.items if item.split}
        return {
            item.id: given.get(item.group_key) or assign_split(item, self.manifest)
            for item in self.items
        }

    def items_of(self, split: str | None) -> tuple[Item, ...]:
        """Return the items of a split, in file order; None and "all" mean every item.

        Raises:
            InputError: there is no split of that name.
        """
        if split in (None, "all"):
            return self.items
        if split not in SPLITS:
            raise InputError(
                f"there is no split {split!r}", found=repr(split), expected=", ".join(SPLITS)
            )
        return tuple(item for item in self.items if self.split_of[item.id] == split)


def load_dataset(folder: Path, *, mapping: Mapping | None = None, lenient: bool = False) -> Dataset:
    """Return the dataset in a folder. Without dataset.yaml there are no splits.

    Raises:
        InputError: a file cannot be used, a group lies in two splits, or a label is about an item
            that is not there.
    """
    manifest = _manifest(folder)
    items_path = _data_file(folder, "items")
    items = read_items(items_path or folder / "items.jsonl")
    _refuse_divided_groups(items, items_path or folder)
    label_path = _data_file(folder, "labels")
    label_file = None
    if label_path is not None and label_path.stat().st_size > 0:
        label_file = read_labels(label_path, lenient=lenient, mapping=mapping)
        _refuse_unknown_items(items, label_file, label_path)
    return Dataset(folder=folder, manifest=manifest, items=items, label_file=label_file)


def read_manifest(folder: Path) -> DatasetManifest:
    """Return the manifest of a dataset folder; without a file, one with the folder's name.

    Raises:
        InputError: the file cannot be used.
    """
    path = folder / MANIFEST_FILE
    if not path.exists():
        return DatasetManifest(name=folder.resolve().name)
    return YamlDocument(path).parse(DatasetManifest)


def assign_split(item: Item, manifest: DatasetManifest) -> Split | None:
    """Return the item's split: its own, else by a stable hash of its group; None = in no split."""
    if item.split is not None:
        return item.split
    shares = manifest.splits
    if shares is None:
        return None
    place = unit_interval(shares.seed, item.group_key)
    edge = 0.0
    for split in SPLITS:
        edge += float(getattr(shares, split))
        if place < edge:
            return split
    return "holdout" if edge > 1 - 1e-9 else None


def _manifest(folder: Path) -> DatasetManifest:
    if not folder.is_dir():
        raise InputError(
            f"there is no dataset folder {folder.name!r}",
            where=str(folder),
            expected="a folder with items.jsonl",
        )
    return read_manifest(folder)


def _data_file(folder: Path, stem: str) -> Path | None:
    found = [folder / f"{stem}{suffix}" for suffix in SUFFIXES]
    found = [path for path in found if path.exists()]
    if len(found) > 1:
        raise InputError(
            f"the dataset has {stem} twice",
            where=str(folder),
            found=", ".join(path.name for path in found),
            expected="one of them",
        )
    return found[0] if found else None


def _refuse_divided_groups(items: tuple[Item, ...], path: Path) -> None:
    given: dict[str, Split] = {}
    for item in items:
        if item.split is None:
            continue
        other = given.setdefault(item.group_key, item.split)
        if other != item.split:
            raise InputError(
                f"the group {item.group_key!r} lies in two splits",
                where=f"{path} item {item.id!r}",
                found=f"{other} and {item.split}",
                expected="each group in one split",
            )


def _refuse_unknown_items(items: tuple[Item, ...], labels: LabelFile, path: Path) -> None:
    known = {item.id for item in items}
    strange = [label for label in labels.labels if label.item_id not in known]
    if strange:
        raise InputError(
            f"{len(strange)} labels of {path.name!r} are about items that are not there",
            where=f"{path}:{strange[0].line} item_id",
            found=repr(strange[0].item_id),
            expected="the id of an item in this dataset",
        )
