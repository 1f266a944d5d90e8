import os
import subprocess
from pathlib import Path

import pytest
from evidence_records import NOW, evidence

from judgekit.approval.approve import approve
from judgekit.approval.lockfile import lock_text, parse_lock, read_lock, update_lock
from judgekit.approval.record import Lock
from judgekit.errors import ApprovalError, InputError, StoreFailed
from judgekit.model.canonical import content_hash


def signed(root: Path, *judges: str) -> Path:
    for judge in judges:
        approve(evidence(judge), approver="carla", reason="holdout of May", root=root, now=NOW)
    return root / "judges.lock"


def test_an_absent_lock_holds_no_approvals(tmp_path: Path) -> None:
    assert read_lock(tmp_path / "judges.lock") == Lock()


def test_blocks_are_sorted_by_judge_after_the_schema(tmp_path: Path) -> None:
    path = signed(tmp_path, "zeta", "alpha")
    text = path.read_text(encoding="utf-8")
    assert text.index("schema = 1") < text.index('judge = "alpha"') < text.index('judge = "zeta"')
    assert [a.judge for a in read_lock(path).approvals] == ["alpha", "zeta"]


def test_what_is_written_reads_back_to_the_same_text(tmp_path: Path) -> None:
    path = signed(tmp_path, "alpha", "zeta")
    assert lock_text(read_lock(path)) == path.read_text(encoding="utf-8")


def test_blocks_of_two_branches_joined_by_git_are_a_valid_lock(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = signed(tmp_path / "one", "alpha").read_text(encoding="utf-8")
    two = signed(tmp_path / "two", "zeta").read_text(encoding="utf-8")
    joined = one + "\n" + two[two.index("[[approval]]") :]
    assert [a.judge for a in parse_lock(joined).approvals] == ["alpha", "zeta"]


def test_an_unchanged_lock_is_not_rewritten(tmp_path: Path) -> None:
    path = signed(tmp_path, "alpha")
    os.utime(path, (1, 1))
    assert update_lock(path, lambda lock: lock).diff == ""
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('approver = "carla"', 'approver = "dora"'),
        ("max_false_pass_rate = 0.1", "max_false_pass_rate = 0.3"),
        ("n_pairs = 100", "n_pairs = 100\nextra = 1"),
        ("n_pairs = 100", "n_pairs = nan"),
    ],
)
def test_a_hand_edit_is_found(tmp_path: Path, old: str, new: str) -> None:
    path = signed(tmp_path, "alpha")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ApprovalError, match="edited by hand") as caught:
        read_lock(path)
    assert "'alpha'" in (caught.value.where or "")


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="newer judgekit"):
        parse_lock("schema = 2\n")


@pytest.mark.parametrize("text", ["", "schema = true\n", "schema = 'x'\n"])
def test_a_lock_without_a_schema_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no schema version"):
        parse_lock(text)


def test_merge_marks_are_refused_with_their_line(tmp_path: Path) -> None:
    path = signed(tmp_path, "alpha")
    text = path.read_text(encoding="utf-8")
    marked = text.replace("[[approval]]", "<<<<<<< HEAD\n[[approval]]", 1)
    with pytest.raises(InputError, match="unfinished merge") as caught:
        parse_lock(marked)
    assert caught.value.where == "judges.lock:4"


def test_something_else_than_approvals_is_refused() -> None:
    with pytest.raises(InputError, match="something else"):
        parse_lock("schema = 1\nother = 2\n")


def test_broken_toml_is_refused() -> None:
    with pytest.raises(InputError, match="not TOML"):
        parse_lock("schema = \n")


def test_two_blocks_for_one_judge_and_unit_are_refused(tmp_path: Path) -> None:
    text = signed(tmp_path, "alpha").read_text(encoding="utf-8")
    with pytest.raises(InputError, match="2 times"):
        parse_lock(text + "\n" + text[text.index("[[approval]]") :])


def test_a_second_writer_is_refused_while_the_first_holds_the_file(tmp_path: Path) -> None:
    path = tmp_path / "judges.lock"

    def nested(lock: Lock) -> Lock:
        with pytest.raises(StoreFailed, match="another process"):
            update_lock(path, lambda _: lock)
        return lock

    update_lock(path, nested)


def test_line_ends_of_windows_are_read(tmp_path: Path) -> None:
    path = signed(tmp_path, "alpha")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert [a.judge for a in read_lock(path).approvals] == ["alpha"]


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "judges.lock"
    path.write_bytes(b"schema = 1\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_lock(path)


def test_a_folder_in_place_of_the_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "judges.lock").mkdir()
    with pytest.raises(StoreFailed, match="cannot be read"):
        read_lock(tmp_path / "judges.lock")


def test_a_workspace_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".judgekit").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreFailed, match="cannot be held"):
        update_lock(tmp_path / "judges.lock", lambda _: Lock())


def test_a_block_with_an_unknown_key_is_refused_even_with_a_right_digest() -> None:
    block = {"judge": "a", "unit": "b"}
    text = f'schema = 1\n[[approval]]\ndigest = "{content_hash(block)}"\njudge = "a"\nunit = "b"\n'
    with pytest.raises(InputError, match="cannot be read") as caught:
        parse_lock(text)
    assert (caught.value.where or "").endswith("'a' 'b' fingerprint")


def test_null_figures_are_left_out_of_the_file(tmp_path: Path) -> None:
    text = signed(tmp_path, "alpha").read_text(encoding="utf-8")
    assert "status" not in text


def test_git_merges_approvals_of_judges_far_apart_in_the_file(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    path = signed(tmp_path, "m")
    git("add", "judges.lock")
    git("commit", "-qm", "m")
    git("checkout", "-qb", "other")
    signed(tmp_path, "z")
    git("commit", "-qam", "z")
    git("checkout", "-q", "main")
    signed(tmp_path, "a")
    git("commit", "-qam", "a")
    git("merge", "-q", "other", "-m", "both")
    assert [a.judge for a in read_lock(path).approvals] == ["a", "m", "z"]
    assert lock_text(read_lock(path)) == path.read_text(encoding="utf-8")
