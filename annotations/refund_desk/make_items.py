"""Write the synthetic refund desk: items, labels and the outputs of two versions of an agent.

Every word comes from the hand-written files in `templates/`. The truth is known because the
reply was built to be right or to fail in one named way. Same seed, same bytes:

    python annotations/refund_desk/make_items.py            # rewrite the four files
    python annotations/refund_desk/make_items.py --check    # exit 1 if a file would change
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).resolve().parent
SEED = 20261130
GROUPS = 220
AGENT_CASES = 80
HOLDOUT_SHARE = 0.56
LANGUAGES = ("en", "de", "es", "fr", "pt")
LANGUAGE_WEIGHTS = (0.68, 0.08, 0.08, 0.08, 0.08)
GUIDELINE = "refund-desk-1"
LABELLED_AT = "2026-11-02T09:00:00Z"
FAILS = {
    "wrong_amount": "amount_correct",
    "unsupported_promise": "no_unsupported_promise",
    "missing_condition": "conditions_stated",
    "policy_contradicted": "policy_followed",
    "empty_reply": "answers_request",
    "injection_followed": "policy_followed",
}
CONDITIONS = {
    "damaged": "photo_of_damage",
    "return_open": "return_parcel",
    "opened_electronics": "return_parcel",
    "high_value": "identity_verified",
    "lost_parcel": "carrier_confirms_loss",
}
OFFERS = {"return_closed": "store_credit", "final_sale": "exchange", "reschedule": "new_slot"}
SLOTS = ("Tuesday 8 to 12", "Thursday afternoon", "Saturday morning", "Monday 14 to 18")


def load_texts() -> dict[str, Any]:
    """Return the template files by name."""
    yaml = YAML(typ="safe")
    names = (*LANGUAGES, "policies", "people")
    return {
        name: yaml.load((HERE / "templates" / f"{name}.yaml").read_text("utf-8")) for name in names
    }


@dataclass
class Case:
    """One conversation: facts, the policy that applies and what the customer wrote."""

    id: str
    language: str
    policy: str
    words: dict[str, str]
    amounts: dict[str, float]
    money: str
    customer: str = ""
    injected: bool = False
    used: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Reply:
    """A candidate reply with the way in which it fails (None = it is right)."""

    text: str
    mode: str | None
    quote: str
    core: str


def show_money(amount: float, language: str, pattern: str) -> str:
    """Return the amount as people of that language write it."""
    text = f"{amount:.2f}"
    return pattern.format(text if language == "en" else text.replace(".", ","))


def refund_due(policy: str, amounts: dict[str, float]) -> float | None:
    """Return what the handbook gives back in money, or None where it gives none."""
    due = {
        "late_delivery": amounts["shipping"],
        "damaged": amounts["total"],
        "return_open": amounts["price"],
        "opened_electronics": round(amounts["price"] - amounts["fee"], 2),
        "high_value": amounts["price"],
        "missing_item": amounts["missing_price"],
        "cancelled": amounts["total"],
        "price_drop": round(amounts["price"] - amounts["new_price"], 2),
        "lost_parcel": amounts["total"],
    }
    return due.get(policy)


def make_amounts(policy: str, rng: random.Random) -> dict[str, float]:
    """Draw prices that people meet in shops."""
    low, high = (210, 640) if policy == "high_value" else (18, 170)
    price = rng.randrange(low, high) + rng.choice((0.0, 0.5, 0.9, 0.95, 0.99))
    shipping = rng.choice((3.9, 4.5, 4.95, 5.9, 6.5, 7.99))
    return {
        "price": price,
        "shipping": shipping,
        "total": round(price + shipping, 2),
        "fee": round(price * 0.15, 2),
        "missing_price": rng.randrange(4, 15) + rng.choice((0.0, 0.49, 0.99)),
        "new_price": round(price - rng.randrange(3, 12), 2),
        "credit": price,
        "double": round(2 * (price + shipping), 2),
    }


def make_case(number: int, prefix: str, texts: dict[str, Any], rng: random.Random) -> Case:
    """Draw one conversation."""
    language = rng.choices(LANGUAGES, LANGUAGE_WEIGHTS)[0]
    people, book = texts["people"][language], texts[language]
    policy = rng.choice(list(book["policies"]))
    amounts = make_amounts(policy, rng)
    if (due := refund_due(policy, amounts)) is not None:
        amounts["refund"] = due
    goods = people.get(
        {"opened_electronics": "electronics", "final_sale": "clothes"}.get(policy, "goods")
    )
    late = {
        "return_closed": (34, 75),
        "lost_parcel": (11, 20),
        "price_drop": (3, 13),
        "late_delivery": (6, 16),
    }
    words = {
        "name": rng.choice(people["names"]),
        "item": rng.choice(goods),
        "order": f"R-{rng.randrange(10_000, 99_999)}",
        "days": str(rng.randrange(*late.get(policy, (5, 26)))),
        "slot": rng.choice(SLOTS),
        "missing_item": rng.choice(people.get("extras", ["-"])),
    }
    case = Case(
        f"{prefix}-{number:03d}", language, policy, words, amounts, rng.choice(people["money"])
    )
    case.customer = fill(rng.choice(book["policies"][policy]["customer"]), case)
    case.injected = rng.random() < 0.2
    if case.injected:
        case.customer += " " + fill(rng.choice(texts["en"]["injections"]), case)
    return case


def fill(template: str, case: Case, **other: float) -> str:
    """Put the facts of the case into a template."""
    amounts = {**case.amounts, **other}
    shown = {k: show_money(v, case.language, case.money) for k, v in amounts.items()}
    return template.format(**case.words, **shown)


def wrong_figure(case: Case, rng: random.Random) -> float:
    """Return a plausible amount that is not the right one."""
    right = case.amounts.get("refund", case.amounts["credit"])
    tries = [
        case.amounts["total"],
        case.amounts["price"],
        case.amounts["shipping"],
        round(right + 10, 2),
        round(right * 0.9, 2),
        round(right / 2, 2),
        round(right + 0.5, 2),
    ]
    return rng.choice([t for t in tries if abs(t - right) > 0.004])


def modes_of(case: Case, texts: dict[str, Any]) -> list[str]:
    """Return the failures that this case allows."""
    own = texts[case.language]["policies"][case.policy]
    modes = ["unsupported_promise", "policy_contradicted", "empty_reply"]
    if "refund" in case.amounts or "wrong" in own:
        modes.append("wrong_amount")
    if "missing" in own:
        modes += ["missing_condition"] * 2
    if case.injected:
        modes += ["injection_followed"] * 3
    return modes


def core_of(
    case: Case, mode: str | None, texts: dict[str, Any], rng: random.Random
) -> tuple[str, str]:
    """Return the body of the reply and the quote that shows what is wrong with it."""
    book = texts[case.language]
    own = book["policies"][case.policy]
    if mode == "empty_reply":
        return rng.choice(book["empty"]), ""
    if mode == "injection_followed":
        text = fill(rng.choice(texts["en"]["followed"]), case)
        return text, text
    if mode == "wrong_amount":
        wrong = wrong_figure(case, rng)
        with_figure = own.get("wrong") or [t for t in own["right"] if "{refund}" in t]
        text = fill(rng.choice(with_figure), case, refund=wrong, wrong=wrong)
        return text, show_money(wrong, case.language, case.money)
    kind = {"policy_contradicted": "contradict", "missing_condition": "missing"}.get(
        mode or "", "right"
    )
    text = fill(rng.choice(own[kind]), case)
    if mode == "unsupported_promise":
        promise = fill(rng.choice(book["promises"]), case)
        return f"{text} {promise}", promise
    return text, text


def make_reply(case: Case, mode: str | None, texts: dict[str, Any], rng: random.Random) -> Reply:
    """Write one candidate reply, with greeting, small talk and signature."""
    book = texts[case.language]
    core, quote = core_of(case, mode, texts, rng)
    opening = fill(rng.choice(book["openings"]), case)
    parts: list[str] = []
    is_long = case.language == "en" and mode != "empty_reply" and rng.random() < 0.16
    if is_long:
        parts.append(fill(rng.choice(book["padding"]), case))
    parts.append(core)
    if mode != "empty_reply" and rng.random() < 0.4:
        parts.append(fill(rng.choice(book["harmless"]), case))
    if is_long:
        parts.append(rng.choice(book["padding_end"]))
    parts.append(rng.choice(book["closings"]))
    body = " ".join(p for p in parts if p)
    return Reply(f"{opening}\n{body}" if opening else body, mode, quote, core)


def tool_results(case: Case) -> dict[str, Any]:
    """Return what the desk's tools said about the case."""
    amounts = case.amounts
    order = {
        "order": case.words["order"],
        "item": case.words["item"],
        "price": amounts["price"],
        "shipping": amounts["shipping"],
        "total": amounts["total"],
        "days": int(case.words["days"]),
    }
    if case.policy == "missing_item":
        order |= {
            "not_packed": case.words["missing_item"],
            "not_packed_price": amounts["missing_price"],
        }
    if case.policy == "price_drop":
        order["price_today"] = amounts["new_price"]
    check: dict[str, Any] = {"rule": case.policy, "refund": amounts.get("refund")}
    check |= {"only_after": CONDITIONS.get(case.policy), "offer": OFFERS.get(case.policy)}
    results = {
        "lookup_order": order,
        "check_refund_policy": {k: v for k, v in check.items() if v is not None},
    }
    if case.policy == "high_value":
        results["verify_identity"] = {"verified": False, "link_sent": True}
    if case.policy == "reschedule":
        results["reschedule_delivery"] = {"slot": case.words["slot"], "cost": 0}
    return results


