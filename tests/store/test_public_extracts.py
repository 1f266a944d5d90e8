"""The readers take every public extract in ../shared/data as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgekit.errors import InputError
from judgekit.store.dataset import load_dataset
from judgekit.store.mapping import Mapping
from judgekit.store.readers import read_items, read_labels, read_rows
from judgekit.store.recorded import read_verdicts

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is absent"),
]
# Items, label lines and verdict lines as each folder's README states them.
COUNTS = {
    "factcc_explanations": (949, 949, 949, Mapping()),
    "hanna": (1056, 9504, 15840, Mapping(pass_if=">= 3.5")),
    "llm_rubric": (473, 8692, 4032, Mapping(pass_if=">= 3")),
    "llmbar": (419, 419, 11732, Mapping(positive="1")),
    "openqa_nq301": (1490, 4686, 4452, Mapping()),
    "pandalm": (999, 2997, 1998, Mapping(positive="1")),
}


@pytest.mark.parametrize("name", COUNTS)
def test_every_row_of_a_folder_is_read(name: str) -> None:
    items, labels, verdicts, mapping = COUNTS[name]
    folder = DATA / name
    assert len(read_items(folder / "items.jsonl")) == items
    label_file = read_labels(folder / "labels.jsonl")
    assert (len(label_file.labels), label_file.extra_keys) == (labels, {})
    recorded = read_verdicts(folder / "verdicts.jsonl", mapping=mapping)
    assert sum(map(len, recorded.verdicts.values())) == verdicts


@pytest.mark.parametrize("name", [*COUNTS, "tau_airline_gpt4o"])
def test_a_folder_is_a_dataset_without_splits(name: str) -> None:
    dataset = load_dataset(DATA / name)
    assert dataset.name == name
    assert dataset.labels
    assert dataset.items_of("holdout") == ()


def test_the_environments_reward_is_an_objective_label() -> None:
    labels = read_labels(DATA / "tau_airline_gpt4o" / "labels.jsonl").labels
    assert len(labels) == 120
    assert {label.effective_origin for label in labels} == {"objective"}
    assert sum(1 for _ in read_rows(DATA / "tau_airline_gpt4o" / "trajectories.jsonl")) == 120


def test_unparsed_verdicts_are_invalid() -> None:
    found = {}
    for name in ("llmbar", "openqa_nq301", "pandalm"):
        recorded = read_verdicts(DATA / name / "verdicts.jsonl", mapping=COUNTS[name][3])
        everything = [v for verdicts in recorded.verdicts.values() for v in verdicts]
        found[name] = sum(verdict.status == "invalid" for verdict in everything)
    assert found == {"llmbar": 29, "openqa_nq301": 2, "pandalm": 25}


def test_one_order_can_be_kept() -> None:
    mapping = Mapping(positive="1", order="original")
    path = DATA / "llmbar" / "verdicts.jsonl"
    recorded = read_verdicts(path, judges=["GPT-4/CoT"], mapping=mapping)
    assert len(recorded.verdicts["GPT-4/CoT"]) == 419
    assert recorded.dropped == {"order": 419}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("llmbar", "--positive"), ("pandalm", "--positive"), ("hanna", "--pass-if")],
)
def test_categories_and_scores_are_never_guessed(name: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_verdicts(DATA / name / "verdicts.jsonl")
    assert expected in str(caught.value.expected)


def test_the_real_conversations_can_be_selected_by_id() -> None:
    folder, mapping = DATA / "llm_rubric", Mapping(where={"id": "lr-real-*"}, pass_if=">= 3")
    assert len(mapping.select(read_items(folder / "items.jsonl"))) == 223
    labels = read_labels(folder / "labels.jsonl", mapping=mapping)
    assert len(labels.labels) + labels.dropped["where"] == 8692
    assert all(label.item_id.startswith("lr-real-") for label in labels.labels)


def test_a_boolean_output_is_read_as_its_json() -> None:
    items = read_items(DATA / "pandalm" / "items.jsonl")
    outputs = [text for item in items for text in (item.output_1, item.output_2)]
    assert sum(text in ("true", "false") for text in outputs) >= 6
