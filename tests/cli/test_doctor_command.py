from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judgekit.approval.lockfile import update_lock
from judgekit.approval.record import Approval, Lock
from judgekit.approval.warnings import is_dated
from judgekit.cli.init_command import limits_from_costs, write_starter
from judgekit.cli.main import run_cli
from judgekit.model.policy import Policy
from judgekit.store.workspace import find_workspace
from judgekit.wiring import build_grader


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write_starter(tmp_path, limits_from_costs(None, None))
    return tmp_path


def _doctor(root: Path, capsys, *options: str) -> tuple[int, dict]:
    capsys.readouterr()
    code = run_cli(["doctor", "--workspace", str(root), "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def _of(found: dict, check: str) -> list[dict]:
    return [f for f in found["findings"] if f["check"] == check]


def _edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _approve(root: Path, **changes) -> None:
    fingerprint = build_grader(find_workspace(root), "my-judge").fingerprint
    approval = Approval(
        **{
            "judge": "my-judge",
            "unit": "my_rubric",
            "fingerprint": fingerprint.value,
            "components": fingerprint.components,
            "dataset": "examples",
            "split": "holdout",
            "reference": "auto",
            "labels_hash": "sha256:aa",
            "verdicts_hash": "sha256:bb",
            "items_hash": "sha256:cc",
            "n_pairs": 1,
            "n_groups": 1,
            "confusion": {},
            "figures": {},
            "conditions": (),
            "policy": Policy(),
            "looks": 1,
            "approver": "ana",
            "reason": "it holds",
            "approved_at": datetime(2026, 1, 1, tzinfo=UTC),
            **changes,
        }
    )
    update_lock(root / "judges.lock", lambda _: Lock(approvals=(approval,)))


def test_a_sound_workspace_exits_0_and_says_so_in_words(root: Path, capsys) -> None:
    assert run_cli(["doctor", "--workspace", str(root)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "0 errors, 0 approvals that do not fit, 1 warning"


def test_a_key_is_reported_as_set_and_never_shown(root, capsys, monkeypatch) -> None:
    _, found = _doctor(root, capsys)
    assert "'OPENAI_API_KEY' is not set" in _of(found, "key")[0]["message"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    _, found = _doctor(root, capsys)
    assert _of(found, "key") == [
        {"check": "key", "level": "ok", "message": "my-judge: set, not shown"}
    ]
    assert "very-secret" not in json.dumps(found)


def test_no_workspace_exits_2(tmp_path: Path, capsys) -> None:
    code, found = _doctor(tmp_path, capsys)
    assert (code, found["exit_code"]) == (2, 2)
    assert _of(found, "workspace")[0]["level"] == "error"


def test_a_broken_rubric_exits_2_and_names_the_line(root: Path, capsys) -> None:
    _edit(root, "rubrics/my_rubric.yaml", "pass_rule: all ", "pas_rule: all ")
    code, found = _doctor(root, capsys)
    assert code == 2
    fault = _of(found, "rubric")[0]
    assert fault["level"] == "error"
    assert "my_rubric.yaml:8" in fault["where"]


def test_an_undated_model_is_warned_of(root: Path, capsys) -> None:
    _edit(root, "judgekit.yaml", "gpt-4.1-mini-2025-04-14", "gpt-4.1-mini")
    code, found = _doctor(root, capsys)
    assert code == 0
    assert "carries no date" in _of(found, "model")[0]["message"]


@pytest.mark.parametrize(
    ("model", "dated"),
    [
        ("gpt-4.1-mini-2025-04-14", True),
        ("claude-haiku-4-5-20251001", True),
        ("gpt-4-0613", True),
        ("gpt-4.1", False),
        ("claude-sonnet-latest", False),
        ("llama-3.1-70b", False),
    ],
)
def test_a_date_in_a_model_name_is_recognised(model: str, dated: bool) -> None:
    assert is_dated(model) is dated


def test_labels_that_are_only_in_events_are_counted(root: Path, capsys) -> None:
    folder = root / "annotations/examples/events"
    folder.mkdir()
    lines = [
        {"kind": "label", "item_id": "example-1", "annotator": "somebody"},
        {"kind": "label", "item_id": "example-1", "annotator": "ana"},
        {"kind": "skip", "item_id": "example-2", "annotator": "ana"},
    ]
    (folder / "ana.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, found = _doctor(root, capsys)
    assert _of(found, "labels")[0]["message"].startswith("1 labels are in events/")


def test_lines_in_events_that_cannot_be_read_are_counted_and_the_first_is_named(
    root: Path, capsys
) -> None:
    events = root / "annotations" / "examples" / "events"
    events.mkdir()
    lines = ["{torn", "[" * 100_000, json.dumps({"kind": "skip", "item_id": "e1"})]
    (events / "ana.jsonl").write_text("\n".join(lines) + "\n")
    code, found = _doctor(root, capsys)
    (finding,) = _of(found, "labels")
    assert (code, finding["level"]) == (0, "warning")
    assert finding["message"] == "2 lines in events/ cannot be read"
    assert finding["where"] == f"{events / 'ana.jsonl'}:1"


def test_an_approval_that_fits_is_ok_and_why_finds_nothing(root: Path, capsys) -> None:
    _approve(root)
    code, found = _doctor(root, capsys)
    assert code == 0
    assert _of(found, "lock")[0]["level"] == "ok"
    code, said = _doctor(root, capsys, "--why", "my-judge")
    assert (code, said["approvals"][0]["changed"]) == (0, [])


def test_a_changed_rubric_exits_4_and_why_names_the_components(root: Path, capsys) -> None:
    _approve(root)
    _edit(root, "rubrics/my_rubric.yaml", "answers what", "fully answers what")
    code, found = _doctor(root, capsys)
    assert code == 4
    assert _of(found, "lock")[0]["level"] == "stale"
    code, said = _doctor(root, capsys, "--why", "my-judge")
    changed = [c["component"] for c in said["approvals"][0]["changed"]]
    assert (code, changed) == (4, ["request", "rubric"])


def test_why_without_an_approval_exits_4(root: Path, capsys) -> None:
    code, said = _doctor(root, capsys, "--why", "my-judge")
    assert (code, said["error"]["type"]) == (4, "NotApproved")


def test_why_of_an_unknown_grader_exits_2_with_the_nearest_name(root: Path, capsys) -> None:
    code, said = _doctor(root, capsys, "--why", "my-juge")
    assert (code, said["error"]["mend"]) == (2, "did you mean 'my-judge'?")


def test_an_expired_approval_exits_4(root: Path, capsys) -> None:
    _approve(root, expires_at=datetime(2026, 2, 1, tzinfo=UTC))
    code, found = _doctor(root, capsys)
    assert code == 4
    assert "expired" in _of(found, "lock")[0]["message"]


def test_an_unfinished_merge_of_the_lock_exits_2_at_its_line(root: Path, capsys) -> None:
    _approve(root)
    lock = root / "judges.lock"
    lock.write_text(lock.read_text() + "<<<<<<< ours\n")
    code, found = _doctor(root, capsys)
    assert code == 2
    fault = _of(found, "lock")[0]
    assert "unfinished merge" in fault["message"]
    assert fault["where"].endswith(f":{len(lock.read_text().splitlines())}")


def test_a_gate_judge_without_approval_is_a_warning(root: Path, capsys) -> None:
    _edit(root, "judgekit.yaml", "judges: [] ", "judges: [my-judge] ")
    code, found = _doctor(root, capsys)
    assert (code, _of(found, "lock")[0]["level"]) == (0, "warning")


def test_endpoints_are_knocked_at_only_when_asked(root, capsys, httpserver) -> None:
    httpserver.expect_request("/").respond_with_data("no", status=404)
    _edit(root, "judgekit.yaml", "# base_url: http://127.0.0.1:8000/v1", "base_url: BASE")
    _edit(root, "judgekit.yaml", "BASE", httpserver.url_for("/"))
    _, found = _doctor(root, capsys)
    assert (_of(found, "endpoint"), len(httpserver.log)) == ([], 0)
    code, found = _doctor(root, capsys, "--online")
    assert (code, len(httpserver.log)) == (0, 1)
    assert _of(found, "endpoint")[0]["message"].endswith("the endpoint answers (HTTP 404)")
    assert "authorization" not in {name.lower() for name in dict(httpserver.log[0][0].headers)}


def test_an_endpoint_that_cannot_be_reached_is_a_warning(root, capsys) -> None:
    _edit(root, "judgekit.yaml", "# base_url: http://127.0.0.1:8000/v1", "base_url: BASE")
    _edit(root, "judgekit.yaml", "BASE", "http://127.0.0.1:9/v1")
    code, found = _doctor(root, capsys, "--online")
    assert (code, _of(found, "endpoint")[0]["level"]) == (0, "warning")