def make_item(case: Case, number: int, reply: Reply, texts: dict[str, Any]) -> dict[str, Any]:
    """Return the item record: nothing in it tells how the reply was built."""
    policy = f"{texts['policies']['policies'][case.policy]} {texts['policies']['general']}"
    return {
        "id": f"{case.id}-{number}",
        "group": case.id,
        "input": {"customer": case.customer, "order": case.words["order"]},
        "context": {"policy": policy, "tools": tool_results(case)},
        "output": reply.text,
        "metadata": {"language": case.language},
    }


def candidates(case: Case, texts: dict[str, Any], rng: random.Random) -> list[Reply]:
    """Return one to five different replies to the case, right and wrong in random order."""
    count = rng.choices((1, 2, 3, 4, 5), (0.30, 0.12, 0.24, 0.22, 0.12))[0]
    replies: list[Reply] = []
    for _ in range(count):
        mode = None if rng.random() < 0.5 else rng.choice(modes_of(case, texts))
        reply = make_reply(case, mode, texts, rng)
        if reply.core not in case.used:
            case.used.add(reply.core)
            replies.append(reply)
    return replies


def label(
    item_id: str, annotator: str, mode: str | None, quote: str = "", **more: str
) -> dict[str, Any]:
    """Return one synthetic label line for the whole rubric."""
    line: dict[str, Any] = {
        "item_id": item_id,
        "annotator": annotator,
        "criterion": "_overall",
        "label": "fail" if mode else "pass",
    }
    if mode:
        line["failure_mode"] = mode
        if quote:
            line["evidence"] = [quote]
    return {
        **line,
        "guideline": GUIDELINE,
        "labelled_at": LABELLED_AT,
        "origin": "synthetic",
        **more,
    }


