from __future__ import annotations

import json
import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from label_event_records import START, event

from judgekit.errors import InputError, LabelConflict, StoreFailed
from judgekit.store.formats.problems import Refusal
from judgekit.store.label_files.log.event_line import event_text, parse_event
from judgekit.store.label_files.log.order import by_revision, in_order
from judgekit.store.label_files.mirror import (
    EventMirror,
    catch_up,
    read_event_file,
    read_event_folder,
)


def file_of(root: Path, name: str = "ana") -> Path:
    return root / "desk" / "events" / f"{name}.jsonl"


def test_an_event_is_one_sorted_line_without_sequence_and_dataset() -> None:
    line = event_text(event(7, value={"label": "fail", "note": 'naïve \u2028 = "x"'}))
    row = json.loads(line)
    assert "\n" not in line
    assert list(row) == sorted(row)
    assert row["schema"] == 1
    assert {"seq", "dataset"}.isdisjoint(row)
    assert "naïve" in line


def test_an_event_read_back_gives_the_same_line() -> None:
    written = event_text(event(7, dwell_ms=900, prev_rev=2, rev=3, guideline="v2", repeat=1))
    found = parse_event(7, written, "desk")
    assert not isinstance(found, Refusal)
    assert event_text(found) == written


def test_a_time_with_another_offset_is_written_in_utc() -> None:
    row = json.loads(event_text(event(1))) | {"at": "2026-11-30T11:00:00+02:00"}
    found = parse_event(1, json.dumps(row), "desk")
    assert not isinstance(found, Refusal)
    assert '"at": "2026-11-30T09:00:00Z"' in event_text(found)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"schema": 2}, "schema"),
        ({"schema": True}, "schema"),
        ({"schema": None}, "schema"),
        ({"seq": 4}, "seq"),
        ({"colour": "red"}, "colour"),
        ({"at": "9999-12-31T23:59:59.999999-12:00"}, "at"),
        ({"at": "9999-12-31T23:59:59.999999Z"}, "at"),
        ({"at": "9998-12-31T23:59:59.999999-12:00"}, "at"),
        ({"at": "0001-01-01T00:00:00+12:00"}, "at"),
        ({"at": "0001-01-01T00:00:00Z"}, "at"),
        ({"rev": "1"}, "rev"),
        ({"rev": 0}, "rev"),
        ({"rev": True}, "rev"),
        ({"kind": "vote"}, "kind"),
        ({"at": "yesterday"}, "at"),
        ({"at": "2026-11-30T09:00:00"}, "at"),
        ({"actor": "ana@desk.example"}, "actor"),
        ({"annotator": ""}, "annotator"),
        ({"op_id": " "}, "op_id"),
        ({"op_id": "a\nb"}, "op_id"),
        ({"item_id": ""}, "item_id"),
        ({"value": {}, "kind": "import"}, "value.label"),
        ({"value": {"label": ""}}, "value.label"),
        ({"value": None, "kind": "unsure"}, "value"),
        ({"value": {"label": ["pass"]}}, "value.label"),
        ({"value": {"label": "fail", "note": 3}}, "value.note"),
        ({"value": "pass"}, "value"),
        ({"after_reveal": "yes"}, "after_reveal"),
    ],
)
def test_a_line_that_is_no_event_is_refused_by_field(change: dict, field: str) -> None:
    row = {**json.loads(event_text(event(1))), **change}
    found = parse_event(3, json.dumps(row), "desk")
    assert isinstance(found, Refusal)
    assert (found.line, found.field) == (3, field)


@pytest.mark.parametrize(
    "text", ["[]", "3", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "null", "[" * 99999]
)
def test_text_that_is_no_object_is_refused(text: str) -> None:
    assert isinstance(parse_event(1, text, "desk"), Refusal)


def test_events_go_to_the_file_of_their_actor(tmp_path: Path) -> None:
    mirror = EventMirror(tmp_path)
    mirror.append(
        [event(1), event(2, actor="Ben"), event(3, annotator="_adjudication", kind="adjudicate")]
    )
    assert [e.op_id for e in read_event_file(file_of(tmp_path))] == ["op-1", "op-3"]
    assert [e.op_id for e in read_event_file(file_of(tmp_path, "%42en"))] == ["op-2"]


def test_an_event_is_appended_once_however_often_it_is_given(tmp_path: Path) -> None:
    mirror = EventMirror(tmp_path)
    assert mirror.add([event(1)]) == 1
    assert mirror.add([event(1), event(2)]) == 1
    assert catch_up(tmp_path, [event(1), event(2), event(3)]) == 1
    assert mirror.held("desk") == {"op-1/_overall", "op-2/_overall", "op-3/_overall"}
    assert file_of(tmp_path).read_text().count("\n") == 3


