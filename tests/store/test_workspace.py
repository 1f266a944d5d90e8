"""The workspace is found from any folder inside it and gives rubrics and datasets by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.errors import InputError, UsageError
from judgekit.model.policy import GatePolicy, Policy
from judgekit.store.workspace import (
    EndpointSettings,
    GateSettings,
    GraderSettings,
    PriceSettings,
    Workspace,
    WorkspaceSettings,
    find_workspace,
)

RUBRIC = (
    "name: tone\ntask: T\ncriteria: [{id: a, description: A}]\n"
    "failure_modes: [{id: m, description: M}]\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "judgekit.yaml").write_text("schema: 1\ndataset: desk\n")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "tone.yaml").write_text(RUBRIC)
    (tmp_path / "annotations" / "desk").mkdir(parents=True)
    (tmp_path / "annotations" / "desk" / "items.jsonl").write_text('{"id": "a"}\n')
    return tmp_path


def test_a_workspace_is_found_from_a_folder_inside_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "annotations" / "desk")
    workspace = find_workspace()
    assert workspace.root == root.resolve()
    assert workspace.state_dir == root.resolve() / ".judgekit"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("rubrics", "no judgekit.yaml"),
        ("none", "no such folder"),
        ("judgekit.yaml", "a file"),
    ],
)
def test_a_folder_that_is_named_is_the_workspace_or_refused(
    root: Path, name: str, found: str
) -> None:
    assert find_workspace(root).root == root.resolve()
    with pytest.raises(UsageError) as caught:
        find_workspace(root / name)
    assert (caught.value.found, caught.value.where) == (found, str(root / name))


def test_a_folder_far_from_any_workspace_is_told_how_to_become_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_workspace(tmp_path)
    assert caught.value.mend == "judgekit init --workspace FOLDER makes one"


def test_a_current_folder_that_is_gone_is_one_of_our_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(InputError, match="the current folder is gone"):
        find_workspace()


def test_the_declared_dataset_is_the_default(root: Path) -> None:
    workspace = find_workspace(root)
    assert workspace.dataset() == workspace.dataset("desk")
    assert [item.id for item in workspace.dataset().items] == ["a"]


def test_a_rubric_is_read_by_name_and_the_built_in_one_is_always_there(root: Path) -> None:
    workspace = find_workspace(root)
    assert workspace.rubric("tone").name == "tone"
    assert workspace.rubric("task_completion").name == "task_completion"


def test_the_names_of_datasets_and_rubrics_are_listed(root: Path) -> None:
    workspace = find_workspace(root)
    assert workspace.dataset_names() == ("desk",)
    assert {"tone", "task_completion"} <= set(workspace.rubric_names())
    assert Workspace(root=root / "none", settings=WorkspaceSettings()).dataset_names() == ()


def test_a_misspelt_name_is_answered_with_the_nearest_one(root: Path) -> None:
    workspace = find_workspace(root)
    for call, near in ((workspace.rubric, "tone"), (workspace.dataset, "desk")):
        with pytest.raises(InputError) as caught:
            call(near + "x")
        assert caught.value.mend == f"did you mean {near!r}?"


@pytest.mark.parametrize("name", ["../rubrics/tone", "/etc/passwd", ".."])
def test_a_name_cannot_leave_the_workspace(root: Path, name: str) -> None:
    workspace = find_workspace(root)
    with pytest.raises(InputError, match="there is no rubric"):
        workspace.rubric(name)
    with pytest.raises(InputError, match="there is no dataset"):
        workspace.dataset(name)


def test_a_rubric_file_under_another_name_is_refused(root: Path) -> None:
    (root / "rubrics" / "mood.yaml").write_text(RUBRIC)
    with pytest.raises(InputError) as caught:
        find_workspace(root).rubric("mood")
    assert (caught.value.found, caught.value.expected) == ("'tone'", "name: mood")


def test_graders_and_policies_are_given_by_name(root: Path) -> None:
    text = "graders: {tone: {provider: p}}\npolicies: {default: {max_false_pass_rate: 0.1}}\n"
    (root / "judgekit.yaml").write_text(text)
    workspace = find_workspace(root)
    assert workspace.grader("tone") == GraderSettings(provider="p")
    assert workspace.policy("default") == Policy(max_false_pass_rate=0.1)
    with pytest.raises(InputError, match="no grader called 'tune'"):
        workspace.grader("tune")
    with pytest.raises(InputError, match="no policy called 'strict'"):
        workspace.policy("strict")


def test_without_a_dataset_the_option_is_named(root: Path) -> None:
    workspace = Workspace(root=root, settings=WorkspaceSettings())
    with pytest.raises(InputError) as caught:
        workspace.dataset()
    assert caught.value.expected == "dataset: <name>, or --dataset"


def test_every_setting_can_be_written(root: Path) -> None:
    (root / "judgekit.yaml").write_text(
        """schema: 1
dataset: desk
endpoints:
  gateway:
    base_url: http://127.0.0.1:1/v1
    api_key_env: KEY
    headers_env: {X-Team: TEAM}
    query_env: {api-version: VERSION}
    requests_per_minute: 60
    tokens_per_minute: 1000
    ca_file: ca.pem
    timeout_s: 5
    concurrency: 4
graders:
  tone:
    provider: p
    rubric: tone
    model: m
    endpoint: gateway
    mode: tools
    settings: {temperature: 0, stop: [x]}
    reasks: 1
    app_version: "3"
  rule: {provider: python, function: "graders.rule:grade", kind: scorer}
  past: {provider: recorded, verdicts: past.jsonl}
policies:
  default: {max_false_pass_rate: 0.1, gate: {min_pass_rate: 0.8}}
gate: {scorers: [rule], judges: [tone], policy: default}
prices:
  m: {input_usd_per_million: 1, output_usd_per_million: 2, cached_usd_per_million: 0.1}
"""
    )
    assert find_workspace(root).settings == WorkspaceSettings(
        schema=1,
        dataset="desk",
        endpoints={
            "gateway": EndpointSettings(
                base_url="http://127.0.0.1:1/v1",
                api_key_env="KEY",
                headers_env={"X-Team": "TEAM"},
                query_env={"api-version": "VERSION"},
                requests_per_minute=60,
                tokens_per_minute=1000,
                ca_file="ca.pem",
                timeout_s=5,
                concurrency=4,
            )
        },
        graders={
            "tone": GraderSettings(
                provider="p",
                rubric="tone",
                model="m",
                endpoint="gateway",
                mode="tools",
                settings={"temperature": 0, "stop": ["x"]},
                reasks=1,
                app_version="3",
            ),
            "rule": GraderSettings(provider="python", function="graders.rule:grade", kind="scorer"),
            "past": GraderSettings(provider="recorded", verdicts="past.jsonl"),
        },
        policies={"default": Policy(max_false_pass_rate=0.1, gate=GatePolicy(min_pass_rate=0.8))},
        gate=GateSettings(scorers=("rule",), judges=("tone",), policy="default"),
        prices={
            "m": PriceSettings(
                input_usd_per_million=1, output_usd_per_million=2, cached_usd_per_million=0.1
            )
        },
    )
