from __future__ import annotations

import asyncio
import json

from judgekit.model.rubric import Criterion, FailureMode, Rubric
from judgekit.model.verdict import Usage
from judgekit.providers.base import Capabilities, Endpoint, Reply


def make_rubric(**changes) -> Rubric:
    fields = {
        "name": "refund_reply",
        "task": "Does the reply state the refund?",
        "criteria": (
            Criterion(id="polite", description="is polite"),
            Criterion(id="amount", description="states the amount", absence=True),
        ),
        "failure_modes": (
            FailureMode(id="rude", description="is rude"),
            FailureMode(id="vague", description="names no amount"),
        ),
    }
    return Rubric(**{**fields, **changes})


def answer(**changes) -> str:
    fields = {
        "evidence": ["We refund 10 EUR"],
        "passed_criteria": ["polite", "amount"],
        "failed_criteria": [],
        "failure_mode": None,
        "passed": True,
    }
    return json.dumps({**fields, **changes})


class FakePrepared:
    def __init__(self, provider):
        self.provider = provider

    def body_for(self, system, prompt):
        return json.dumps([system, prompt], ensure_ascii=False).encode()

    async def send(self, system, prompt):
        self.provider.prompts.append(prompt)
        await asyncio.sleep(0)
        found = self.provider.script.pop(0)
        if isinstance(found, BaseException):
            raise found
        return Reply(
            text=found, model="m-1", finish_reason="stop",
            usage=Usage(input_tokens=10, output_tokens=5),
        )  # fmt: skip


class FakeProvider:
    """Answers from a script; an exception in it is raised."""

    name = "fake"

    def __init__(self, *script):
        self.script = list(script)
        self.prompts = []
        self.closed = False
        self.endpoint = Endpoint(name="test")

    def capabilities(self, model):
        return Capabilities(settings=("temperature",), modes=("json_schema",))

    def prepare(self, response_model, *, model, mode, settings):
        return FakePrepared(self)

    def fingerprint_parts(self, model):
        return {}

    async def aclose(self):
        self.closed = True


class Waits:
    """Takes the place of sleeping and remembers how long."""

    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)
