from __future__ import annotations

from pathlib import Path

from fakes import FakeGrader, make_items

from judgekit.runs.collect import run_and_collect


async def test_verdicts_come_back_by_grader_item_and_regrade(tmp_path: Path) -> None:
    graders = [FakeGrader("a"), FakeGrader("b")]
    found = await run_and_collect(graders, make_items(3), journal_dir=tmp_path, regrade=1)
    assert [(v.grader, v.item_id, v.regrade) for v in found.verdicts] == [
        (g, f"i{k}", r) for g in "ab" for k in range(3) for r in range(2)
    ]
    assert found.report.n_scored == 12


async def test_cached_verdicts_come_back_too_and_others_of_the_journal_do_not(
    tmp_path: Path,
) -> None:
    await run_and_collect([FakeGrader()], make_items(5), journal_dir=tmp_path)
    again = FakeGrader()
    found = await run_and_collect([again], make_items(5)[1:3], journal_dir=tmp_path)
    assert again.asked == []
    assert [v.item_id for v in found.verdicts] == ["i1", "i2"]


async def test_what_the_budget_did_not_allow_comes_back_as_failed(tmp_path: Path) -> None:
    found = await run_and_collect(
        [FakeGrader(cost_usd=1.0)],
        make_items(3),
        journal_dir=tmp_path,
        max_cost=2.0,
        estimate=lambda grader, item: 1.0,
    )
    assert [(v.status, v.kind) for v in found.verdicts] == [
        ("scored", None),
        ("scored", None),
        ("failed", "budget"),
    ]
