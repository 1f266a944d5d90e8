"""`judgekit label`: what it refuses, what it opens, and how it starts the server."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from urllib.request import urlopen

import pytest

from judgekit.cli import label_command, label_server
from judgekit.cli.labels_store import opened
from judgekit.cli.main import run_cli
from judgekit.model.case import Case
from judgekit.model.scoring import ScoringRules
from judgekit.model.trial import Trial
from judgekit.process.score_review import write_score_review
from judgekit.scorers.trial_scoring import score_trial
from judgekit.store.readers import read_items
from judgekit.store.workspace import find_workspace

RUBRIC = """schema: 1
name: desk
task: Decide.
criteria: [{id: right, description: It is right.}]
failure_modes: [{id: wrong, description: It is wrong.}]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return workspace(tmp_path, "schema: 1\ndataset: desk\n")


def workspace(folder: Path, settings: str) -> Path:
    (folder / "judgekit.yaml").write_text(settings)
    (folder / "rubrics").mkdir()
    (folder / "rubrics" / "desk.yaml").write_text(RUBRIC)
    dataset = folder / "annotations" / "desk"
    dataset.mkdir(parents=True)
    rows = [{"id": f"i{n}", "input": f"q{n}", "output": f"a{n}"} for n in range(3)]
    (dataset / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str]]]:
    """Keep what would become the server instead of becoming it."""
    kept: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    monkeypatch.setattr(os, "chdir", lambda *_: None)
    monkeypatch.setattr(os, "execve", lambda _, command, env: kept.append((command, env)))
    return kept


def label(*options: str) -> int:
    return run_cli(["label", *options])


def test_the_dataset_of_the_workspace_is_opened_and_the_address_told(
    root: Path, capsys, started
) -> None:
    assert label("--workspace", str(root), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["project"], told["workspace"]) == ("desk", str(root))
    assert told["url"].startswith("http://127.0.0.1:")
    assert len(started) == 1
    with opened(find_workspace(root), None) as store:
        project = store.projects.get("desk")
        assert (project.n_items, project.label_schema.rubric) == (3, "desk")


def test_events_that_a_new_database_lacks_are_told_before_anybody_works(
    root: Path, capsys, started
) -> None:
    """The database was lost, and its files are there."""
    assert label("--workspace", str(root)) == 0
    with opened(find_workspace(root), None) as store:
        store.codes.add_note("desk", "i1", "rude", author="eva", op_id="n1")
    assert label("--workspace", str(root)) == 0
    assert "lacks" not in capsys.readouterr().err
    shutil.rmtree(root / ".judgekit")
    assert label("--workspace", str(root)) == 0
    said = capsys.readouterr().err
    assert "the files hold 1 events of 'desk' that this database lacks" in said
    assert "judgekit labels import --dataset desk --project desk" in said


def test_opening_again_changes_nothing_and_keeps_what_was_asked(root: Path) -> None:
    asked = ("--criteria", "--require-criteria", "--require-mode")
    assert label("--workspace", str(root), *asked) == 0
    assert label("--workspace", str(root)) == 0
    with opened(find_workspace(root), None) as store:
        schema = store.projects.get("desk").label_schema
        assert (schema.ask_criteria, schema.mode_required) == (True, True)
        assert schema.required == ("_overall", *(c.id for c in schema.criteria))


def test_the_server_is_started_without_telemetry_on_loopback_and_without_details(
    root: Path, started, monkeypatch
) -> None:
    monkeypatch.setenv("STREAMLIT_BROWSER_GATHER_USAGE_STATS", "true")
    label("--workspace", str(root), "--port", str(free()))
    command, environment = started[0]
    for flag in (
        "--server.address=127.0.0.1",
        "--browser.gatherUsageStats=false",
        "--client.showErrorDetails=none",
        "--client.toolbarMode=minimal",
        "--server.headless=true",
    ):
        assert flag in command
    assert not [name for name in environment if name.startswith("STREAMLIT_")]
    assert environment["FORWARDED_ALLOW_IPS"] == ""
    assert environment["JUDGEKIT_LABEL_WORKSPACE"] == str(root)


