from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgekit.errors import InputError, NotRun, UsageError
from judgekit.model.item import Item
from judgekit.model.verdict import Verdict
from judgekit.store.journal import Journal, encode_verdict
from judgekit.store.workspace import Workspace, find_workspace
from judgekit.wiring import (
    all_verdicts,
    build_grader,
    build_graders,
    build_throttle,
    cost_estimator,
    load_verdicts,
    require_credentials,
    run_names,
    verdict_paths,
)

SETTINGS = """\
schema: 1
dataset: desk
endpoints:
  gateway:
    base_url: "http://127.0.0.1:9/v1"
    api_key_env: JUDGEKIT_TEST_KEY
    requests_per_minute: 600
    concurrency: 3
graders:
  rule: {provider: python, kind: scorer, function: "rules.rule:rule"}
  one: {provider: openai, endpoint: gateway, model: priced, rubric: right}
  two: {provider: openai, endpoint: gateway, model: unpriced, rubric: right}
  old: {provider: recorded, verdicts: old.jsonl}
  bare: {provider: openai, model: priced}
prices:
  priced: {input_usd_per_million: 0, output_usd_per_million: 1000}
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("JUDGEKIT_TEST_KEY", raising=False)
    old = [{"item_id": f"i{k}", "judge": "someone", "label": "pass"} for k in range(2)]
    items = [{"id": f"i{k}", "input": "q", "output": f"text {k}"} for k in range(3)]
    files = {
        "judgekit.yaml": SETTINGS,
        "rubrics/right.yaml": (
            "schema: 1\nname: right\ntask: Right?\n"
            "criteria: [{id: correct, description: It is right.}]\n"
            "failure_modes: [{id: wrong, description: It is wrong.}]\n"
        ),
        "rules/rule.py": "def rule(item):\n    return True\n",
        "old.jsonl": "".join(json.dumps(x) + "\n" for x in old),
        "annotations/desk/dataset.yaml": "schema: 1\nname: desk\n",
        "annotations/desk/items.jsonl": "".join(json.dumps(x) + "\n" for x in items),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return find_workspace(tmp_path)


def verdict(item: Item, fingerprint: str = "sha256:now", **fields: object) -> Verdict:
    base = {"item_id": item.id, "item_hash": item.content_hash, "grader": "rule"}
    answer: dict[str, object] = {"status": "scored", "passed": True, "fingerprint": fingerprint}
    return Verdict.model_validate({**base, **answer, **fields})


def test_every_kind_of_grader_is_built_without_a_key(workspace: Workspace) -> None:
    kinds = {name: build_grader(workspace, name).kind for name in ("rule", "one", "old")}
    assert kinds == {"rule": "scorer", "one": "judge", "old": "recorded"}


def test_graders_that_cannot_be_built_say_why(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="no grader called 'ruel'"):
        build_grader(workspace, "ruel")
    with pytest.raises(UsageError, match="'bare' has no rubric"):
        build_grader(workspace, "bare")


def test_without_names_all_but_recorded_graders_run(workspace: Workspace) -> None:
    assert run_names(workspace, ()) == ("rule", "one", "two", "bare")
    assert run_names(workspace, ("two", "two", "old")) == ("two", "old")


def test_the_throttle_takes_the_limits_of_the_endpoint(workspace: Workspace) -> None:
    assert build_throttle(workspace, workspace.grader("one")).limit == 3
    assert build_throttle(workspace, workspace.grader("bare")).limit == 16


def test_an_estimate_is_known_free_or_unknown(workspace: Workspace) -> None:
    rule, one, two = build_graders(workspace, ("rule", "one", "two"))
    estimate = cost_estimator(workspace)
    item = Item(id="a", input="q", output="x")
    assert estimate(rule, item) == 0.0
    assert estimate(one, item) == pytest.approx(0.3)
    assert estimate(two, item) is None
    assert estimate(one, Item(id="a")) == 0.0


def test_a_missing_key_names_the_grader_and_the_variable(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    graders = build_graders(workspace, ("rule", "one"))
    require_credentials(graders[:1])
    with pytest.raises(NotRun, match="JUDGEKIT_TEST_KEY") as caught:
        require_credentials(graders)
    assert caught.value.where == "judgekit.yaml: graders.one"
    monkeypatch.setenv("JUDGEKIT_TEST_KEY", "k")
    require_credentials(graders)


def test_only_verdicts_of_the_fingerprint_about_present_items_are_loaded(
    workspace: Workspace,
) -> None:
    dataset = workspace.dataset()
    zero, one, two = dataset.items
    journal, kept = verdict_paths(workspace, "rule", dataset)
    with Journal(journal) as file:
        file.append(verdict(zero))
        file.append(verdict(zero, "sha256:older", passed=False))
        file.append(verdict(one, item_hash="sha256:before it was changed"))
        file.append(verdict(two, status="failed", passed=None, kind="server", reason="500"))
        file.append(verdict(Item(id="gone", output="x")))
    kept.parent.mkdir()
    kept.write_bytes(encode_verdict(verdict(zero, passed=False)) + encode_verdict(verdict(two)))
    found = load_verdicts(workspace, "rule", "sha256:now", dataset)
    assert found == (verdict(zero), verdict(two))
    assert len(all_verdicts(workspace, "rule", dataset)) == 5


def test_a_foreign_verdict_file_of_the_same_name_is_not_mistaken_for_ours(
    workspace: Workspace,
) -> None:
    dataset = workspace.dataset()
    _, kept = verdict_paths(workspace, "rule", dataset)
    kept.parent.mkdir()
    kept.write_text('{"item_id": "i0", "judge": "rule", "label": "pass"}\n')
    assert load_verdicts(workspace, "rule", "sha256:now", dataset) == ()


async def test_recorded_verdicts_of_the_only_judge_are_found(workspace: Workspace) -> None:
    dataset = workspace.dataset()
    grader = build_grader(workspace, "old")
    answers = [await grader.grade(item) for item in dataset.items]
    assert [a.status for a in answers] == ["scored", "scored", "failed"]
    assert [v.item_id for v in all_verdicts(workspace, "old", dataset)] == ["i0", "i1"]


def test_a_recorded_file_of_several_other_judges_is_refused(workspace: Workspace) -> None:
    rows = [{"item_id": "i0", "judge": j, "label": "pass"} for j in ("a", "b")]
    (workspace.root / "old.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    with pytest.raises(UsageError, match="several judges"):
        build_grader(workspace, "old")


def with_grader(workspace: Workspace, line: str) -> Workspace:
    (workspace.root / "judgekit.yaml").write_text(
        SETTINGS.replace("graders:\n", f"graders:\n  {line}\n"), encoding="utf-8"
    )
    return find_workspace(workspace.root)


async def test_a_built_in_scorer_is_chosen_by_name(workspace: Workspace) -> None:
    line = (
        "no-text-2: {provider: scorer, kind: scorer, function: forbidden_text,"
        ' settings: {texts: ["TEXT 2"]}}'
    )
    place = with_grader(workspace, line)
    grader = build_grader(place, "no-text-2")
    answers = [(await grader.grade(item)).passed for item in place.dataset().items]
    assert (grader.kind, answers) == ("scorer", [True, True, False])


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("kind: scorer", "needs `kind: scorer` and a `function`"),
        ("function: pattern", "needs `kind: scorer` and a `function`"),
        ("kind: scorer, function: patern", "no scorer called 'patern'"),
        ("kind: scorer, function: pattern", "options of scorer 'pattern' do not fit"),
    ],
)
def test_a_built_in_scorer_with_wrong_settings_is_refused(
    workspace: Workspace, rest: str, message: str
) -> None:
    place = with_grader(workspace, f"s: {{provider: scorer, {rest}}}")
    with pytest.raises(UsageError, match=message):
        build_grader(place, "s")


def test_the_embedded_model_is_asked_one_item_at_a_time(workspace: Workspace) -> None:
    place = with_grader(workspace, "local: {provider: llamacpp, rubric: right}")
    assert build_throttle(place, place.grader("local")).limit == 1
    assert build_throttle(place, place.grader("one")).limit == 3
