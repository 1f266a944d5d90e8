from __future__ import annotations

import json
from pathlib import Path

import pytest
from trial_fakes import agent_of, cases_of, scope_of

from judgekit.errors import InputError, StoreFailed, UsageError
from judgekit.model.agent import Limits
from judgekit.model.case import Case
from judgekit.store.trial_journal import TrialJournal, read_trial_set, set_path
from judgekit.store.trials_file import read_trials
from judgekit.trials.configuration import trial_set
from judgekit.trials.repeat import Side, repeat

CASES = cases_of("one", "two", "three")


def side_of(root: Path, function: str = "plain", *, name: str = "agent", k: int = 2, **changes):
    agent = agent_of(function, **changes)
    made_of = trial_set(name, agent, CASES, root=root, k=k, seed="1", settings={}, rules_hash=None)
    return Side(name, agent, made_of, None, root / "out" / f"{name}.trials.jsonl")


def keys(side: Side) -> list[tuple[str | None, int | None]]:
    return [(trial.case_id, trial.number) for trial in read_trials(side.path)]


async def test_every_case_is_tried_k_times_and_recorded(root):
    side = side_of(root)
    (tally,) = await repeat([side], CASES, k=2, seed="1", root=root)
    assert tally == ("agent", 0, 6, 0, 1.5, 0)
    assert sorted(keys(side)) == [(c, n) for c in ("one", "three", "two") for n in (0, 1)]
    trial = read_trials(side.path)[0]
    assert (trial.ending, trial.final, trial.cost_usd) == ("finished", {"decision": "refund"}, 0.25)
    assert trial.configuration == side.made_of.configuration
    assert read_trial_set(side.path) == side.made_of


async def test_a_finished_attempt_is_never_made_again(root):
    side = side_of(root)
    await repeat([side], CASES[:2], k=1, seed="1", root=root)
    before = side.path.read_bytes()
    (tally,) = await repeat([side], CASES, k=2, seed="1", root=root)
    assert (tally.found, tally.made) == (2, 4)
    assert side.path.read_bytes().startswith(before)
    assert len(set(keys(side))) == len(keys(side)) == 6


async def test_the_request_never_holds_what_is_expected(root):
    case = Case.model_validate(
        {
            "id": "EXPECTED-REFUSAL",
            "input": {"order": "R-1"},
            "context": ["policy text"],
            "fields": {"decision": {"value": "EXPECTED-FIELD"}},
            "paths": {"only": {"calls": [{"tool": "EXPECTED-TOOL"}]}},
            "forbidden": [{"tool": "EXPECTED-FORBIDDEN"}],
            "state": {"tables": {"orders": {"R-1": {"fields": {"a": {"value": "EXPECTED-ROW"}}}}}},
            "group": "EXPECTED-GROUP",
            "scenario": "hard",
            "split": "holdout",
        }
    )
    side = side_of(root, "told")
    await repeat([side], [case], k=1, seed="1", root=root)
    seen = read_trials(side.path)[0].final
    assert "EXPECTED" not in json.dumps(seen)
    assert set(seen["request"]) == {
        "schema", "number", "identifier", "seed", "now", "timezone", "locale", "input",
        "context", "settings", "state", "tools",
    }  # fmt: skip
    assert seen["request"]["input"] == {"order": "R-1"}


async def test_seeds_times_and_identifiers_differ_between_attempts_and_are_the_same_again(root):
    async def told(name: str) -> list[tuple[object, ...]]:
        side = side_of(root, "told", name=name)
        await repeat([side], CASES[:2], k=2, seed="1", root=root)
        requests = [trial.final["request"] for trial in read_trials(side.path)]
        return sorted(
            (one["input"]["order"], one["number"], one["seed"], one["now"], one["identifier"])
            for one in requests
        )

    first, second = await told("a"), await told("b")
    assert first == second
    assert len({row[2] for row in first}) == len({row[4] for row in first}) == 4
    assert {row[3][:10] for row in first} == {"2026-01-05", "2026-01-06"}


@pytest.mark.parametrize(
    ("function", "ending"),
    [("raises", "crashed"), ("down", "infrastructure"), ("killed", "crashed")],
)
async def test_failures_are_recorded_and_stay_finished(root, function, ending):
    side = side_of(root, function)
    await repeat([side], CASES, k=2, seed="1", root=root)
    assert [trial.ending for trial in read_trials(side.path)] == [ending] * 6
    (again,) = await repeat([side], CASES, k=2, seed="1", root=root)
    assert (again.found, again.made) == (6, 0)


