from __future__ import annotations

import asyncio
import json

import pytest
from judge_fakes import answer, make_rubric

from judgekit.errors import BudgetExceeded, NotRun, RubricError, UsageError
from judgekit.judges.attempts import RetryPolicy
from judgekit.model.grader import Grader
from judgekit.model.item import Item
from judgekit.model.rubric import Example
from judgekit.model.verdict import Usage
from judgekit.providers.base import AttemptFailed, Endpoint
from judgekit.providers.openai import OpenAIProvider


def overloaded(after=None):
    return AttemptFailed(
        "busy", kind="rate_limit", retryable=True, retry_after_s=after, http_status=429
    )


async def test_a_good_reply_is_scored(judge_with, item):
    judge = judge_with(answer())
    assert isinstance(judge, Grader)
    found = await judge.grade(item, regrade=2)
    assert (found.status, found.passed, found.regrade) == ("scored", True, 2)
    assert found.evidence == ("We refund 10 EUR",)
    assert (found.unsupported, found.failure_mode, found.model) == ((), None, "m-1")
    assert found.passed_criteria == ("polite", "amount")
    assert found.item_hash == item.content_hash
    assert found.fingerprint == judge.fingerprint.value
    assert found.cost_usd == pytest.approx(0.01)
    assert len(found.attempts) == 1
    assert found.sent["model"] == "m"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("not json", "does not fit"),
        (answer(passed="yes"), "passed: Input should be a valid boolean"),
        (answer(failure_mode="rude"), "passed with failure_mode"),
    ],
)
async def test_a_misfit_or_a_contradiction_is_invalid_and_paid(judge_with, item, text, reason):
    found = await judge_with(text).grade(item)
    assert (found.status, found.passed, found.raw) == ("invalid", None, text)
    assert reason in found.reason
    assert found.cost_usd == pytest.approx(0.01)


async def test_unsupported_evidence_is_measured_and_not_invalid(judge_with, item):
    found = await judge_with(answer(evidence=["never said this"])).grade(item)
    assert (found.status, found.unsupported) == ("scored", ("never said this",))


async def test_abstaining_is_a_status(judge_with, item):
    judge = judge_with(answer(passed=None), rubric=make_rubric(abstain=True))
    found = await judge.grade(item)
    assert (found.status, found.passed) == ("abstained", None)


async def test_an_item_without_a_shown_field_is_a_failed_verdict(judge_with):
    found = await judge_with().grade(Item(id="b", input="only"))
    assert (found.status, found.kind) == ("failed", "request")
    assert "no field 'output'" in found.reason


async def test_retries_wait_at_least_as_long_as_the_provider_asks(judge_with, item, waits):
    found = await judge_with(overloaded(5), overloaded(), answer()).grade(item)
    assert found.status == "scored"
    assert [attempt.kind for attempt in found.attempts] == ["rate_limit", "rate_limit", None]
    assert waits.seconds[0] >= 5
    assert 1 <= waits.seconds[1] <= 8
    assert found.cost_usd == pytest.approx(0.01)


async def test_patience_ends(judge_with, item, waits):
    found = await judge_with(*[overloaded()] * 5).grade(item)
    assert (found.status, found.kind) == ("failed", "rate_limit")
    assert len(found.attempts) == 3
    assert len(waits.seconds) == 2


async def test_a_wait_beyond_the_patience_is_not_begun(judge_with, item, waits):
    retry = RetryPolicy(attempts=6, total_s=60)
    found = await judge_with(overloaded(3600), answer(), retry=retry).grade(item)
    assert (found.status, len(found.attempts), waits.seconds) == ("failed", 1, [])


@pytest.mark.parametrize("kind", ["refusal", "truncated", "request"])
async def test_a_final_failure_is_not_tried_again_and_keeps_its_tokens(judge_with, item, kind):
    usage = Usage(input_tokens=100, output_tokens=9)
    failure = AttemptFailed("no", kind=kind, http_status=200, usage=usage, finish_reason="x")
    found = await judge_with(failure, answer()).grade(item)
    assert (found.status, found.kind, len(found.attempts)) == ("failed", kind, 1)
    assert found.attempts[0].usage == usage
    assert found.cost_usd == pytest.approx(0.1)


async def test_a_lost_connection_has_an_unknown_cost(judge_with, item):
    lost = AttemptFailed("lost", kind="connection", retryable=True)
    found = await judge_with(lost, answer()).grade(item)
    assert (found.status, found.cost_usd) == ("scored", None)


async def test_a_misfit_is_asked_again_only_when_told_to(judge_with, item):
    found = await judge_with("bad", answer()).grade(item)
    assert (found.status, found.reasked) == ("invalid", 0)
    judge = judge_with("bad", answer(), reasks=1)
    again = await judge.grade(item)
    assert (again.status, again.reasked, len(again.attempts)) == ("scored", 1, 2)
    assert again.cost_usd == pytest.approx(0.02)
    assert "does not fit" in judge.provider.prompts[1]


