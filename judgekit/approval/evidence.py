"""What an approval rests on: the calibration report and the records behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from judgekit.model.base import Record
from judgekit.model.canonical import content_hash
from judgekit.model.fingerprint import Fingerprint
from judgekit.model.grader import GraderKind
from judgekit.model.item import Item
from judgekit.model.policy import Policy
from judgekit.model.verdict import Verdict

STATISTICS = (
    "kappa",
    "false_pass_rate",
    "false_fail_rate",
    "accuracy",
    "ac1",
    "pabak",
    "positive_agreement",
    "negative_agreement",
    "human_agreement",
    "worst_case_false_pass_rate",
    "worst_case_false_fail_rate",
    "unsupported_evidence_rate",
)


class Evidence(Record):
    """Everything that one approval is about.

    `report` is the calibration report as JSON, `items` the items of its split, `verdicts` those
    that were compared, `origins` counts the labels used by origin, `annotators` names who gave
    them, `designs` how the items were sampled. `dataset_synthetic` says that the data set itself
    is declared synthetic.
    """

    kind: GraderKind
    fingerprint: Fingerprint
    report: dict[str, Any]
    policy: Policy
    items: tuple[Item, ...]
    verdicts: tuple[Verdict, ...]
    dataset: str
    split: str
    rubric: str | None = None
    looks: int = 0
    labels_hash: str
    verdicts_hash: str
    origins: dict[str, int] = Field(default_factory=dict)
    annotators: tuple[str, ...] = ()
    designs: tuple[str, ...] = ()
    dataset_synthetic: bool = False
    app_version: str | None = None

    @property
    def judge(self) -> str:
        """Return the judge's name."""
        return str(self.report["judge"])

    @property
    def models(self) -> tuple[str, ...]:
        """Return the model names that the provider reported, sorted."""
        return tuple(sorted({v.model for v in self.verdicts if v.model}))

    @property
    def synthetic(self) -> bool:
        """Tell whether any label used was not given by people or by facts."""
        made = sum(self.origins.get(origin, 0) for origin in ("model", "synthetic"))
        return self.dataset_synthetic or made > 0


def items_hash(items: Iterable[Item]) -> str:
    """Return the hash of the items' ids, groups and contents, in any order."""
    return content_hash(sorted([i.id, i.group_key, i.content_hash] for i in items))


def figures_of(report: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the report's statistics, and its unscored and dropped counts, by name."""
    figures = {name: dict(report[name]) for name in STATISTICS if report.get(name) is not None}
    for name in ("unscored", "dropped"):
        if report.get(name):
            figures[name] = dict(report[name])
    return figures
