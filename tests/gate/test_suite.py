from datetime import timedelta
from typing import Any

import pytest
from gate_records import NOW, FakeGrader, items, lock_for, policy

from judgekit.approval.record import Lock, Revocation
from judgekit.errors import InputError, UsageError
from judgekit.gate.report import GateReport
from judgekit.gate.suite import GateSettings, run_gate
from judgekit.model.item import Item
from judgekit.model.policy import Policy

LIMIT = policy(min_pass_rate=0.9)


async def gate(
    graders: list[FakeGrader],
    over: list[Item],
    *,
    lock: Lock | None = None,
    given: Policy = LIMIT,
    baseline: float | None = None,
    **changes: Any,
) -> GateReport:
    settings = GateSettings(policy_name="default", policy=given, baseline=baseline)
    standing = lock or Lock(
        approvals=tuple(
            a for g in graders if g.kind == "judge" for a in lock_for(g, given, **changes).approvals
        )
    )
    return await run_gate(graders, over, standing, settings, now=NOW)


def failing(*ids: str) -> Any:
    return lambda item: item.id not in ids


async def test_an_approved_judge_that_passes_enough_items_opens_the_gate() -> None:
    report = await gate([FakeGrader("judge")], items(60))
    assert (report.outcome, report.exit_code, report.pass_rate) == ("passed", 0, 1.0)
    # Clopper-Pearson with 60 of 60: 0.05 ** (1 / 60)
    assert report.conditions[0].bound_low == pytest.approx(0.05 ** (1 / 60))


async def test_a_pass_rate_surely_below_the_limit_fails() -> None:
    report = await gate([FakeGrader("judge", answer=lambda item: item.id < "i030")], items(60))
    assert (report.outcome, report.exit_code) == ("failed", 1)


async def test_a_few_items_are_not_enough_evidence() -> None:
    report = await gate([FakeGrader("judge")], items(10))
    assert (report.outcome, report.exit_code) == ("inconclusive", 3)


async def test_an_inconclusive_gate_may_pass_with_a_warning_when_the_policy_says_so() -> None:
    given = policy(min_pass_rate=0.9, on_inconclusive="pass_with_warning")
    report = await gate([FakeGrader("judge")], items(10), given=given)
    assert (report.exit_code, report.warning) == (0, True)


async def test_nothing_evaluated_never_passes_even_with_a_warning() -> None:
    given = policy(min_pass_rate=0.9, on_inconclusive="pass_with_warning")
    judge = FakeGrader("judge", answer=lambda item: {"status": "abstained"})
    report = await gate([judge], items(10), given=given)
    assert (report.exit_code, report.pass_rate, len(report.review)) == (3, None, 10)


async def test_groups_widen_the_bounds() -> None:
    grouped = [
        item.model_copy(update={"group": f"g{number // 6}"})
        for number, item in enumerate(items(60))
    ]
    report = await gate([FakeGrader("judge")], grouped)
    # n* = 60 / (1 + 5 * 0.3) = 24
    assert report.conditions[0].bound_low == pytest.approx(0.05 ** (1 / 24))
    assert report.outcome == "inconclusive"


async def test_under_ten_groups_a_pass_is_withheld() -> None:
    grouped = [
        item.model_copy(update={"group": f"g{number % 9}"})
        for number, item in enumerate(items(900))
    ]
    report = await gate([FakeGrader("judge")], grouped, given=policy(min_pass_rate=0.5))
    assert report.outcome == "inconclusive"
    assert report.reasons[0].endswith("only 9 groups")


@pytest.mark.parametrize(
    ("changes", "standing"),
    [
        ({"components": {"request": "other"}}, "fingerprint"),
        ({"expires_at": NOW - timedelta(days=1)}, "expired"),
        ({"revoked": Revocation(by="d", reason="drift", at=NOW)}, "revoked"),
        ({"policy": policy(min_pass_rate=0.1)}, "policy"),
        ({"judge": "somebody"}, "missing"),
    ],
)
async def test_without_a_standing_approval_no_judge_is_called(
    changes: dict[str, Any], standing: str
) -> None:
    judge = FakeGrader("judge")
    scorer = FakeGrader("fields", kind="scorer", answer=failing("i000"))
    lock = lock_for(judge, LIMIT, **changes)
    report = await gate([judge, scorer], items(60), lock=lock)
    assert (report.exit_code, judge.calls, len(scorer.calls)) == (4, [], 60)
    assert [g.standing for g in report.graders] == [standing, "needs none"]
    assert "mend: " in report.reasons[0]
    assert (report.pass_rate, len(report.review)) == (None, 59)
    assert report.review[0].reasons == ("judge: unapproved",)


async def test_an_approval_of_one_criterion_does_not_open_the_gate_for_the_rubric() -> None:
    judge = FakeGrader("judge")
    report = await gate([judge], items(60), lock=lock_for(judge, LIMIT, unit="tone"))
    assert (report.exit_code, judge.calls) == (4, [])
    assert "for the whole rubric, only for tone" in report.reasons[0]


async def test_a_changed_component_is_named() -> None:
    judge = FakeGrader("judge")
    lock = lock_for(judge, LIMIT, components={"request": "other"})
    report = await gate([judge], items(5), lock=lock)
    assert "request changed" in report.reasons[0]


