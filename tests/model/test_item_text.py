"""The texts of an item as people read and mark them."""

from __future__ import annotations

from judgekit.model.item import Item
from judgekit.model.item_text import ItemText, item_texts


def test_strings_stand_as_they_are_and_objects_give_one_text_for_each_name() -> None:
    item = Item(
        id="a",
        input={"customer": "Grüße 📦", "order": 7},
        context=["source <b>", {"k": "é"}],
        output="out",
        reference="ref",
    )
    assert item_texts(item) == (
        ItemText(place="input.customer", text="Grüße 📦"),
        ItemText(place="input.order", text="7", kind="json"),
        ItemText(place="output", text="out"),
        ItemText(place="context.0", text="source <b>"),
        ItemText(place="context.1", text='{\n  "k": "é"\n}', kind="json"),
        ItemText(place="reference", text="ref"),
    )


def test_a_trial_reads_as_messages_calls_and_results_before_the_output() -> None:
    call = {"name": "look", "arguments": {"id": 1}, "result": "found", "error": "late"}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"name": "look", "arguments": {}}]},
        {"role": "tool", "content": "raw", "name": "look"},
    ]
    trial = {"messages": messages, "tool_calls": [call], "final": {"a": 1}, "error": "stopped"}
    item = Item.model_validate({"id": "a", "output": "done", "trial": trial})
    assert [(text.place, text.kind, text.name) for text in item_texts(item)] == [
        ("trial.messages.0.content", "message", "user"),
        ("trial.messages.1.tool_calls.0.arguments", "call", "look"),
        ("trial.messages.2.content", "result", "look"),
        ("trial.tool_calls.0.arguments", "call", "look"),
        ("trial.tool_calls.0.result", "result", "look"),
        ("trial.tool_calls.0.error", "error", "look"),
        ("trial.final", "json", None),
        ("trial.error", "error", None),
        ("output", "text", None),
    ]


def test_the_sides_of_a_pair_are_two_texts() -> None:
    item = Item(id="a", input="q", output_1="x", output_2="y")
    assert [text.place for text in item_texts(item)] == ["input", "output_1", "output_2"]
