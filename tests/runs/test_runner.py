from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from fakes import FakeGrader, make_items

from judgekit.errors import (
    BudgetExceeded,
    InputError,
    NotRun,
    ProviderFailed,
    StoreFailed,
    UsageError,
)
from judgekit.model.item import Item
from judgekit.model.verdict import Attempt
from judgekit.runs.budget import plan_run
from judgekit.runs.report import Progress
from judgekit.runs.runner import run
from judgekit.store.journal import Journal, read_verdict_journal

SCRIPT = Path(__file__).with_name("fakes.py")
ROOT = Path(__file__).parents[2]


async def test_every_item_gets_one_verdict_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    items = make_items(50)
    grader = FakeGrader(cost_usd=0.01)
    first = await run([grader], items, journal_dir=tmp_path, concurrency=4)
    again = FakeGrader(cost_usd=0.01)
    second = await run([again], items, journal_dir=tmp_path)
    assert first.graders[0].cost_usd == pytest.approx(0.5)
    assert (first.graders[0].n, first.graders[0].scored, first.graders[0].cached) == (50, 50, 0)
    assert (second.graders[0].n, second.graders[0].scored, second.graders[0].cached) == (50, 50, 50)
    assert second.graders[0].cost_usd == 0.0
    assert again.asked == []
    verdicts = read_verdict_journal(tmp_path / "fake.jsonl", grader.fingerprint.value)
    assert {v.item_id: v.passed for v in verdicts} == {i.id: int(i.id[1:]) % 2 == 0 for i in items}


async def test_no_more_than_concurrency_are_in_flight_and_items_are_read_as_needed(
    tmp_path: Path,
) -> None:
    taken = 0

    def lazily() -> object:
        nonlocal taken
        for item in make_items(100):
            taken += 1
            assert taken <= len(grader.asked) + 1
            yield item

    grader = FakeGrader(sleep_s=0.001)
    await run([grader], lazily(), journal_dir=tmp_path, concurrency=7)  # type: ignore[arg-type]
    assert grader.most_at_once == 7


async def test_changed_content_a_new_fingerprint_and_a_regrade_are_asked_anew(
    tmp_path: Path,
) -> None:
    items = make_items(3)
    await run([FakeGrader()], items, journal_dir=tmp_path)
    changed = [items[0].model_copy(update={"output": "other"}), *items[1:]]
    changed = [type(i).model_validate(i.model_dump()) for i in changed]
    edited = FakeGrader()
    await run([edited], changed, journal_dir=tmp_path)
    newer = FakeGrader(version="2")
    await run([newer], items, journal_dir=tmp_path)
    regraded = FakeGrader()
    await run([regraded], items, journal_dir=tmp_path, regrade=2)
    assert edited.asked == [("i0", 0)]
    assert len(newer.asked) == 3
    assert sorted(regraded.asked) == [(f"i{k}", r) for k in range(3) for r in (1, 2)]


async def test_failed_verdicts_are_counted_by_kind_and_asked_again(tmp_path: Path) -> None:
    failing = {"status": "failed", "passed": None, "kind": "server", "reason": "HTTP 500"}
    bad = FakeGrader(answer=lambda item: failing if item.id == "i1" else {})
    first = await run([bad], make_items(3), journal_dir=tmp_path)
    good = FakeGrader()
    second = await run([good], make_items(3), journal_dir=tmp_path)
    assert first.graders[0].failed == {"server": 1}
    assert first.graders[0].scored == 2
    assert good.asked == [("i1", 0)]
    assert second.graders[0].failed == {}


async def test_a_grader_that_raises_fails_that_item_only(tmp_path: Path) -> None:
    def answer(item: object) -> dict[str, object]:
        raise ZeroDivisionError("oops")

    report = await run([FakeGrader(answer=answer)], make_items(2), journal_dir=tmp_path)
    assert report.graders[0].failed == {"grader": 2}
    reasons = {v.reason for v in read_verdict_journal(tmp_path / "fake.jsonl")}
    assert reasons == {"ZeroDivisionError: oops"}


async def test_a_provider_failure_that_is_raised_keeps_its_kind(tmp_path: Path) -> None:
    def answer(item: object) -> dict[str, object]:
        raise ProviderFailed("too long", kind="truncated")

    report = await run([FakeGrader(answer=answer)], make_items(1), journal_dir=tmp_path)
    assert report.graders[0].failed == {"truncated": 1}


async def test_an_error_about_the_whole_run_stops_it(tmp_path: Path) -> None:
    def answer(item: object) -> dict[str, object]:
        raise NotRun("no key")

    with pytest.raises(NotRun, match="no key"):
        await run([FakeGrader(answer=answer)], make_items(9), journal_dir=tmp_path)


async def test_the_ceiling_is_kept_and_the_rest_is_named_budget(tmp_path: Path) -> None:
    grader = FakeGrader(cost_usd=0.1, sleep_s=0.001)
    report = await run(
        [grader],
        make_items(50),
        journal_dir=tmp_path,
        max_cost=1.05,
        estimate=lambda grader, item: 0.1,
    )
    assert report.stopped == "budget"
    assert report.graders[0].scored == 10
    assert report.graders[0].failed == {"budget": 40}
    assert report.graders[0].cost_usd == pytest.approx(1.0)


