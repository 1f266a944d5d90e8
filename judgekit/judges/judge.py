"""A judge: a rubric, a model and the checks, as a grader."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from judgekit.errors import ItemError, JudgekitError, ProviderFailed, RubricError, UsageError
from judgekit.judges.attempts import PriceOf, RetryPolicy, Sender
from judgekit.judges.checks import Answer, Checked, check, contradiction_in
from judgekit.judges.prompt import (
    PROMPT_VERSION,
    ItemPrompt,
    item_prompt,
    reask_prompt,
    system_text,
)
from judgekit.judges.schema import misfit, verdict_model
from judgekit.judges.sentinel import sentinel_item
from judgekit.model.canonical import bytes_hash, content_hash
from judgekit.model.fingerprint import GRADING_CODE_VERSION, Fingerprint
from judgekit.model.item import Item
from judgekit.model.rubric import Rubric
from judgekit.model.throttle import Throttle
from judgekit.model.verdict import Attempt, Verdict

if TYPE_CHECKING:
    from judgekit.model.grader import GraderKind
    from judgekit.providers.base import Mode, Prepared, Provider, Reply


class Judge:
    """Grade items with a model against a rubric.

    Args:
        name: the grader's name in judgekit.yaml.
        rubric: what is asked.
        provider: where replies come from.
        model: the model's name at the provider.
        mode: how the schema is asked for.
        settings: sampling settings, sent as they are; refused where the model takes none.
        reasks: how often to ask again after a reply that broke the schema or contradicts itself.
        app_version: the user's own component of the fingerprint.
        price: from tokens to USD; None = unknown.
        retry: patience with failed requests.
        throttle: limits shared by the graders of one endpoint.
        sleep: how to wait between attempts.

    Raises:
        UsageError: the model does not accept a setting or the mode.
        RubricError: an example of the rubric is not a valid verdict.
    """

    def __init__(
        self,
        name: str,
        rubric: Rubric,
        provider: Provider,
        model: str,
        *,
        mode: Mode = "json_schema",
        settings: Mapping[str, Any] | None = None,
        reasks: int = 0,
        app_version: str | None = None,
        price: PriceOf | None = None,
        retry: RetryPolicy | None = None,
        throttle: Throttle | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        if reasks < 0:
            raise UsageError(f"reasks of grader {name!r} is {reasks}", expected="0 or more")
        self._name = name
        self.rubric = rubric
        self.provider = provider
        self.model = model
        self.mode: Mode = mode
        self.settings = dict(settings or {})
        self.reasks = reasks
        self._app_version = app_version
        provider.capabilities(model).check(model, mode, self.settings)
        self._reply_model = verdict_model(rubric)
        check_examples(rubric)
        self._sender = Sender(
            retry=retry or RetryPolicy(), throttle=throttle, price=price, sleep=sleep
        )

    @property
    def name(self) -> str:
        """Return the grader's name in judgekit.yaml."""
        return self._name

    @property
    def kind(self) -> GraderKind:
        """Return `judge`."""
        return "judge"

    @cached_property
    def system(self) -> str:
        """Return the system text: the rubric, the same for every item."""
        return system_text(self.rubric)

    @cached_property
    def prepared(self) -> Prepared:
        """Return the request, prepared once."""
        return self.provider.prepare(
            self._reply_model, model=self.model, mode=self.mode, settings=self.settings
        )

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint over everything that shapes a verdict; makes no call."""
        rubric = self.rubric
        sentinel = item_prompt(sentinel_item(rubric), rubric)
        components = {
            "request": bytes_hash(self.prepared.body_for(self.system, sentinel.text)),
            "provider": self.provider.name,
            "endpoint": self.provider.endpoint.name,
            "rubric": rubric.content_hash,
            "examples": content_hash([e.model_dump(mode="json") for e in rubric.examples]),
            "tools": content_hash(rubric.tools),
            "policies": content_hash(rubric.policies),
            "fields": content_hash(rubric.shows),
            "reasks": str(self.reasks),
            "grading_code": str(GRADING_CODE_VERSION),
            **self.provider.fingerprint_parts(self.model),
        }
        if self._app_version is not None:
            components["app_version"] = self._app_version
        return Fingerprint(components=components)

    @cached_property
    def _sent(self) -> dict[str, Any]:
        return {
            "provider": self.provider.name,
            "endpoint": self.provider.endpoint.name,
            "model": self.model,
            "mode": self.mode,
            "settings": self.settings,
            "prompt_version": PROMPT_VERSION,
        }

    def show_prompt(self, item: Item) -> str:
        """Return the exact request body about `item`; sends nothing, holds no key.

        Raises:
            ItemError: the item lacks a field that the rubric shows.
        """
        return self.prepared.body_for(self.system, item_prompt(item, self.rubric).text).decode()

    async def grade(self, item: Item, *, regrade: int = 0) -> Verdict:
        """Return the verdict about `item`; a bad item or reply becomes its status.

        Raises:
            NotRun: nothing can be sent at all, for example because the key is not set.
            JudgekitError: the settings are at fault, and so every item would fail.
        """
        started = time.perf_counter()
        attempts: list[Attempt] = []
        try:
            found = await self._ask(item, attempts)
        except ProviderFailed as failure:
            found = failed(failure)
        except ItemError as error:
            found = {"status": "failed", "kind": "request", "reason": error.message}
        return Verdict(
            item_id=item.id,
            grader=self._name,
            fingerprint=self.fingerprint.value,
            item_hash=hash_or_empty(item),
            regrade=regrade,
            sent=self._sent,
            attempts=tuple(attempts),
            cost_usd=total_cost(attempts),
            latency_s=time.perf_counter() - started,
            **found,
        )

    async def _ask(self, item: Item, attempts: list[Attempt]) -> dict[str, Any]:
        prompt = item_prompt(item, self.rubric)
        text = prompt.text
        for asked in range(self.reasks + 1):
            reply = await self._sender.send(self.prepared, self.system, text, attempts)
            found = self._read(reply, prompt)
            found["reasked"] = asked
            if found["status"] != "invalid" or asked == self.reasks:
                break
            text = reask_prompt(prompt.text, reply.text, str(found["reason"]))
        return found

    def _read(self, reply: Reply, prompt: ItemPrompt) -> dict[str, Any]:
        base = {"model": reply.model, "finish_reason": reply.finish_reason, "raw": reply.text}
        if not reply.text:
            return {**base, "status": "invalid", "reason": "the reply is empty"}
        try:
            fitting = self._reply_model.model_validate_json(reply.text)
        except ValidationError as error:
            return {**base, "status": "invalid", "reason": misfit(error)}
        answer = Answer(**fitting.model_dump())
        return {**base, **outcome(answer, check(answer, self.rubric, prompt.shown))}

    async def aclose(self) -> None:
        """Release the provider's clients and servers."""
        await self.provider.aclose()