def test_what_a_dead_process_left_out_is_added_by_the_next(tmp_path: Path) -> None:
    """L7, fast 3: the database committed, the process died before the file was written."""
    EventMirror(tmp_path).append([event(1)])
    assert EventMirror(tmp_path).held("desk") == {"op-1/_overall"}
    assert catch_up(tmp_path, [event(1), event(2)]) == 1
    assert catch_up(tmp_path, [event(1), event(2)]) == 0
    assert [e.op_id for e in read_event_file(file_of(tmp_path))] == ["op-1", "op-2"]


@pytest.mark.parametrize("cut", [1, 5, 40, -2])
def test_a_torn_last_line_is_cut_off_and_written_again(tmp_path: Path, cut: int) -> None:
    EventMirror(tmp_path).append([event(1), event(2)])
    path = file_of(tmp_path)
    whole = path.read_bytes()
    second = whole.index(b"\n") + 1
    path.write_bytes(whole[:cut] if cut < 0 else whole[: second + cut])
    with pytest.raises(InputError, match="refused") as caught:
        read_event_file(path)
    assert "torn" in str(caught.value)
    line = 1 if cut < 0 and path.read_bytes().count(b"\n") == 0 else 2
    assert f"delete the unfinished last line {line} of ana.jsonl" in str(caught.value)
    assert catch_up(tmp_path, [event(1), event(2)]) == 1
    assert path.read_bytes() == whole


def test_a_whole_line_that_lacks_only_its_line_feed_is_kept(tmp_path: Path) -> None:
    EventMirror(tmp_path).append([event(1)])
    path = file_of(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert len(read_event_file(path)) == 1
    assert catch_up(tmp_path, [event(1)]) == 0
    assert path.read_bytes() == whole


def test_a_whole_line_of_a_newer_form_is_never_cut_off(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text('{"schema": 2, "op_id": "x", "field": "f"}')
    EventMirror(tmp_path).append([event(1)])
    assert path.read_text().startswith('{"schema": 2, "op_id": "x", "field": "f"}\n{')


def test_another_content_under_a_known_operation_is_a_conflict(tmp_path: Path) -> None:
    EventMirror(tmp_path).append([event(1)])
    before = file_of(tmp_path).read_bytes()
    with pytest.raises(LabelConflict, match="op-1"):
        catch_up(tmp_path, [event(1, label="fail"), event(2)])
    assert file_of(tmp_path).read_bytes() == before


def test_the_same_event_in_another_spelling_is_no_conflict(tmp_path: Path) -> None:
    EventMirror(tmp_path).append([event(1)])
    path = file_of(tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()), separators=(",", ":")) + "\r\n")
    assert catch_up(tmp_path, [event(1)]) == 0


def test_a_broken_line_does_not_stop_a_save_but_is_refused_on_reading(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text("<<<<<<< ours\n")
    EventMirror(tmp_path).append([event(1)])
    with pytest.raises(InputError) as caught:
        read_event_file(path)
    assert f"{path}:1" in str(caught.value)


def test_a_file_replaced_under_a_running_app_is_read_anew(tmp_path: Path) -> None:
    mirror = EventMirror(tmp_path)
    mirror.append([event(1), event(2)])
    file_of(tmp_path).unlink()
    assert mirror.add([event(1), event(2), event(3)]) == 3


def test_lines_that_version_control_put_between_are_noticed(tmp_path: Path) -> None:
    """The file is written in place, so that it keeps its inode, and is longer."""
    mirror = EventMirror(tmp_path)
    mirror.append([event(1), event(2)])
    path = file_of(tmp_path)
    path.write_text("".join(event_text(event(seq)) + "\n" for seq in (1, 7, 8, 9, 2)))
    assert mirror.add([event(1), event(2), event(7)]) == 0
    assert mirror.add([event(3)]) == 1
    assert [e.op_id for e in read_event_file(path)] == [f"op-{n}" for n in (1, 7, 8, 9, 2, 3)]


def test_a_line_taken_out_of_a_file_of_the_same_length_is_noticed(tmp_path: Path) -> None:
    mirror = EventMirror(tmp_path)
    mirror.append([event(1), event(2)])
    path = file_of(tmp_path)
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first.replace(b"op-1", b"op-7") + second)
    os.utime(path, ns=(0, 0))
    assert mirror.add([event(1)]) == 1


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\xff\xfe\x00", "not UTF-8"),
        ('{"a": "é"}\n'.encode("latin-1"), "not UTF-8"),
        (b"\x00\n", "refused"),
        (b"[]\n[]\n", "2 rows"),
    ],
)
def test_bytes_that_are_no_events_are_refused_with_their_line(
    tmp_path: Path, data: bytes, told: str
) -> None:
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with pytest.raises(InputError, match=told) as caught:
        read_event_file(path)
    assert f"{path}:1" in str(caught.value)


