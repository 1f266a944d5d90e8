"""Goldens and expectations for tests."""

from __future__ import annotations

from typing import Any

from judgekit.model.golden import Expectation, Golden

BODY: dict[str, Any] = {
    "id": "case-1",
    "group": "conversation-1",
    "input": {"customer": "Where is my refund?\u2028Order R/1"},
    "split": "holdout",
    "scenario": "edge",
    "failure_modes": ["wrong_amount"],
    "fields": {
        "amount": {"value": 37.85, "compare": {"kind": "number", "absolute": 0.01, "unit": "EUR"}},
        "coupon": {"expect": "missing"},
        "note": {"value": ""},
        "refused_because": {"expect": "null", "critical": True, "weight": 2.0},
        "nested": {"value": {"inner": None, "list": []}},
    },
    "paths": {
        "p1": {
            "calls": [
                {"tool": "lookup_order", "arguments": {"order": {"value": "R/1"}}},
                {"tool": "issue_refund", "arguments": {"amount": {"value": 37.85}}},
            ]
        },
        "p2": {"match": "exact", "calls": [{"tool": "hand_over", "only_these": True}]},
    },
    "forbidden": [{"tool": "delete_order", "reason": "not the customer's to ask"}],
    "state": {
        "tables": {
            "orders": {
                "R/1": {"fields": {"status": {"value": "refunded"}}},
                "R/2": {"absent": True},
            }
        },
        "allowed_changes": [{"table": "log"}, {"table": "orders", "field": "updated_at"}],
    },
    "unscored": [{"part": "/fields/tone", "status": "ambiguous", "reason": "the experts differ"}],
    "redefined": [{"part": "/fields/amount", "reason": "shipping is refunded too"}],
    "source": {"item_id": "case-1", "failure_mode": "wrong_amount", "note": "promised too much"},
    "reviewers": ["ann", "bob"],
    "proposer": "ann",
    "approver": "lea",
    "approved_at": "2026-11-30T10:00:00Z",
}


def golden(**changes: Any) -> Golden:
    """Return a sealed golden with every kind of expectation in it."""
    return Golden.sealed({**BODY, **changes})


def expectation(**parts: Any) -> Expectation:
    """Return what one expert filled in."""
    return Expectation.model_validate(parts)