async def test_infrastructure_failures_are_tried_again_as_further_trials_only_when_asked(root):
    down = side_of(root, "down")
    await repeat([down], CASES[:1], k=2, seed="1", root=root)
    before = down.path.read_bytes()
    (again,) = await repeat([down], CASES[:1], k=2, seed="1", root=root, retry_infrastructure=True)
    assert (again.found, again.made) == (2, 2)
    assert sorted(keys(down)) == [("one", 0), ("one", 1), ("one", 2), ("one", 3)]
    assert down.path.read_bytes().startswith(before)
    up = down._replace(agent=agent_of("plain"))
    await repeat([up], CASES[:1], k=2, seed="1", root=root, retry_infrastructure=True)
    (last,) = await repeat([up], CASES[:1], k=2, seed="1", root=root, retry_infrastructure=True)
    assert last.made == 0
    endings = [trial.ending for trial in read_trials(down.path)]
    assert endings == ["infrastructure"] * 4 + ["finished"] * 2


async def test_candidate_and_baseline_take_turns_and_swap_the_first_place(root):
    one, two = side_of(root, name="one"), side_of(root, name="two")
    order: list[str] = []
    await repeat(
        [one, two], CASES, k=2, seed="1", root=root, concurrency=1,
        on_trial=lambda name, trial: order.append(name),
    )  # fmt: skip
    assert [order[n : n + 2] for n in range(0, 12, 2)] == [
        ["one", "two"], ["two", "one"], ["one", "two"],
        ["two", "one"], ["one", "two"], ["two", "one"],
    ]  # fmt: skip


async def test_trials_of_another_configuration_are_refused_and_named(root):
    await repeat([side_of(root)], CASES, k=1, seed="1", root=root)
    other = side_of(root, limits=Limits(timeout_s=9), timezone="Asia/Tokyo")
    before = other.path.read_bytes()
    with pytest.raises(InputError) as caught:
        await repeat([other], CASES, k=2, seed="1", root=root)
    assert caught.value.found == "changed: limits, timezone"
    assert other.path.read_bytes() == before


async def test_a_changed_source_is_another_configuration(root):
    await repeat([side_of(root)], CASES, k=1, seed="1", root=root)
    source = root / "odd_agents.py"
    source.write_text(source.read_text() + "\nMORE = 1\n")
    with pytest.raises(InputError) as caught:
        await repeat([side_of(root)], CASES, k=1, seed="1", root=root)
    assert caught.value.found == "changed: source"


async def test_no_attempt_starts_beyond_the_ceiling_of_costs(root):
    side = side_of(root)
    (tally,) = await repeat([side], CASES, k=2, seed="1", root=root, concurrency=1, max_cost=0.6)
    assert (tally.made, tally.left, tally.cost_usd) == (3, 3, 0.75)


async def test_an_agent_that_does_not_say_what_it_costs_cannot_be_limited(root):
    side = side_of(root, "later")
    (tally,) = await repeat([side], CASES, k=2, seed="1", root=root, concurrency=1, max_cost=9)
    assert (tally.made, tally.left, tally.unknown_cost) == (1, 5, 1)


@pytest.mark.parametrize(
    "changes", [{"k": 0}, {"concurrency": 0}, {"max_cost": -1.0}, {"max_cost": float("nan")}]
)
async def test_impossible_numbers_are_refused(root, changes):
    side = side_of(root)
    with pytest.raises(UsageError):
        await repeat([side], CASES, seed="1", root=root, **{"k": 1, **changes})
    assert not side.path.exists()


async def test_two_processes_cannot_write_one_file(root):
    side = side_of(root)
    with (
        TrialJournal(side.path, side.made_of),
        pytest.raises(StoreFailed, match="another process"),
    ):
        await repeat([side], CASES, k=1, seed="1", root=root)
    await repeat([side], CASES, k=1, seed="1", root=root)


async def test_two_agents_cannot_write_one_file(root):
    one, two = side_of(root, name="one"), side_of(root, name="one")
    with pytest.raises(UsageError, match="one file"):
        await repeat([one, two], CASES, k=1, seed="1", root=root)


