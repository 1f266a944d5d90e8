"""What `judgekit labels` refuses: one message, the right exit code, nothing written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_workspace import (
    case,
    give,
    make_workspace,
    open_desk,
    opened,
)

from judgekit.cli.main import run_cli


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = run_cli([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "desk-workspace"
    make_workspace(root)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def labelled(desk: Path) -> Path:
    workspace = make_workspace(desk / ".." / "unused").model_copy(update={"root": desk})
    with opened(workspace) as store:
        open_desk(store, workspace)
        give(store, "ana", "pass", *[case(n) for n in range(1, 7)])
        give(store, "ben", "pass", *[case(n) for n in range(1, 5)])
        give(store, "ben", "fail", case(5), failure_mode="rude", note="=1+1")
    return desk


@pytest.mark.parametrize(
    "words",
    [
        ["import", "--file", "missing.jsonl"],
        ["import", "--kind", "votes"],
        ["import", "--kind", "items"],
        ["import", "--dataset", "nowhere"],
        ["import", "--rubric", "nothing"],
        ["import", "--by", "ana@desk.example"],
        ["import", "--design", "by-feel"],
        ["import", "--file", "empty.jsonl"],
        ["import", "--file", "folder"],
        ["export", "--by", "lea"],
        ["status"],
        ["status", "--dataset", "desk"],
    ],
)
def test_bad_use_of_a_fresh_workspace_is_exit_2_with_one_message_and_writes_nothing(
    desk: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (desk / "empty.jsonl").write_text("")
    (desk / "folder").mkdir()
    before = tree(desk / "annotations")
    assert run_cli(["labels", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert "Traceback" not in captured.err
    assert tree(desk / "annotations") == before


@pytest.mark.parametrize(
    "words",
    [
        ["export"],
        ["export", "--by", "lea@desk.example"],
        ["export", "--by", "lea", "--version", "a/b"],
        ["export", "--by", "lea", "--csv", "x.csv"],
        ["export", "--by", "lea", "--project", "none"],
        ["export", "--out", "annotations"],
        ["status", "--dataset", "none"],
    ],
)
def test_bad_use_of_a_labelled_workspace_is_exit_2_and_writes_nothing(
    labelled: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    before = tree(labelled / "annotations")
    assert run_cli(["labels", *words]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert tree(labelled / "annotations") == before


@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://nobody:secret@127.0.0.1:1/none", "sqlite:////proc/none/x.db"]
)
def test_a_database_that_is_not_there_is_exit_5_without_its_password(
    desk: Path, capsys: pytest.CaptureFixture[str], url: str
) -> None:
    assert run_cli(["labels", "import", "--rubric", "reply", "--url", url]) == 5
    captured = capsys.readouterr()
    assert "secret" not in captured.err
    assert "Traceback" not in captured.err


def test_a_database_that_is_none_is_exit_5(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "bad.db").write_bytes(b"this is no database at all" * 100)
    assert run_cli(["labels", "status", "--url", f"sqlite:///{desk}/bad.db"]) == 5
    assert run_cli(["labels", "status", "--url", "nonsense"]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("project", ["../x", ".", "a" * 65, "a\0b", "a b"])
def test_a_project_whose_name_cannot_be_used_is_exit_2(
    desk: Path, capsys: pytest.CaptureFixture[str], project: str
) -> None:
    code, found = run(capsys, "labels", "import", "--rubric", "reply", "--project", project)
    assert code == 2
    assert "cannot be the name of a project" in found["error"]["message"]


@pytest.mark.parametrize(
    "kept", ["annotations/desk/labels.jsonl", "annotations/desk/events/ana.jsonl", ".judgekit/x.db"]
)
def test_a_csv_never_takes_the_place_of_a_file_of_another_kind(
    labelled: Path, capsys: pytest.CaptureFixture[str], kept: str
) -> None:
    before = tree(labelled / "annotations")
    code, _ = run(capsys, "labels", "export", "--csv", str(labelled / kept))
    assert code == 2
    assert tree(labelled / "annotations") == before


@pytest.mark.parametrize("url", ["sqlite:///:memory:", "postgresql://u@h:abc/x", "sqlite://"])
@pytest.mark.parametrize("verb", ["status", "import"])
def test_an_address_that_is_none_is_exit_2(
    desk: Path, capsys: pytest.CaptureFixture[str], verb: str, url: str
) -> None:
    code, found = run(capsys, "labels", verb, "--url", url)
    assert (code, found["error"]["exit_code"]) == (2, 2)


def test_a_database_that_is_a_folder_is_no_missing_one(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (desk / ".judgekit" / "labels.db").mkdir(parents=True)
    code, found = run(capsys, "labels", "status")
    assert (code, found["error"]["message"].splitlines()[0]) == (
        5,
        "the label database cannot be opened",
    )