def outcome(answer: Answer, checked: Checked) -> dict[str, Any]:
    """Return the verdict fields of an answer and what the checks found."""
    fields = answer.model_dump(exclude={"passed"})
    fields["unsupported"] = checked.unsupported
    if answer.passed is None:
        return {**fields, "status": "abstained", "reason": "the grader abstained"}
    if checked.contradiction is not None:
        return {**fields, "status": "invalid", "reason": checked.contradiction}
    return {**fields, "status": "scored", "passed": answer.passed}


def failed(failure: ProviderFailed) -> dict[str, Any]:
    """Return the verdict fields of a request that gave no usable reply."""
    return {
        "status": "failed",
        "kind": failure.kind,
        "reason": "; ".join(filter(None, (failure.message, failure.mend))),
        "model": getattr(failure, "model", None),
        "finish_reason": getattr(failure, "finish_reason", None),
    }


def total_cost(attempts: list[Attempt]) -> float | None:
    """Return the cost of all attempts in USD, or None where one is unknown."""
    costs = [attempt.cost_usd for attempt in attempts]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def hash_or_empty(item: Item) -> str:
    """Return the item's content hash, or an empty text where it has no canonical JSON."""
    try:
        return item.content_hash
    except JudgekitError:
        return ""


def check_examples(rubric: Rubric) -> None:
    """Refuse a rubric whose examples teach an answer that would be invalid.

    Raises:
        RubricError: it names the example.
    """
    model = verdict_model(rubric)
    for number, example in enumerate(rubric.examples, 1):
        where = f"rubric {rubric.name!r}, examples.{number}"
        try:
            answer = Answer(**model.model_validate(example.verdict).model_dump())
        except ValidationError as error:
            raise RubricError("an example's verdict does not fit", where=where,
                              found=misfit(error)) from error  # fmt: skip
        problem = contradiction_in(answer, rubric) if answer.passed is not None else None
        if problem:
            raise RubricError("an example's verdict is wrong", where=where, found=problem)