def test_a_byte_order_mark_carriage_returns_and_blank_lines_are_read(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xef\xbb\xbf" + event_text(event(1)).encode() + b"\r\n\r\n")
    assert len(read_event_file(path)) == 1


def test_an_event_in_anothers_file_or_given_twice_with_two_contents_is_refused(
    tmp_path: Path,
) -> None:
    path = file_of(tmp_path, "ben")
    path.parent.mkdir(parents=True)
    path.write_text(f"{event_text(event(1))}\n")
    with pytest.raises(InputError, match="refused"):
        read_event_file(path)
    own = file_of(tmp_path)
    own.write_text(f"{event_text(event(1))}\n{event_text(event(1, label='fail'))}\n")
    with pytest.raises(InputError, match="refused"):
        read_event_file(own)


def test_a_line_that_a_merge_doubled_is_read_once(tmp_path: Path) -> None:
    own = file_of(tmp_path)
    own.parent.mkdir(parents=True)
    own.write_text(f"{event_text(event(1))}\n{event_text(event(2))}\n{event_text(event(1))}\n")
    assert [e.op_id for e in read_event_file(own)] == ["op-1", "op-2"]


def test_a_file_in_utf_16_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(f"{event_text(event(1))}\n".encode("utf-16"))
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="UTF-16"):
        EventMirror(tmp_path).append([event(2)])
    assert EventMirror(tmp_path).held("desk") == frozenset()
    assert path.read_bytes() == before


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "events").write_text("a file where the folder should be")
    with pytest.raises(StoreFailed, match="cannot be written"):
        EventMirror(tmp_path).append([event(1)])


def test_files_are_read_in_order_of_time_and_a_file_keeps_its_own_order() -> None:
    late = event(1, op_id="a-late", at=START.replace(hour=12))
    early = event(2, op_id="a-early", at=START.replace(hour=8))
    other = event(3, op_id="b", at=START.replace(hour=10))
    assert [e.op_id for e in in_order([[late, early], [other]])] == ["b", "a-late", "a-early"]


def test_revisions_of_one_line_are_read_in_their_order_and_others_keep_their_places() -> None:
    third, first, second = (event(n, rev=n) for n in (3, 1, 2))
    of_ben = event(9, actor="ben", annotator="ben")
    assert by_revision([third, of_ben, first, second]) == (first, of_ben, second, third)


def test_threads_that_share_a_mirror_lose_and_double_nothing(tmp_path: Path) -> None:
    mirror = EventMirror(tmp_path)

    def work(start: int) -> None:
        for seq in range(start, start + 40):
            mirror.append([event(seq), event(seq, op_id=f"b-{seq}", actor="ben")])
            mirror.held("desk")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, [1, 1, 21, 21, 41, 41, 61, 61]))
    for name, mark in (("ana", "op-"), ("ben", "b-")):
        found = [e.op_id for e in read_event_file(file_of(tmp_path, name))]
        assert sorted(found) == sorted(f"{mark}{n}" for n in range(1, 101))


def _append(root: str, start: int) -> None:
    mirror = EventMirror(Path(root))
    for seq in range(start, start + 50):
        mirror.append([event(seq)])


def test_processes_that_append_and_catch_up_at_once_lose_and_double_nothing(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append, args=(str(tmp_path), s)) for s in (1, 26, 51)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    found = read_event_file(file_of(tmp_path))
    assert sorted(e.op_id for e in found) == sorted(f"op-{n}" for n in range(1, 101))
    assert list(read_event_folder(tmp_path / "desk")) == ["ana.jsonl"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"rev": 10**30}, "rev"),
        ({"dwell_ms": -1}, "dwell_ms"),
        ({"active_ms": 10**18}, "active_ms"),
        ({"schema_version": -1}, "schema_version"),
        ({"repeat": 2}, "repeat"),
        ({"prev_rev": 1}, "prev_rev"),
        ({"item_id": "a\u0000b"}, "item_id"),
        ({"op_id": "x" * 1001}, "op_id"),
        ({"design": ""}, "design"),
        ({"kind": "adjudicate"}, "annotator"),
        ({"annotator": "_adjudication"}, "annotator"),
        ({"value": {"label": "pass", "weight": 0}}, "value.weight"),
        ({"value": {"label": "pass", "spans": "x"}}, "value.spans"),
    ],
)
def test_an_event_that_no_database_could_hold_is_refused_by_field(change: dict, field: str) -> None:
    found = parse_event(3, json.dumps({**json.loads(event_text(event(1))), **change}), "desk")
    assert isinstance(found, Refusal)
    assert found.field == field


def test_a_line_without_end_is_refused_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judgekit.store.formats.rows.MAX_LINE_BYTES", 1000)
    path = file_of(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text("x" * 5000 + "\n" + event_text(event(1)) + "\n")
    with pytest.raises(InputError, match="one row") as caught:
        read_event_file(path)
    assert "a longer line" in str(caught.value)
