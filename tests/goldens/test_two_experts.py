from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from golden_records import expectation

from judgekit.errors import InputError
from judgekit.goldens.entry_text import EntryTexts
from judgekit.goldens.merge import Settlement
from judgekit.goldens.part_text import part_name, read_part_value, value_text, value_words
from judgekit.goldens.parts import parts_of
from judgekit.goldens.two_experts import (
    check_new_settlement,
    entry_body,
    entry_texts,
    read_two,
    store_decision,
)
from judgekit.store.label_store import GoldenEntry, GoldenResolution

AT = datetime(2026, 11, 30, tzinfo=UTC)


def entry(expert: str, **texts: Any) -> GoldenEntry:
    body = entry_body(EntryTexts(**texts))
    return GoldenEntry(
        project="desk", case_id="c1", expert=expert, body=body, state="done", rev=1, at=AT
    )


def resolution(decision: Any, value: Any = None) -> GoldenResolution:
    return GoldenResolution(
        project="desk",
        case_id="c1",
        field="/fields/a",
        decision=decision,
        value=value,
        reason="policy 4",
        actor="eve",
        rev=3,
        at=AT,
    )


BOTH = (entry("ann", fields="a = 1\nb = 1"), entry("bob", fields="a = 2\nb = 1"))


def test_what_was_typed_is_kept_as_typed() -> None:
    texts = EntryTexts(fields="a = 1  # not yet\n\n", scenario="hard", failure_modes=("x",))
    assert entry_texts(entry_body(texts)) == texts
    with pytest.raises(InputError, match="cannot be read"):
        entry_texts({"schema": 1, "texts": {"fields": 3}})


@pytest.mark.parametrize(
    ("decision", "value", "fields", "unscored"),
    [
        ("redefine", {"value": 3}, {"a": 3, "b": 1}, []),
        ("redefine", None, {"b": 1}, []),
        ("exclude", None, {"b": 1}, ["excluded"]),
        ("reopen", None, {"b": 1}, ["ambiguous"]),
    ],
)
def test_stored_decisions_are_settlements(
    decision: str, value: Any, fields: dict[str, int], unscored: list[str]
) -> None:
    """G7: redefined, nothing expected, excluded, or open again."""
    two = read_two(BOTH, [resolution(decision, value)])
    found = two.merged.expectation.fields
    assert {name: one.value for name, one in found.items()} == fields
    assert [one.status for one in two.merged.unscored] == unscored
    assert two.revs == {"/fields/a": 3}
    assert two.pair("g").experts == ("ann", "bob")
    outcome = two.merged.parts[0].settlement
    assert outcome is not None
    assert store_decision(outcome.outcome) == decision


def test_a_settlement_is_tried_before_it_is_stored() -> None:
    """G7: nothing that cannot be merged gets into the store."""
    two = read_two(BOTH, [])
    good = Settlement(part="/fields/a", outcome="redefined", value={"value": 3}, reason="x", by="e")
    assert check_new_settlement(two, good).value == {"value": 3}
    for bad in ({"part": "/fields/b"}, {"reason": ""}, {"value": {"value": None}}):
        with pytest.raises(InputError):
            check_new_settlement(two, good.model_copy(update=bad))


def test_an_unfinished_case_is_not_compared() -> None:
    with pytest.raises(InputError, match="not finished"):
        read_two(BOTH[:1], [])


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("/fields/a", {"expect": "missing"}, "missing (the key is not there)"),
        ("/fields/a", {"expect": "null"}, "null (the key is there, without a value)"),
        ("/fields/a", {"value": ""}, '"" (empty text)'),
        ("/fields/a", {"value": []}, "[] (empty list)"),
        ("/fields/a", {"value": 0}, "0"),
        ("/fields/a", {"value": False, "critical": True}, "false | critical"),
        ("/fields/a", None, "nothing said"),
        ("/paths/p1", {"calls": [{"tool": "x", "only_these": True}]},
         "in order: x(), only these arguments"),
        ("/paths/p1", {"match": "exact"}, "exact: no tool is called"),
        ("/allowed_changes/a/b/c", True, "allowed"),
        ("/scenario", "edge", "edge"),
    ],
)  # fmt: skip
def test_what_a_form_would_blur_is_said_in_words(part: str, value: Any, words: str) -> None:
    """G3: missing, null, empty and zero cannot be mistaken for each other on the page."""
    assert value_words(part, value) == words


def test_every_part_has_a_name_and_its_text_is_read_back() -> None:
    """G12: what is shown for settling can be typed again as it is."""
    from golden_records import BODY

    whole = expectation(
        **{
            name: BODY[name]
            for name in ("fields", "paths", "forbidden", "state", "scenario", "failure_modes")
        }
    )
    for part, value in parts_of(whole).items():
        assert "/" not in part_name(part).split(" ")[0]
        assert read_part_value(part, value_text(part, value)) == value


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("/fields/a", "refunded", '"refunded" for text'),
        ("/paths/p1", "lookup", '{"match": "in_order"'),
        ("/scenario", "easy", "routine"),
        ("/failure_modes", "[1]", "valid string"),
    ],
)
def test_a_value_that_cannot_be_read_says_what_would_do(part: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_part_value(part, text)
    assert message in str(caught.value)
