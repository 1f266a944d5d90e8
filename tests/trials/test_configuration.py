from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from trial_fakes import agent_of, cases_of

from judgekit.errors import InputError
from judgekit.model.agent import Agent, Limits, TrialSet
from judgekit.store.trial_journal import changed_components
from judgekit.trials import configuration
from judgekit.trials.configuration import fixture_of, trial_set

CASES = cases_of("one", "two")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def set_of(root: Path, agent: Agent | None = None, **changes) -> TrialSet:
    given = {"k": 2, "seed": "1", "settings": {}, "rules_hash": "r", **changes}
    agent = agent or agent_of("plain")
    return trial_set("agent", agent, given.pop("cases", CASES), root=root, **given)


def git(root: Path, *words: str) -> None:
    name = ["-c", "user.name=synthetic", "-c", "user.email=synthetic@example.org"]
    subprocess.run(["git", "-C", str(root), *name, *words], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("agent", "changes", "component"),
    [
        ({"limits": Limits(timeout_s=31)}, {}, "limits"),
        ({"timezone": "Asia/Tokyo"}, {}, "timezone"),
        ({"locale": "de_DE.UTF-8"}, {}, "locale"),
        ({"environment": {"MODE": "fast"}}, {}, "environment"),
        ({"configuration": {"model": "m-2"}}, {}, "configuration.model"),
        ({"configuration": {"prompt": "file:prompt.md"}}, {}, "configuration.prompt"),
        ({"fixture": "state.json"}, {}, "fixture"),
        ({}, {"settings": {"temperature": 1}}, "settings"),
        ({}, {"rules_hash": "other"}, "scoring_rules"),
        ({}, {"cases": cases_of("one", "three")}, "inputs"),
        ({}, {"tapes": "replay"}, "cassettes"),
    ],
)
def test_each_component_changes_the_configuration_and_is_named(root, agent, changes, component):
    (root / "prompt.md").write_text("be kind")
    (root / "state.json").write_text("{}")
    before, after = set_of(root), set_of(root, agent_of("plain", **agent), **changes)
    assert changed_components(before, after) == (component,)
    assert before.configuration != after.configuration


def test_k_and_seed_make_no_other_agent(root):
    assert set_of(root, k=9, seed="2").configuration == set_of(root).configuration


def test_a_file_of_the_configuration_counts_by_its_content(root):
    prompt = root / "prompt.md"
    prompt.write_text("be kind")
    agent = agent_of("plain", configuration={"prompt": "file:prompt.md"})
    before = set_of(root, agent)
    prompt.write_text("be brief")
    assert changed_components(before, set_of(root, agent)) == ("configuration.prompt",)
    prompt.unlink()
    with pytest.raises(InputError, match=r"'prompt\.md' cannot be read"):
        set_of(root, agent)


def test_what_expectations_say_is_no_part_of_the_inputs(root):
    case = CASES[0].model_copy(update={"fields": {}})
    assert set_of(root, cases=(case, CASES[1])).configuration == set_of(root).configuration


@needs_git
def test_commit_and_lock_file_are_recorded_with_what_differs_from_the_commit(root):
    (root / "requirements.lock").write_text("one==1\n")
    before = set_of(root)
    assert before.components["commit"] is None
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    clean = set_of(root)
    assert len(clean.components["commit"]) == 40
    assert clean.commits == (clean.components["commit"],)
    assert changed_components(before, clean) == ()  # the source is known, and is the same
    (root / "requirements.lock").write_bytes(b"one==2 \xff\n")
    changed = set_of(root)
    head, _, mark = changed.components["commit"].partition("+")
    assert (head, len(mark)) == (clean.components["commit"], 12)
    assert changed_components(clean, changed) == ("lock_file",)


@needs_git
def test_the_commit_counts_where_the_source_is_not_known(root):
    agent = Agent(command=("cat",))
    before = set_of(root, agent)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    after = set_of(root, agent)
    assert changed_components(before, after) == ("commit",)
    assert before.configuration != after.configuration


def test_a_commit_whose_differences_git_cannot_tell_is_not_called_clean(root, monkeypatch):
    answers = {"rev-parse": b"a" * 40, "diff": None}
    monkeypatch.setattr(configuration, "_git", lambda _, word, *__: answers[word])
    assert set_of(root).components["commit"] == "a" * 40 + "+unread"
    answers["diff"] = b""
    assert set_of(root).components["commit"] == "a" * 40


def test_a_fixture_is_a_fresh_object_or_refused(root):
    (root / "state.json").write_text(json.dumps({"orders": {"R-1": {"price": 1}}}))
    agent = agent_of("plain", fixture="state.json")
    assert fixture_of(agent, root) == {"orders": {"R-1": {"price": 1}}}
    assert fixture_of(agent_of("plain"), root) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"a": NaN}', b'{"a": 1, "a": 2}', b"\xff"])
def test_a_fixture_that_cannot_be_used_is_named_with_its_place(root, content):
    (root / "state.json").write_bytes(content)
    with pytest.raises(InputError, match=r"the fixture 'state\.json' cannot be used") as caught:
        fixture_of(agent_of("plain", fixture="state.json"), root)
    assert caught.value.where == str(root / "state.json")


def test_the_environments_values_are_only_hashed(root):
    made_of = set_of(root, agent_of("plain", environment={"TOKEN": "planted-secret"}))
    assert "planted-secret" not in made_of.model_dump_json()


def test_keys_written_into_the_settings_of_an_agent_are_not_recorded(root):
    key = "sk-proj-abcdefghij0123456789"
    parts = {"api_key": "correct horse", "header": f"Bearer {key}", "max_token": "9"}
    for agent in (
        Agent(command=("curl", "-H", f"Authorization: Bearer {key}")),
        Agent(url="https://desk:correct@desk.example.org/try"),
        agent_of("plain", configuration=parts),
    ):
        recorded = set_of(root, agent).model_dump_json()
        assert not any(one in recorded for one in (key, "correct"))
    other = agent_of("plain", configuration={**parts, "max_token": "10"})
    changed = changed_components(
        set_of(root, agent_of("plain", configuration=parts)), set_of(root, other)
    )
    assert changed == ("configuration.max_token",)
