"""Edges: nothing scored, one group, categories, people under a rubric, kappa as the obstacle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.calibration.calibrate import calibrate
from judgekit.calibration.files import CalibrationFiles, requests_from_files
from judgekit.errors import UsageError
from judgekit.model.policy import Policy
from judgekit.model.rubric import Criterion, FailureMode, Rubric
from judgekit.store.mapping import Mapping

from .records import LIMITS, label, request, verdict

PP, PF, FP, FF = ("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail")
RUBRIC = Rubric(
    name="r",
    task="t",
    criteria=(Criterion(id="a", description="a"), Criterion(id="b", description="b")),
    failure_modes=(FailureMode(id="m", description="m"),),
)


def test_a_judge_whose_every_reply_is_invalid_gets_no_number_and_no_approval() -> None:
    report = calibrate(request({("pass", "none"): 10, ("fail", "none"): 10}))
    data = report.to_json()
    assert report.decision == "need_labels"
    assert data["n_pairs"] == 0
    for name in ("kappa", "accuracy", "ac1", "pabak", "false_pass_rate", "negative_agreement"):
        assert "undefined" in data[name], name
    assert data["worst_case_false_pass_rate"]["value"] == 1.0


def test_one_group_alone_gives_values_without_intervals() -> None:
    found = request({PP: 20, FF: 20})
    assert found.items is not None
    items = tuple(item.model_copy(update={"group": "g"}) for item in found.items)
    report = calibrate(found.model_copy(update={"items": items}))
    data = report.to_json()
    assert report.decision == "need_labels"
    assert (data["n_groups"], data["accuracy"]["low"], data["ac1"]["low"]) == (1, None, None)
    assert data["pabak"]["low"] is None


def test_people_are_compared_on_the_whole_of_a_rubric() -> None:
    labels = []
    for k in range(30):
        for person in ("p", "q"):
            answer = "pass" if k % 2 else "fail"
            labels.append(label(f"i{k}", "pass", person, criterion="a"))
            labels.append(label(f"i{k}", answer, person, criterion="b"))
    labels.append(label("i0", "pass", "r", criterion="a"))
    given = request({PP: 1}, None).model_copy(
        update={
            "labels": tuple(labels),
            "verdicts": tuple(verdict(f"i{k}", bool(k % 2)) for k in range(30)),
            "items": None,
            "rubric": RUBRIC,
        }
    )
    report = calibrate(given)
    assert [(p.first, p.second, p.n, p.kappa) for p in report.human_pairs] == [("p", "q", 30, 1.0)]
    assert report.unit == "_overall"
    assert report.n_pairs == 30


def test_people_who_always_say_the_same_have_no_kappa() -> None:
    found = request({PP: 10}, None, rule="ann")
    second = tuple(label(x.item_id, "pass", "second") for x in found.labels)
    data = calibrate(found.model_copy(update={"labels": found.labels + second})).to_json()
    assert "one and the same answer" in data["human_agreement"]["undefined"]


def test_labels_for_kappa_are_planned_or_said_to_be_infeasible() -> None:
    near = calibrate(request({PP: 45, PF: 6, FP: 6, FF: 45}, Policy(min_kappa=0.65)))
    assert near.decision == "need_labels"
    needed = near.to_json()["needed"]
    assert needed["human_fail"] > 51
    assert needed["human_pass"] > 51
    hopeless = calibrate(request({PP: 45, PF: 6, FP: 6, FF: 45}, Policy(min_kappa=0.8)))
    assert "not above" in hopeless.to_json()["needed"]["infeasible"]


def test_anytime_looks_are_not_claimed() -> None:
    report = calibrate(
        request({PP: 100, FF: 100}, LIMITS.model_copy(update={"sequential": "anytime"}))
    )
    assert any("planned looks were used" in reason for reason in report.reasons)


def files(folder: Path, rows: list[tuple[str, str]], **more: Any) -> CalibrationFiles:
    labels = [{"item_id": f"i{k}", "annotator": "a", "label": h} for k, (h, _) in enumerate(rows)]
    verdicts = [
        {"item_id": f"i{k}", "judge": "j", "label": j, "order": order}
        for k, (_, j) in enumerate(rows)
        for order in ("original", "swapped")
    ] + [{"item_id": "i0", "judge": "other", "label": "1", "order": "original"}]
    for name, entries in (("labels", labels), ("verdicts", verdicts)):
        text = "".join(json.dumps(entry) + "\n" for entry in entries)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    paths = {"labels": folder / "labels.jsonl", "verdicts": folder / "verdicts.jsonl"}
    return CalibrationFiles(**{**paths, "judges": ("j",), **more})


CATEGORIES = [("1", "1"), ("2", "1"), ("tie", "tie"), ("2", "2")]


def test_categories_are_compared_as_they_stand(tmp_path: Path) -> None:
    given = files(tmp_path, CATEGORIES, mapping=Mapping(order="swapped"))
    (found,) = requests_from_files(given)
    data = calibrate(found).to_json()
    assert data["confusion"] == {
        "labels": ["1", "2", "tie"],
        "rows": [[1, 0, 0], [1, 1, 0], [0, 0, 1]],
    }
    assert "name the one that passes" in data["false_pass_rate"]["undefined"]
    assert data["dropped"]["order"] == 4


def test_error_limits_on_categories_ask_which_one_passes(tmp_path: Path) -> None:
    given = files(tmp_path, CATEGORIES, mapping=Mapping(order="swapped"), policy=LIMITS)
    with pytest.raises(UsageError, match="which category passes"):
        requests_from_files(given)


def test_a_mapping_by_metadata_needs_the_items(tmp_path: Path) -> None:
    given = files(tmp_path, CATEGORIES, mapping=Mapping(where={"metadata.subset": "x"}))
    with pytest.raises(UsageError, match="no items were given"):
        requests_from_files(given)


def test_agreement_among_synthetic_annotators_is_marked_as_such() -> None:
    found = request({PP: 20, FF: 20}, None)
    first = tuple(x.model_copy(update={"origin": "synthetic"}) for x in found.labels)
    second = tuple(x.model_copy(update={"annotator": "second"}) for x in first)
    models = tuple(x.model_copy(update={"annotator": "m", "origin": "model"}) for x in first)
    labels = first + second + models
    report = calibrate(found.model_copy(update={"labels": labels}))
    assert [(p.first, p.second) for p in report.human_pairs] == [("ann", "second")]
    assert report.to_json()["human_agreement"]["status"] == "synthetic"