def labels_of(item_id: str, reply: Reply, rng: random.Random) -> list[dict[str, Any]]:
    """Return two annotators' labels; one in twenty-five items is disputed and then adjudicated."""
    right = [label(item_id, name, reply.mode, reply.quote) for name in ("ana", "ben")]
    if rng.random() >= 0.04:
        return right
    slip = None if reply.mode else "unsupported_promise"
    wrong = label(item_id, "ben", slip)
    why = "the reply promises nothing" if slip else f"{FAILS[reply.mode or '']} is not met"
    final = label(
        item_id,
        "lead",
        reply.mode,
        reply.quote,
        origin="adjudicated",
        note=f"synthetic adjudication: {why}",
    )
    return [right[0], wrong, final]


def make_dataset(texts: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return items and labels; whole conversations go to one split."""
    rng = random.Random(SEED)
    items, labels = [], []
    for number in range(1, GROUPS + 1):
        case = make_case(number, "case", texts, rng)
        split = "holdout" if rng.random() < HOLDOUT_SHARE else "development"
        for k, reply in enumerate(candidates(case, texts, rng), start=1):
            item = {**make_item(case, k, reply, texts), "split": split}
            items.append(item)
            labels += labels_of(item["id"], reply, rng)
    return items, labels


def make_agent(version: str, texts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what one version of the agent answered to cases that nobody labelled."""
    rng, outputs = random.Random(SEED + 1), []
    for number in range(1, AGENT_CASES + 1):
        case = make_case(number, "live", texts, rng)
        buggy, fixed = (
            make_reply(case, "unsupported_promise", texts, rng),
            make_reply(case, None, texts, rng),
        )
        reply = buggy if version == "buggy" and rng.random() < 0.5 else fixed
        rng.seed(SEED + 1000 + number)
        outputs.append(make_item(case, 1, reply, texts))
    return outputs


def as_lines(rows: list[dict[str, Any]]) -> str:
    """Return JSON lines with a final newline."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def main() -> int:
    """Write the files, or compare them with what would be written."""
    parser = argparse.ArgumentParser(description="Write the synthetic refund desk.")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 if a file differs"
    )
    check = parser.parse_args().check
    texts = load_texts()
    items, labels = make_dataset(texts)
    files = {"items.jsonl": items, "labels.jsonl": labels}
    files |= {f"agent_{v}.jsonl": make_agent(v, texts) for v in ("buggy", "fixed")}
    stale = [
        n
        for n, rows in files.items()
        if not (HERE / n).exists() or (HERE / n).read_text("utf-8") != as_lines(rows)
    ]
    if not check:
        for name in stale:
            (HERE / name).write_text(as_lines(files[name]), "utf-8")
    state = "stale" if check else "written"
    print(f"{len(items)} items, {len(labels)} labels; {state}: {stale or 'none'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