async def test_another_model_than_the_approved_one_ends_with_four() -> None:
    judge = FakeGrader("judge", model="m-2")
    report = await gate([judge], items(60), models=("m-1",))
    assert report.exit_code == 4
    assert report.reasons[0].startswith("'judge' was answered by m-2, approved: m-1")


async def test_the_approved_model_passes() -> None:
    report = await gate([FakeGrader("judge", model="m-1")], items(60), models=("m-1",))
    assert report.exit_code == 0


async def test_a_consequential_item_never_passes_on_a_judge_alone() -> None:
    given = policy(min_pass_rate=0.9, on_inconclusive="pass_with_warning")
    over = [*items(60), Item(id="big", output="x", consequential=True)]
    report = await gate([FakeGrader("judge")], over, given=given)
    assert (report.exit_code, [i.item_id for i in report.review]) == (3, ["big"])


async def test_a_consequential_item_passes_when_a_scorer_passes_it_too() -> None:
    over = [*items(60), Item(id="big", output="x", consequential=True)]
    report = await gate([FakeGrader("fields", kind="scorer"), FakeGrader("judge")], over)
    assert report.exit_code == 0


async def test_a_drop_is_measured_against_the_baseline() -> None:
    given = policy(max_drop=0.05)
    judge = FakeGrader("judge", answer=lambda item: item.id >= "i020")
    report = await gate([judge], items(100), given=given, baseline=0.95)
    assert (report.outcome, report.conditions[0].limit) == ("failed", pytest.approx(0.9))
    with pytest.raises(UsageError, match="none was given"):
        await gate([judge], items(100), given=given)


async def test_a_grader_that_must_pass_fails_the_gate_by_one_item() -> None:
    given = policy(min_pass_rate=0.5, must_pass=("fields",))
    scorer = FakeGrader("fields", kind="scorer", answer=failing("i007"))
    report = await gate([scorer], items(60), given=given)
    assert (report.exit_code, report.conditions[1].outcome) == (1, "failed")


async def test_an_item_that_must_pass_holds_the_gate_while_it_is_open() -> None:
    given = policy(must_pass=("i003",))
    open_item = FakeGrader(
        "judge", answer=lambda i: i.id != "i003" or {"status": "invalid", "reason": "no JSON"}
    )
    report = await gate([open_item], items(5), given=given)
    assert (report.exit_code, report.review[0].reasons) == (3, ("judge: invalid (no JSON)",))


async def test_too_many_unscored_items_fail() -> None:
    given = policy(min_pass_rate=0.5, max_unscored_rate=0.1)
    judge = FakeGrader("judge", answer=lambda i: i.id >= "i010" or {"status": "abstained"})
    report = await gate([judge], items(60), given=given)
    assert (report.exit_code, report.conditions[1].value) == (1, pytest.approx(1 / 6))


def lost(*ids: str) -> Any:
    gone = {"status": "failed", "kind": "timeout", "reason": "no reply"}
    return lambda item: gone if item.id in ids or not ids else True


async def test_an_outage_that_could_change_the_answer_ends_with_five() -> None:
    assert (await gate([FakeGrader("judge", answer=lost())], items(60))).exit_code == 5
    assert (await gate([FakeGrader("judge", answer=lost(*[f"i{n:03}" for n in range(9)]))],
                       items(60))).exit_code == 5  # fmt: skip


async def test_one_lost_reply_that_changes_nothing_does_not_stop_the_gate() -> None:
    report = await gate([FakeGrader("judge", answer=lost("i000"))], items(200))
    assert (report.exit_code, report.n_scored) == (0, 199)
    assert report.items[0].reasons == ("judge: failed (timeout: no reply)",)


async def test_a_surely_failed_gate_stays_failed_when_a_reply_is_lost() -> None:
    gone = {"status": "failed", "kind": "server", "reason": "503"}
    judge = FakeGrader("judge", answer=lambda i: gone if i.id == "i000" else i.id > "i050")
    report = await gate([judge], items(60))
    assert (report.exit_code, report.n_scored) == (1, 59)


async def test_an_item_that_no_grader_answered_counts_as_an_outage() -> None:
    async def nothing(*_: object) -> list[Any]:
        return []

    judge = FakeGrader("judge")
    settings = GateSettings(policy_name="default", policy=LIMIT)
    report = await run_gate(
        [judge], items(3), lock_for(judge, LIMIT), settings, grade_all=nothing, now=NOW
    )
    assert report.exit_code == 5


async def test_a_gate_over_nothing_is_bad_input() -> None:
    judge = FakeGrader("judge")
    with pytest.raises(InputError, match="no items"):
        await gate([judge], [])
    with pytest.raises(InputError, match="occurs twice"):
        await gate([judge], [*items(1), *items(1)])
    with pytest.raises(UsageError, match="no graders"):
        await gate([], items(1))
    with pytest.raises(UsageError, match="recorded"):
        await gate([FakeGrader("old", kind="recorded")], items(1))
    with pytest.raises(UsageError, match="no gate limits"):
        await gate([judge], items(1), given=policy())
    with pytest.raises(UsageError, match="neither a grader nor an item"):
        await gate([judge], items(1), given=policy(must_pass=("typo",)))