def test_picking_a_name_is_refused_on_an_address_that_others_reach(root: Path, capsys) -> None:
    assert label("--workspace", str(root), "--address", "0.0.0.0") == 2
    assert "may only listen on this machine" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_loopback_has_several_names(address: str) -> None:
    assert label_command.is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.x"])
def test_other_addresses_are_not_loopback(address: str) -> None:
    assert not label_command.is_loopback(address)


def test_a_missing_extra_is_told_with_the_command_that_installs_it(
    root: Path, capsys, monkeypatch, started
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "streamlit" else found(name)
    )
    assert label("--workspace", str(root)) == 2
    assert "pip install 'judgekit-calibration[app]'" in capsys.readouterr().err
    assert started == []


def test_a_port_that_is_taken_is_told(root: Path, capsys, started) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        assert label("--workspace", str(root), "--port", str(port)) == 2
    assert f"port {port}" in capsys.readouterr().err
    assert started == []


def test_a_folder_without_a_workspace_is_told(tmp_path: Path, capsys, started) -> None:
    assert label("--workspace", str(tmp_path)) == 2
    assert "judgekit.yaml" in capsys.readouterr().err
    assert started == []


def test_the_review_file_of_the_gate_becomes_a_queue_of_its_own(
    root: Path, tmp_path_factory, capsys
) -> None:
    file = tmp_path_factory.mktemp("gate") / "review 1.jsonl"
    item = {"id": "i1", "input": "q", "output": "new", "metadata": {"judgekit_review": ["unsure"]}}
    file.write_text(json.dumps(item) + "\n")
    assert label("--workspace", str(root), "--review", str(file), "--json") == 0
    name = json.loads(capsys.readouterr().out)["project"]
    assert name.startswith("review-review-1-")
    with opened(find_workspace(root), None) as store:
        assert store.projects.get(name).settings.design == "targeted"
        assert store.projects.item(name, "i1").item.output == "new"
    assert label("--workspace", str(root), "--review", str(file)) == 0


def test_a_review_file_that_was_kept_as_a_table_opens_with_the_same_items(
    root: Path, tmp_path: Path, capsys, started
) -> None:
    file = tmp_path / "review.csv"
    file.write_text('id,input,output\ni1,q,"new, and\nlong"\n', encoding="utf-8")
    for _ in range(2):
        assert label("--workspace", str(root), "--review", str(file), "--json") == 0
    name = json.loads(capsys.readouterr().out.splitlines()[-1])["project"]
    items = read_items(root / "annotations" / name / "items.jsonl")
    assert [(i.id, i.output) for i in items] == [("i1", "new, and\nlong")]


def test_suspected_trials_are_shown_whole_and_asked_about_under_their_own_guideline(
    root: Path, tmp_path: Path, capsys
) -> None:
    case = Case(id="a", input="q")
    rules = ScoringRules(name="r", tools={"traceable": {"look": ["id"]}})
    call = {"name": "look", "arguments": {"id": "R-99999"}, "result": {}}
    trial = Trial.model_validate(
        {"case_id": "a", "tool_calls": [call], "final": {"x": 1}, "ending": "finished"}
    )
    file = tmp_path / "suspected.jsonl"
    assert write_score_review(file, [(case, trial, score_trial(case, trial, rules))]) == 1
    assert label("--workspace", str(root), "--review", str(file), "--json") == 0
    name = json.loads(capsys.readouterr().out)["project"]
    with opened(find_workspace(root), None) as store:
        project, item = store.projects.get(name), store.projects.item(name, "a#0").item
    assert project.label_schema.shows == ("input", "context", "output", "trial")
    assert (project.label_schema.criteria, project.label_schema.failure_modes) == ((), ())
    assert project.guideline is not None
    assert project.guideline.version == "suspected-trials-1"
    assert "Is this trial in order?" in project.guideline.text
    assert isinstance(item.context, dict)
    assert "R-99999" in item.context["to check"]
    assert item.trial is not None
    assert item.trial.tool_calls[0].arguments == {"id": "R-99999"}


