from __future__ import annotations

from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from judgekit.providers.anthropic import AnthropicProvider
from judgekit.providers.base import Endpoint
from judgekit.providers.openai import OpenAIProvider


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    evidence: list[str]
    passed_criteria: list[Literal["polite", "correct"]]
    failed_criteria: list[Literal["polite", "correct"]]
    failure_mode: Literal["rude"] | None
    passed: bool


@pytest.fixture
def reply_model() -> type[BaseModel]:
    return Verdict


@pytest.fixture
async def openai(httpserver):
    provider = OpenAIProvider(Endpoint(base_url=httpserver.url_for("/v1"), timeout_s=5))
    yield provider
    await provider.aclose()


@pytest.fixture
async def anthropic(httpserver):
    provider = AnthropicProvider(Endpoint(base_url=httpserver.url_for(""), timeout_s=5))
    yield provider
    await provider.aclose()
