from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from label_workspace import MANIFEST

from judgekit.errors import InputError
from judgekit.model.release import EventsSeen, Exclusion, Release, UnitAgreement
from judgekit.stats.estimate import Estimate, Undefined
from judgekit.store.dataset import read_manifest
from judgekit.store.label_files.released.manifest import manifest_with, write_manifest

HASH = "sha256:" + "0" * 64


def release(version: str = "4") -> Release:
    return Release(
        version=version,
        project="desk",
        at=datetime(2026, 11, 30, 9, tzinfo=UTC),
        by="lea",
        last_seq=12,
        files={"labels.jsonl": HASH},
        events={"ana.jsonl": EventsSeen(lines=6, sha256=HASH)},
        counts={"labels": 6, "label pass": 4},
        agreement={
            "_overall": UnitAgreement(
                n_pairs=3,
                agreement=Estimate(value=1 / 3, low=0.06, high=0.79, n=3, method="Wilson"),
                kappa=Undefined(undefined="one answer: all pass", n=3),
            )
        },
        exclusions=(
            Exclusion(item_id="case-1", criterion="tone", reason="the policy: # says 'nothing'"),
        ),
    )


def test_a_release_is_added_and_comments_and_other_keys_stay(tmp_path: Path) -> None:
    (tmp_path / "dataset.yaml").write_text(MANIFEST)
    write_manifest(tmp_path, manifest_with(tmp_path, release()))
    text = (tmp_path / "dataset.yaml").read_text()
    kept = text.replace('version: "4" ', 'version: "3" ')
    assert kept.startswith(MANIFEST)
    assert "# The desk's replies of November. Keep this comment.\n" in text
    assert read_manifest(tmp_path).version == "4"
    assert read_manifest(tmp_path).releases == (release(),)


def test_each_release_is_listed_after_the_one_before(tmp_path: Path) -> None:
    (tmp_path / "dataset.yaml").write_text(MANIFEST)
    for version in ("4", "5", "2026-12"):
        write_manifest(tmp_path, manifest_with(tmp_path, release(version)))
    assert [r.version for r in read_manifest(tmp_path).releases] == ["4", "5", "2026-12"]
    assert read_manifest(tmp_path).version == "2026-12"


def test_a_dataset_without_a_manifest_gets_one(tmp_path: Path) -> None:
    folder = tmp_path / "desk"
    folder.mkdir()
    write_manifest(folder, manifest_with(folder, release("1")))
    assert (read_manifest(folder).name, read_manifest(folder).version) == ("desk", "1")


@pytest.mark.parametrize(
    "data", [b"\xff", b"- a\n", b"", b"name: a\nname: b\n", b"name: a\ncolour: red\n", b"name: [\n"]
)
def test_a_manifest_that_cannot_be_used_is_refused_and_kept(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "dataset.yaml"
    path.write_bytes(data)
    with pytest.raises(InputError):
        manifest_with(tmp_path, release())
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + MANIFEST,
        MANIFEST.replace("\n", "\r\n"),
        "# only a comment first\n\nname: 'a: b'\n\n# at the end\n",
        "name: desk\ntitle: >-\n  a folded\n  title\nsource: " + "long " * 100 + "\n",
        "{name: desk, version: '1'}\n",
    ],
)
def test_manifests_of_many_forms_take_a_release(tmp_path: Path, text: str) -> None:
    path = tmp_path / "dataset.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    before = read_manifest(tmp_path)
    write_manifest(tmp_path, manifest_with(tmp_path, release()))
    after = read_manifest(tmp_path)
    assert after == before.model_copy(update={"version": "4", "releases": (release(),)})
    assert all(line.strip() in path.read_text() for line in text.splitlines() if "#" in line[:1])
