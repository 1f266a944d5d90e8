"""dataset.yaml, edited in place: comments and the order of keys stay."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from judgekit.errors import InputError, StoreFailed
from judgekit.model.release import Release
from judgekit.store.dataset import MANIFEST_FILE, DatasetManifest, read_manifest
from judgekit.store.files import atomic_write, read_bytes
from judgekit.store.formats.yaml_file import YamlDocument


def manifest_with(folder: Path, release: Release) -> bytes:
    """Return dataset.yaml with a release added and its version as the dataset's.

    Comments and all other keys stay as they are.

    Raises:
        InputError: the file cannot be used.
        StoreFailed: what would be written could not be read back.
    """

    def change(tree: CommentedMap) -> None:
        tree["version"] = DoubleQuotedScalarString(release.version)
        tree.setdefault("releases", []).append(_tree(release))

    return _edited(folder, change)


def write_manifest(folder: Path, data: bytes) -> None:
    """Replace dataset.yaml, wholly or not at all."""
    atomic_write(folder / MANIFEST_FILE, data)


def _edited(folder: Path, change: Callable[[CommentedMap], None]) -> bytes:
    manifest = read_manifest(folder)  # refuses a broken file before anything else
    path = folder / MANIFEST_FILE
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    if path.exists():
        text = read_bytes(path).decode("utf-8-sig")
        tree = yaml.load(text)
    else:
        tree = CommentedMap({"schema": 1, "name": manifest.name})
    change(tree)
    stream = io.BytesIO()
    yaml.dump(tree, stream)
    data = stream.getvalue()
    _refuse_unreadable(data, path)
    return data


def _refuse_unreadable(data: bytes, path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="judgekit-manifest-") as folder:
        copy = Path(folder) / MANIFEST_FILE
        copy.write_bytes(data)
        try:
            YamlDocument(copy).parse(DatasetManifest)
        except InputError as error:
            raise StoreFailed(
                f"{path.name!r} was not written: it could not be read back",
                where=str(path),
                found=str(error),
                mend="simplify the file (anchors and merges are not kept) and run again",
            ) from error


def _tree(release: Release) -> CommentedMap:
    data = release.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    quoted = ("version", "at", "by")
    tree = CommentedMap(data)
    for key in quoted:
        tree[key] = DoubleQuotedScalarString(data[key])
    for name in ("files", "events", "counts", "left_out"):
        if name in data:
            tree[name] = _flow(data[name])
    return tree


def _flow(value: dict[str, Any]) -> CommentedMap:
    tree = CommentedMap(value)
    if all(not isinstance(inner, dict) for inner in value.values()):
        if len(str(value)) < 80:
            tree.fa.set_flow_style()
        return tree
    return CommentedMap({key: _flow(inner) for key, inner in value.items()})
