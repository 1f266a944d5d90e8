"""The planted-defect suite: judges whose error rates are known, found again by `calibrate`.

All of it is synthetic: the labels say so, and nothing here is evidence about a real judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from judgekit.calibration.calibrate import CalibrationRequest, calibrate
from judgekit.model.label import Label
from judgekit.model.verdict import Verdict
from judgekit.stats.estimate import Estimate, Statistic
from simulations.draw import shares
from simulations.grid import SEED

SEEDS = 200
LEAST_HITS = 182
N = 300
FAIL_SHARE = 0.4
HEADER = ("origin", "judge", "defect", "measure", "truth", "n", "seeds", "hits", "least")


@dataclass(frozen=True)
class Planted:
    """A synthetic judge with a known defect; errors correlate inside groups of `size`."""

    name: str
    defect: str
    false_pass: float
    false_fail: float
    size: int = 1
    icc: float = 0.0

    @property
    def truths(self) -> dict[str, float]:
        """Return the true value of each measure that is looked for."""
        passes = FAIL_SHARE * self.false_pass + (1 - FAIL_SHARE) * (1 - self.false_fail)
        wrong = FAIL_SHARE * self.false_pass + (1 - FAIL_SHARE) * self.false_fail
        chance = passes * (1 - FAIL_SHARE) + (1 - passes) * FAIL_SHARE
        found = {"false_pass_rate": self.false_pass, "false_fail_rate": self.false_fail}
        if 0 < passes < 1:
            found |= {"accuracy": 1 - wrong, "kappa": (1 - wrong - chance) / (1 - chance)}
        return found


JUDGES = (
    Planted("sound", "none", 0.03, 0.05),
    Planted("lenient", "passes a third of the bad answers", 0.35, 0.04),
    Planted("strict", "fails a third of the good answers", 0.04, 0.35),
    Planted("coin", "verdicts without regard to the answer", 0.5, 0.5),
    Planted("yes", "passes everything", 1.0, 0.0),
    Planted("lenient on some topics", "errors come in groups of five", 0.25, 0.10, 5, 0.2),
)


def records(planted: Planted, seed: int) -> CalibrationRequest:
    """Return labels and verdicts of one seed, marked synthetic."""
    rng = np.random.default_rng([SEED, 77, JUDGES.index(planted), seed])
    groups = np.arange(N) // planted.size
    shape = (N // planted.size,)
    fails = rng.random(N) < FAIL_SHARE
    false_pass = shares(rng, planted.false_pass, planted.icc, shape)[groups]
    false_fail = shares(rng, planted.false_fail, planted.icc, shape)[groups]
    wrong = rng.random(N) < np.where(fails, false_pass, false_fail)
    return _request(planted, fails, wrong, groups)


def _request(planted: Planted, fails: Any, wrong: Any, groups: Any) -> CalibrationRequest:
    labels, verdicts, items = [], [], []
    for i in range(N):
        name = f"synthetic-{i:04}"
        human = "fail" if fails[i] else "pass"
        labels.append(Label(item_id=name, annotator="synthetic", label=human, origin="synthetic"))
        verdicts.append(
            Verdict(
                item_id=name, item_hash="", grader=planted.name, fingerprint="synthetic",
                status="scored", passed=bool(wrong[i] == fails[i]),
            )
        )  # fmt: skip
        items.append(_item(name, f"g{groups[i]:04}"))
    return CalibrationRequest(
        judge=planted.name, fingerprint="synthetic", labels=tuple(labels),
        verdicts=tuple(verdicts), items=tuple(items), synthetic=True,
    )  # fmt: skip


def _item(name: str, group: str) -> Any:
    from judgekit.model.item import Item

    return Item(id=name, input="q", output=name, group=group)


def contains(found: Statistic, truth: float) -> bool:
    """Tell whether the interval contains the truth; no interval contains nothing."""
    if not isinstance(found, Estimate) or found.low is None or found.high is None:
        return False
    return found.low - 1e-12 <= truth <= found.high + 1e-12


def simulate(planted: Planted, seeds: int = SEEDS) -> list[tuple[Any, ...]]:
    """Return one row per measure: how many of the seeds' intervals contain the truth."""
    hits = dict.fromkeys(planted.truths, 0)
    for seed in range(seeds):
        report = calibrate(records(planted, seed))
        for measure, truth in planted.truths.items():
            hits[measure] += contains(getattr(report, measure), truth)
    return [
        ("synthetic", planted.name, planted.defect, measure, round(planted.truths[measure], 4), N,
         seeds, hit, LEAST_HITS)
        for measure, hit in hits.items()
    ]  # fmt: skip