def test_an_empty_review_file_opens_nothing(root: Path, tmp_path: Path, capsys, started) -> None:
    file = tmp_path / "review.jsonl"
    file.write_text("")
    assert label("--workspace", str(root), "--review", str(file)) == 2
    assert "nothing to review" in capsys.readouterr().err
    assert started == []


def test_the_owner_gets_every_role_where_people_pick_a_name(root: Path, started) -> None:
    assert label("--workspace", str(root), "--owner", "mia") == 0
    assert started[0][1]["JUDGEKIT_LABEL_OWNER"] == "mia"
    with opened(find_workspace(root), None) as store:
        person = store.people.get("mia")
        assert person is not None
        assert set(person.roles) == {"annotator", "adjudicator", "engineer", "lead"}


def test_an_owner_whose_alias_cannot_be_used_is_refused(root: Path, capsys, started) -> None:
    assert label("--workspace", str(root), "--owner", "mia@example.org") == 2
    assert "alias" in capsys.readouterr().err
    assert started == []


def test_the_demo_is_a_copy_and_opens_on_its_owner(tmp_path: Path, capsys, started) -> None:
    out = tmp_path / "copy"
    assert label("--demo", "--out", str(out), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["workspace"] == str(out)
    assert "user=demo" in told["url"]
    assert "project=refund_desk" in told["url"]


def test_a_dataset_that_is_not_there_is_told(root: Path, capsys, started) -> None:
    assert label("--workspace", str(root), "--dataset", "dask") == 2
    assert "did you mean 'desk'" in capsys.readouterr().err
    assert started == []


def test_several_rubrics_need_a_choice(root: Path, capsys, started) -> None:
    (root / "rubrics" / "other.yaml").write_text(RUBRIC.replace("name: desk", "name: other"))
    assert label("--workspace", str(root)) == 2
    assert "--rubric" in capsys.readouterr().err
    assert label("--workspace", str(root), "--rubric", "other") == 0


def test_an_environment_variable_that_is_not_set_is_told_to_the_operator(
    tmp_path: Path, capsys, started
) -> None:
    settings = "schema: 1\ndataset: desk\nlabel: {store: {url_env: NO_SUCH_DATABASE_URL}}\n"
    assert label("--workspace", str(workspace(tmp_path, settings))) == 2
    assert "NO_SUCH_DATABASE_URL" in capsys.readouterr().err
    assert started == []


def test_a_proxy_that_is_not_the_mode_asks_for_no_secret(tmp_path: Path, started) -> None:
    settings = (
        "schema: 1\ndataset: desk\nlabel:\n  sign_in:\n    mode: local\n"
        "    proxy: {peers: [127.0.0.1], secret_env: NOT_SET_ANYWHERE}\n"
    )
    assert label("--workspace", str(workspace(tmp_path, settings)), "--port", "8599") == 0
    assert len(started) == 1


def test_the_app_is_found_beside_the_package_or_in_it() -> None:
    assert label_server.app_file().name == "streamlit_app.py"


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_the_wheel_carries_the_app() -> None:
    root = Path(__file__).resolve().parents[2]
    built = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    carried = built["build"]["targets"]["wheel"]["force-include"]
    assert carried["app"] == "judgekit/_bundled/app"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_app_with_130_and_frees_the_port(root: Path, how: signal.Signals) -> None:
    port = free()
    command = [sys.executable, "-m", "judgekit", "label", "--workspace", str(root)]
    process = subprocess.Popen(
        [*command, "--port", str(port)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 90
        while not answers(port):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(how)
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        process.wait()
    with socket.create_server(("127.0.0.1", port)):
        pass


def answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def test_a_port_that_somebody_takes_in_the_last_moment_is_no_answer_of_no(
    monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    from streamlit.web import cli

    from judgekit.cli import label_process

    def taken(*args: object, **options: object) -> None:
        sys.exit(1)

    monkeypatch.setattr(cli, "main", taken)
    with pytest.raises(SystemExit) as ended:
        label_process.main()
    assert ended.value.code == 2
    assert "did not start" in capsys.readouterr().err