async def test_a_price_above_the_estimate_passes_the_ceiling_by_the_first_verdicts_at_most(
    tmp_path: Path,
) -> None:
    grader = FakeGrader(cost_usd=0.2)
    report = await run(
        [grader],
        make_items(50),
        journal_dir=tmp_path,
        concurrency=2,
        max_cost=1.0,
        estimate=lambda grader, item: 0.1,
    )
    assert report.graders[0].cost_usd <= 1.2


async def test_an_unknown_price_under_a_ceiling_refuses_before_anything_is_sent(
    tmp_path: Path,
) -> None:
    grader = FakeGrader()
    with pytest.raises(BudgetExceeded, match="price of grader 'fake' is unknown"):
        await run([grader], make_items(3), journal_dir=tmp_path, max_cost=5)
    assert grader.asked == []


async def test_an_unknown_cost_is_none_and_never_zero(tmp_path: Path) -> None:
    report = await run([FakeGrader(cost_usd=None)], make_items(3), journal_dir=tmp_path)
    assert report.graders[0].cost_usd is None
    assert report.graders[0].unpriced_attempts == 3
    assert report.graders[0].input_tokens == 30


async def test_a_plan_counts_what_is_left_and_its_cost(tmp_path: Path) -> None:
    items = make_items(10)
    await run([FakeGrader()], items[:4], journal_dir=tmp_path)
    plan = plan_run([FakeGrader()], items, journal_dir=tmp_path, estimate=lambda grader, item: 0.5)
    unknown = plan_run([FakeGrader()], items, journal_dir=tmp_path)
    assert (plan.graders[0].cached, plan.to_run, plan.cost_usd) == (4, 6, 3.0)
    assert unknown.cost_usd is None


async def test_progress_counts_to_the_total(tmp_path: Path) -> None:
    seen: list[Progress] = []
    await run([FakeGrader()], make_items(5), journal_dir=tmp_path, on_progress=seen.append)
    assert [p.done for p in seen] == [1, 2, 3, 4, 5]
    assert seen[-1].total == 5
    assert seen[-1].eta_s == 0.0


async def test_an_item_given_twice_is_refused(tmp_path: Path) -> None:
    items = make_items(2)
    with pytest.raises(InputError, match="'i0' is given twice"):
        await run([FakeGrader()], [*items, items[0]], journal_dir=tmp_path)


@pytest.mark.parametrize(
    "names", [[], ["a", "a"], ["../a"]], ids=["none", "twice", "not a file name"]
)
async def test_graders_that_cannot_run_are_a_usage_error(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(UsageError):
        await run([FakeGrader(name) for name in names], make_items(1), journal_dir=tmp_path)


async def test_a_journal_held_by_another_run_is_refused(tmp_path: Path) -> None:
    grader = FakeGrader()
    with Journal(tmp_path / "fake.jsonl"), pytest.raises(StoreFailed, match="another process"):
        await run([grader], make_items(1), journal_dir=tmp_path)
    assert grader.asked == []


async def test_an_interrupted_run_keeps_what_is_finished(tmp_path: Path) -> None:
    grader = FakeGrader(sleep_s=0.002)
    task = asyncio.create_task(run([grader], make_items(500), journal_dir=tmp_path, concurrency=4))
    while len(grader.asked) < 40:
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    kept = len(read_verdict_journal(tmp_path / "fake.jsonl"))
    assert len(grader.asked) - 4 <= kept < 500
    report = await run([FakeGrader()], make_items(500), journal_dir=tmp_path)
    assert report.graders[0].cached == kept


def _start(folder: Path, n: int, concurrency: int) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(SCRIPT), str(folder), str(n), str(concurrency), "0.004"]
    return subprocess.Popen(command, env=env)


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize("seed", range(10))
def test_after_kill_9_the_next_run_completes_without_duplicates(tmp_path: Path, seed: int) -> None:
    n, concurrency = 500, 8
    moment = random.Random(seed).randrange(1, n - 20)
    process = _start(tmp_path, n, concurrency)
    journal = tmp_path / "fake.jsonl"
    while _lines(journal) < moment and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = _lines(journal)
    assert moment <= kept < n
    assert _start(tmp_path, n, concurrency).wait() == 0
    calls = Counter((tmp_path / "calls.log").read_text().split())
    verdicts = [v.item_id for v in read_verdict_journal(journal)]
    assert _lines(journal) == n
    assert sorted(verdicts) == sorted(f"i{k}" for k in range(n))
    assert calls.total() - n <= concurrency
    assert set(calls) == set(verdicts)


async def test_what_utf8_cannot_carry_is_replaced_and_the_run_goes_on(tmp_path: Path) -> None:
    items = make_items(3)

    def answer(item: Item) -> dict[str, object]:
        return {
            "evidence": ("a\ud800b",),
            "raw": "\udfff",
            "sent": {"\ud800": ["\ud800"]},
            "attempts": (Attempt(message="\ud800"),),
        }

    report = await run([FakeGrader(answer=answer)], items, journal_dir=tmp_path)
    verdicts = read_verdict_journal(tmp_path / "fake.jsonl")
    assert report.graders[0].scored == 3
    assert {(v.evidence, v.raw, v.attempts[0].message) for v in verdicts} == {
        (("a\ufffdb",), "\ufffd", "\ufffd")
    }
