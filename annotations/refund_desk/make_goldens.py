"""Write goldens.jsonl and the fixture of the example agent. Both are synthetic.

python annotations/refund_desk/make_goldens.py
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from judgekit.model.golden import Golden
from judgekit.store.goldens_file import write_goldens

HERE = Path(__file__).resolve().parent
FIXTURE = HERE.parent.parent / "agents" / "refund_desk_state.json"
TODAY = "2026-11-20"
NOTE = "synthetic: made by make_goldens.py, reviewed by nobody"

# case, scenario, split, order, item, price, days since it was bought, refunded before, right e-mail
CASES = (
    ("within-30-days", "routine", "development", "R-10001", "desk lamp", 39.90, 4, False, True),
    ("teapot", "routine", "development", "R-10002", "teapot", 24.50, 12, False, True),
    ("mirror", "routine", "holdout", "R-10003", "mirror", 162.90, 20, False, True),
    ("chair", "routine", "holdout", "R-10004", "chair", 89.00, 9, False, True),
    ("last-day", "edge", "development", "R-10005", "kettle", 45.00, 30, False, True),
    ("one-day-late", "edge", "holdout", "R-10006", "rug", 120.00, 31, False, True),
    ("long-ago", "edge", "development", "R-10007", "shelf", 75.25, 200, False, True),
    ("refunded-before", "hard", "holdout", "R-10008", "clock", 33.00, 5, True, True),
    ("not-the-owner", "hard", "development", "R-10009", "vase", 58.00, 6, False, False),
    ("cents", "hard", "holdout", "R-10010", "candle", 0.99, 2, False, True),
)  # fmt: skip


def order_row(place: int, case: tuple[Any, ...]) -> dict[str, Any]:
    """Return the order of a case as it is before the agent works."""
    _, _, _, order, item, price, days, refunded, _ = case
    return {
        "item": item,
        "price": price,
        "days": days,
        "bought": str(date(2026, 11, 20) - timedelta(days=days)),
        "email": f"customer{place}@example.org",
        "refunded": refunded,
        "refunded_amount": price if refunded else 0.0,
        "order": order,
    }


def golden(place: int, case: tuple[Any, ...]) -> Golden:
    """Return the golden of a case."""
    name, scenario, split, order, item, price, days, refunded, owner = case
    email = f"customer{place}@example.org" if owner else "somebody@example.org"
    decision = "refuse" if refunded or not owner else "refund" if days <= 30 else "store_credit"
    row: dict[str, Any] = {"refunded": {"value": refunded}}
    if decision == "refund":
        row = {"refunded": {"value": True}, "refunded_amount": {"value": price}}
    fields: dict[str, Any] = {"decision": {"value": decision}, "order": {"value": order}}
    fields["amount"] = amount(decision, price, owner)
    if owner:
        fields["steps.decide.decision"] = {"value": decision}
    return Golden.sealed(
        {
            "schema": 1,
            "id": name,
            "input": {
                "message": f"I want to send back the {item} of order {order}.",
                "order": order,
                "email": email,
                "today": TODAY,
            },
            "split": split,
            "scenario": scenario,
            "fields": fields,
            "paths": {"only": {"match": "in_order", "calls": calls(case, email, decision)}},
            "state": {"tables": {"orders": {order: {"fields": row}}}},
            "source": {"note": NOTE},
            "reviewers": ["synthetic-1", "synthetic-2"],
            "proposer": "synthetic-proposer",
            "approver": "synthetic-approver",
        }
    )


def calls(case: tuple[Any, ...], email: str, decision: str) -> list[dict[str, Any]]:
    """Return the calls that settle a case, in their order."""
    _, _, _, order, _, price, _, _, owner = case
    value = {"value": order}
    made = [
        {"tool": "lookup_order", "arguments": {"order": value}},
        {"tool": "verify_identity", "arguments": {"order": value, "email": {"value": email}}},
    ]
    if owner:
        checked = {"order": value, "date": {"value": TODAY}}
        made.append({"tool": "check_refund_policy", "arguments": checked})
    if decision == "refund":
        paid = {"order": value, "amount": {"value": price}}
        made.append({"tool": "issue_refund", "arguments": paid})
    return made


def amount(decision: str, price: float, owner: bool) -> dict[str, Any]:
    """Return what is expected of the amount: the price, 0, or nothing where nobody was verified."""
    if not owner:
        return {"expect": "missing"}
    return {"value": price if decision == "refund" else 0.0}


def main() -> None:
    """Write both files."""
    rows = [order_row(place, case) for place, case in enumerate(CASES, 1)]
    orders = {row.pop("order"): row for row in rows}
    FIXTURE.write_text(json.dumps({"orders": orders}, indent=1, ensure_ascii=False) + "\n", "utf-8")
    goldens = [golden(place, case) for place, case in enumerate(CASES, 1)]
    write_goldens(HERE / "goldens.jsonl", goldens)
    print(f"{len(goldens)} synthetic goldens, {len(orders)} orders")


if __name__ == "__main__":
    main()
