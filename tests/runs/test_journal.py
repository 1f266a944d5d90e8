from __future__ import annotations

import multiprocessing
import resource
from pathlib import Path

import pytest

from judgekit.errors import InputError, StoreFailed
from judgekit.model.verdict import Verdict
from judgekit.store.journal import Journal, finished_keys, read_verdict_journal, verdict_key


def verdict(item_id: str = "a", *, fingerprint: str = "sha256:1", **fields: object) -> Verdict:
    base: dict[str, object] = {"status": "scored", "passed": True}
    return Verdict.model_validate(
        {"item_id": item_id, "grader": "g", "fingerprint": fingerprint, "item_hash": "h"}
        | base
        | fields
    )


def write(path: Path, *verdicts: Verdict) -> None:
    with Journal(path) as journal:
        for one in verdicts:
            journal.append(one)


def test_what_is_appended_is_read_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "g.jsonl"
    full = verdict("é\n", evidence=("q",), cost_usd=0.5, failure_mode=None, raw='{"a": "\u2028"}')
    write(path, full, verdict("b", passed=False, fingerprint="sha256:2"))
    assert read_verdict_journal(path) == (full, verdict("b", passed=False, fingerprint="sha256:2"))
    assert read_verdict_journal(path, "sha256:1") == (full,)


def test_a_verdict_is_in_the_file_before_append_returns(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    with Journal(path) as journal:
        journal.append(verdict())
        assert read_verdict_journal(path) == (verdict(),)


def test_a_missing_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert read_verdict_journal(tmp_path / "none.jsonl") == ()


def test_a_torn_last_line_is_passed_over_and_cut_off_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    write(path, verdict("a"), verdict("b"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    assert read_verdict_journal(path) == (verdict("a"),)
    with Journal(path) as journal:
        assert journal.torn_bytes == len(whole) - 7 - len(whole.splitlines(keepends=True)[0])
        journal.append(verdict("c"))
    assert read_verdict_journal(path) == (verdict("a"), verdict("c"))


def test_a_torn_line_longer_than_one_read_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    write(path, verdict("a"))
    with path.open("ab") as file:
        file.write(b"x" * 200_000)
    write(path, verdict("b"))
    assert read_verdict_journal(path) == (verdict("a"), verdict("b"))


def test_a_broken_line_in_the_middle_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    write(path, verdict("a"))
    with path.open("ab") as file:
        file.write(b"{oops\n")
    write(path, verdict("b"))
    with pytest.raises(InputError) as caught:
        read_verdict_journal(path)
    assert caught.value.where == f"{path}:2"


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text('{"schema": 2, "item_id": "a"}\n')
    with pytest.raises(InputError, match="newer judgekit"):
        read_verdict_journal(path)


def test_a_usable_verdict_replaces_a_failed_one_and_is_never_replaced_by_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "g.jsonl"
    failed = verdict(status="failed", passed=None, kind="server", reason="HTTP 500")
    write(path, failed, verdict(), failed)
    assert read_verdict_journal(path) == (verdict(),)


def test_failed_verdicts_are_never_finished(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    failed = verdict("b", status="failed", passed=None, kind="server", reason="HTTP 500")
    invalid = verdict("c", status="invalid", passed=None, reason="misfit", regrade=2)
    write(path, verdict("a"), failed, invalid, verdict("d", fingerprint="sha256:2"))
    assert finished_keys(path, "sha256:1") == {
        verdict_key("a", "h", 0): "scored",
        verdict_key("c", "h", 2): "invalid",
    }


def _try(path: Path, queue: multiprocessing.Queue[str]) -> None:
    try:
        Journal(path).close()
        queue.put("opened")
    except StoreFailed as error:
        queue.put(str(error))


def test_a_second_process_is_refused_with_one_clear_message(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    with Journal(path):
        other = context.Process(target=_try, args=(path, queue))
        other.start()
        said = queue.get(timeout=60)
        other.join()
    assert said.startswith("another process is writing this journal\n  where: ")
    Journal(path).close()


def test_a_write_that_does_not_fit_is_a_store_failure_that_leaves_no_half_record(
    tmp_path: Path,
) -> None:
    path = tmp_path / "g.jsonl"
    write(path, verdict("a"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Journal(path) as journal:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
        try:
            with pytest.raises(StoreFailed, match="no space left"):
                journal.append(verdict("b"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        journal.append(verdict("c"))
    assert read_verdict_journal(path) == (verdict("a"), verdict("c"))


def test_a_folder_that_cannot_be_written_is_a_store_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreFailed):
        Journal(tmp_path / "file" / "g.jsonl")
