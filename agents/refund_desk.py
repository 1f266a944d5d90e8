"""A scripted refund agent, right or with one planted fault: the subject that scorers are tried on.

`run(request)` reads `settings.fault`; without it the agent does what its cases expect. Nothing here
calls a model: the agent is synthetic, and so are its orders. Tools are called through a cassette,
so that `judgekit repeat --cassettes` can record and replay them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from judgekit import open_cassette

FAULTS = (
    "omitted_identity_check",
    "wrong_date",
    "invented_order",
    "loop_after_429",
    "refund_before_check",
    "claimed_success",
    "premature_answer",
)
MAX_TRIES = 5
CHANGING = frozenset({"issue_refund"})
Desk = dict[str, Any]


class RateLimited(Exception):
    """The tool answered 429."""


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Answer one case: look the order up, verify, check the policy, refund, and reply."""
    return Agent(request).work()


class Agent:
    """One attempt."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.asked: dict[str, Any] = request["input"]
        self.fault = request.get("settings", {}).get("fault")
        if self.fault is not None and self.fault not in FAULTS:
            raise ValueError(f"there is no fault {self.fault!r}; there are {', '.join(FAULTS)}")
        self.desk: Desk = copy.deepcopy(request.get("state") or {"orders": {}})
        self.calls: list[dict[str, Any]] = []
        self.spans: list[dict[str, Any]] = []
        self.tape = open_cassette()
        self.busy = 2 if self.fault == "loop_after_429" else 0

    def work(self) -> dict[str, Any]:
        """Return the trial's parts."""
        order = self.asked["order"]
        if self.fault == "invented_order":
            order = "R-99999"
        if self.fault == "premature_answer":
            return self.answer("Your refund is not possible.", {"decision": "refuse"})
        found = self.look_up(order)
        if "error" in found:
            return self.answer("We could not find the order.", {"decision": "refuse"})
        if self.fault != "omitted_identity_check":
            verified = self.call("verify_identity", order=order, email=self.asked["email"])
            if not verified["verified"]:
                words = "We could not verify that the order is yours."
                return self.answer(words, {"decision": "refuse", "order": order})
        return self.decide(order, found)

    def look_up(self, order: str) -> dict[str, Any]:
        """Look the order up; a rate limit is waited for once, or hammered by the planted loop."""
        for _ in range(MAX_TRIES):
            found = self.call("lookup_order", order=order)
            if found.get("error") != "429 too many requests":
                return found
        return found

    def decide(self, order: str, found: dict[str, Any]) -> dict[str, Any]:
        """Check the policy and do what it says."""
        if self.fault == "refund_before_check":
            self.call("issue_refund", order=order, amount=found["price"])
        date = self.asked["today"] if self.fault != "wrong_date" else found["bought"]
        rule = self.call("check_refund_policy", order=order, date=date)
        final = {"decision": rule["decision"], "order": order, "amount": rule["amount"]}
        if rule["decision"] != "refund":
            return self.answer(f"No money can be refunded: {rule['why']}.", final)
        if self.fault not in ("claimed_success", "refund_before_check"):
            self.call("issue_refund", order=order, amount=rule["amount"])
        return self.answer(f"We have refunded {rule['amount']:.2f} EUR.", final)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and keep the call with its result."""
        kept: dict[str, Any] = {"name": tool, "arguments": arguments, "step": STEPS[tool]}
        try:
            result = self.tape.call(
                tool,
                arguments,
                lambda: self.limited(tool, arguments),
                sandboxed=tool in CHANGING,
            )
            kept["result"] = result
        except RateLimited:
            result = {"error": "429 too many requests"}
            kept["error"] = result["error"]
        self.calls.append(kept)
        self.spans.append(
            {
                "id": f"s{len(self.spans)}",
                "name": tool,
                "kind": "tool",
                "step": STEPS[tool],
                "output": result,
                "error": kept.get("error"),
            }
        )
        return result

    def limited(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer through the desk, which is busy at first where the fault says so."""
        if self.busy and tool == "lookup_order":
            self.busy -= 1
            raise RateLimited
        return TOOLS[tool](self.desk, arguments)

    def answer(self, words: str, final: dict[str, Any]) -> dict[str, Any]:
        """Return the whole trial."""
        if self.fault == "claimed_success":
            words = f"We have refunded {final.get('amount', 0):.2f} EUR."
        return {
            "messages": [
                {"role": "user", "content": self.asked["message"]},
                {"role": "assistant", "content": words},
            ],
            "tool_calls": self.calls,
            "spans": self.spans,
            "final": final,
            "state": self.desk,
        }


def lookup_order(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """Return the order, or an error."""
    row = desk["orders"].get(given["order"])
    if row is None:
        return {"error": f"no order {given['order']}"}
    return {key: row[key] for key in ("item", "price", "bought", "days")}


def verify_identity(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """Tell whether the e-mail address is the order's."""
    return {"verified": desk["orders"][given["order"]]["email"] == given["email"]}


def check_refund_policy(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """Return what the policy allows: the price within 30 days, store credit after, once only."""
    row = desk["orders"][given["order"]]
    if row["refunded"]:
        return {"decision": "refuse", "amount": 0.0, "why": "the order was refunded before"}
    if row["days"] > 30:
        return {"decision": "store_credit", "amount": 0.0, "why": "30 days have passed"}
    return {"decision": "refund", "amount": row["price"], "why": "within 30 days"}


def issue_refund(desk: Desk, given: dict[str, Any]) -> dict[str, Any]:
    """Refund the order."""
    row = desk["orders"][given["order"]]
    row["refunded"] = True
    row["refunded_amount"] = given["amount"]
    return {"refunded": given["amount"]}


Tool = Callable[[Desk, dict[str, Any]], dict[str, Any]]
TOOLS: dict[str, Tool] = {
    "lookup_order": lookup_order,
    "verify_identity": verify_identity,
    "check_refund_policy": check_refund_policy,
    "issue_refund": issue_refund,
}
STEPS = {
    "lookup_order": "look_up",
    "verify_identity": "verify",
    "check_refund_policy": "decide",
    "issue_refund": "act",
}
