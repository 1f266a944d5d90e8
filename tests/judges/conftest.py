from __future__ import annotations

import pytest
from judge_fakes import FakeProvider, Waits, make_rubric

from judgekit.judges.attempts import RetryPolicy
from judgekit.judges.judge import Judge
from judgekit.model.item import Item


@pytest.fixture
def rubric():
    return make_rubric()


@pytest.fixture
def item():
    return Item(id="a", input="Where is my money?", output="Dear customer, we refund 10 EUR today.")


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def judge_with(waits):
    def build(*script, rubric=None, **options):
        options.setdefault("retry", RetryPolicy(attempts=3, min_wait_s=1, max_wait_s=8))
        provider = FakeProvider(*script)
        options.setdefault("price", lambda usage: (usage.input_tokens or 0) / 1000)
        return Judge("j", rubric or make_rubric(), provider, "m", sleep=waits, **options)

    return build