async def test_half_characters_and_credentials_never_reach_the_file(root, monkeypatch):
    monkeypatch.setenv("DESK_KEY", "hunter22")
    odd = side_of(root, "surrogate", name="odd")
    leaky = side_of(root, "leaks", name="leaky", scope=scope_of("DESK_KEY"))
    await repeat([odd, leaky], CASES[:1], k=2, seed="1", root=root)
    assert read_trials(odd.path)[0].final == {"words": "half � of it"}
    by_number = {trial.number: trial for trial in read_trials(leaky.path)}  # written as they end
    assert (by_number[0].ending, by_number[1].ending) == ("finished", "crashed")
    assert by_number[0].final == {"said": "the key is <secret>"}
    assert b"hunter22" not in leaky.path.read_bytes()


async def test_a_failing_disk_is_one_error_and_what_was_finished_stays(root, monkeypatch):
    side = side_of(root)
    written = TrialJournal.append

    def fails(self, trial):
        if len(self.endings) == 2:
            raise StoreFailed("the journal cannot be written: no space", where=str(self.path))
        return written(self, trial)

    monkeypatch.setattr(TrialJournal, "append", fails)
    with pytest.raises(StoreFailed, match="no space"):
        await repeat([side], CASES, k=2, seed="1", root=root)
    assert len(read_trials(side.path)) == 2


async def test_a_whole_last_line_without_a_line_feed_is_kept_and_a_torn_one_is_made_again(root):
    side = side_of(root)
    await repeat([side], CASES, k=2, seed="1", root=root)
    whole = side.path.read_bytes()
    side.path.write_bytes(whole[:-1])
    (kept,) = await repeat([side], CASES, k=2, seed="1", root=root)
    assert (kept.made, side.path.read_bytes()) == (0, whole)
    side.path.write_bytes(whole[:-9])
    (torn,) = await repeat([side], CASES, k=2, seed="1", root=root)
    assert torn.made == 1
    assert len(read_trials(side.path)) == 6


async def test_a_trial_too_long_to_be_read_back_is_recorded_without_its_answer(root, monkeypatch):
    monkeypatch.setattr("judgekit.store.trial_journal.MAX_LINE_BYTES", 300)
    side = side_of(root, "told")
    await repeat([side], CASES[:1], k=1, seed="1", root=root)
    (trial,) = read_trials(side.path)
    assert (trial.case_id, trial.number, trial.ending, trial.final) == ("one", 0, "crashed", None)
    assert "was not kept" in trial.error


async def test_commits_are_recorded_and_bind_only_where_the_source_is_not_known(root):
    known = side_of(root)
    there = known.made_of.model_copy(
        update={"components": {**known.made_of.components, "commit": "aaa"}, "commits": ("aaa",)}
    )
    later = there.model_copy(
        update={"components": {**there.components, "commit": "bbb"}, "commits": ("bbb",)}
    )
    assert there.hash_of(there.components) == later.hash_of(later.components)
    unknown = [{**one.components, "source": None} for one in (there, later)]
    assert there.hash_of(unknown[0]) != there.hash_of(unknown[1])
    await repeat([known._replace(made_of=there)], CASES, k=1, seed="1", root=root)
    await repeat([known._replace(made_of=later)], CASES, k=2, seed="1", root=root)
    assert read_trial_set(known.path).commits == ("aaa", "bbb")


def test_a_broken_record_of_a_set_is_refused_with_how_to_mend_it(root):
    side = side_of(root)
    set_path(side.path).parent.mkdir()
    set_path(side.path).write_text("[]")
    with pytest.raises(InputError, match="no record of a set") as caught:
        TrialJournal(side.path, side.made_of)
    assert "delete it" in caught.value.mend


async def test_an_agent_that_cannot_be_started_leaves_no_file(root):
    good, bad = side_of(root), side_of(root, "no_such_function", name="bad")
    with pytest.raises(InputError, match="cannot be imported"):
        await repeat([good, bad], CASES, k=1, seed="1", root=root)
    assert not (root / "out").exists()


async def test_a_refused_baseline_leaves_no_file_of_the_candidate(root):
    old = side_of(root, name="old")
    await repeat([old], CASES[:1], k=1, seed="1", root=root)
    changed = side_of(root, name="old", timezone="Asia/Tokyo")
    with pytest.raises(InputError, match="another configuration"):
        await repeat([side_of(root), changed], CASES[:1], k=1, seed="1", root=root)
    assert sorted(path.name for path in old.path.parent.iterdir()) == [
        "old.trials.jsonl",
        "old.trials.jsonl.set.json",
    ]