class CountingThrottle:
    def __init__(self, refuse=False):
        self.acquired = []
        self.released = []
        self.refuse = refuse

    async def acquire(self, tokens):
        if self.refuse:
            raise BudgetExceeded("the budget of 1 USD is spent")
        self.acquired.append(tokens)

    def release(self, outcome, retry_after_s=None):
        self.released.append((outcome, retry_after_s))


async def test_every_attempt_goes_through_the_throttle(judge_with, item):
    throttle = CountingThrottle()
    server = AttemptFailed("down", kind="server", retryable=True, http_status=500)
    await judge_with(overloaded(5), server, answer(), throttle=throttle).grade(item)
    assert throttle.released == [("overload", 5), ("error", None), ("ok", None)]
    assert len(throttle.acquired) == 3
    assert throttle.acquired[0] > 300


async def test_a_cancelled_attempt_gives_its_place_back(judge_with, item):
    throttle = CountingThrottle()
    judge = judge_with(asyncio.CancelledError(), throttle=throttle)
    with pytest.raises(asyncio.CancelledError):
        await judge.grade(item)
    assert throttle.released == [("error", None)]


async def test_a_spent_budget_is_a_failed_verdict(judge_with, item):
    found = await judge_with(answer(), throttle=CountingThrottle(refuse=True)).grade(item)
    assert (found.status, found.kind, found.attempts) == ("failed", "budget", ())


async def test_a_missing_key_is_no_verdict(judge_with, item):
    with pytest.raises(NotRun):
        await judge_with(NotRun("no key")).grade(item)


def test_a_setting_that_the_model_refuses_is_refused_at_once(judge_with):
    with pytest.raises(UsageError, match="'top_p'"):
        judge_with(settings={"top_p": 1})


def test_an_example_that_contradicts_itself_is_refused(judge_with):
    verdict = {**json.loads(answer()), "failure_mode": "rude"}
    rubric = make_rubric(examples=(Example(item={"output": "x"}, verdict=verdict),))
    with pytest.raises(RubricError, match="passed with failure_mode"):
        judge_with(rubric=rubric)


def real_judge(**changes):
    from judgekit.judges.judge import Judge

    options = {"mode": "json_schema", "settings": {"temperature": 0}, **changes}
    endpoint = Endpoint(name=options.pop("endpoint", "e"), base_url="http://127.0.0.1:1/v1")
    rubric = options.pop("rubric", make_rubric())
    return Judge("j", rubric, OpenAIProvider(endpoint), options.pop("model", "m"), **options)


def test_the_fingerprint_is_stable_and_names_what_changed():
    base = real_judge().fingerprint
    assert base.value == real_judge().fingerprint.value
    cases = {
        ("request",): {"model": "other"},
        ("endpoint",): {"endpoint": "other"},
        ("reasks",): {"reasks": 1},
        ("app_version",): {"app_version": "2"},
        ("policies", "request", "rubric"): {"rubric": make_rubric(policies=("p",))},
        ("fields", "request", "rubric"): {"rubric": make_rubric(shows=("output",))},
    }
    for components, change in cases.items():
        assert base.changed(real_judge(**change).fingerprint.components) == components
    for change in ({"settings": {"temperature": 1}}, {"mode": "tools"}):
        assert base.changed(real_judge(**change).fingerprint.components) == ("request",)


def test_no_key_reaches_the_fingerprint_or_the_shown_prompt(monkeypatch, item):
    before = real_judge().fingerprint.value
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    judge = real_judge()
    assert judge.fingerprint.value == before
    assert "sk-secret" not in judge.show_prompt(item)


async def test_the_shown_prompt_is_what_is_sent(httpserver, item):
    from judgekit.judges.judge import Judge

    message = {"message": {"content": answer()}, "finish_reason": "stop"}
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"choices": [message]})
    provider = OpenAIProvider(Endpoint(base_url=httpserver.url_for("/v1")))
    judge = Judge("j", make_rubric(), provider, "m")
    found = await judge.grade(item)
    await judge.aclose()
    assert found.status == "scored"
    assert httpserver.log[0][0].get_data().decode() == judge.show_prompt(item)
    assert found.cost_usd is None


@pytest.mark.parametrize(
    ("status", "mend"),
    [
        (302, "set the endpoint's base_url to where it redirects"),
        (401, "check the key and its environment variable"),
        (403, "check the key and its environment variable"),
        (404, "check the endpoint's base_url and the grader's model"),
    ],
)
async def test_a_refused_request_says_what_to_do(httpserver, item, status, mend):
    from judgekit.judges.judge import Judge

    httpserver.expect_request("/v1/chat/completions").respond_with_data("<html>", status=status)
    provider = OpenAIProvider(Endpoint(base_url=httpserver.url_for("/v1")))
    judge = Judge("j", make_rubric(), provider, "m")
    found = await judge.grade(item)
    await judge.aclose()
    assert (found.status, found.kind) == ("failed", "request")
    assert (found.reason, len(found.attempts)) == (f"HTTP {status}; {mend}", 1)
