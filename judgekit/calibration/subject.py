"""What is known about one judge and one unit before it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from judgekit.calibration.arrival import Arrivals
from judgekit.calibration.design import Sampling
from judgekit.calibration.human import HumanAgreement
from judgekit.calibration.measures import ModeCounts
from judgekit.calibration.report import Disagreement
from judgekit.calibration.tables import Tables
from judgekit.model.grader import GraderKind
from judgekit.model.policy import Policy
from judgekit.stats.intervals import GroupedCounts

HOLDOUT = "holdout"
NO_COUNTS = GroupedCounts(errors=(), sizes=())


@dataclass(frozen=True)
class Heading:
    """Who is judged, on what and under which limits; `policy` None = numbers only.

    `slice` is `key=value` where only these items are looked at, `filling` whether verdicts are
    still being written.
    """

    judge: str
    fingerprint: str
    unit: str
    rule: str = "auto"
    kind: GraderKind = "judge"
    split: str | None = None
    slice: str | None = None
    policy: Policy | None = None
    confidence: float = 0.95
    max_looks: int = 3
    allow_synthetic: bool = False
    synthetic: bool = False
    filling: bool = False

    @property
    def alpha(self) -> float:
        """Return the error level."""
        return round(1 - self.confidence, 12)

    @property
    def whole_unit(self) -> str:
        """Return the unit with the slice, as the ledger of looks names it."""
        return self.unit if self.slice is None else f"{self.unit} [{self.slice}]"


@dataclass(frozen=True)
class Subject:
    """The counts of one judge and where they come from; `hashes` are those of the labels and of
    the verdicts that were compared.

    `unsupported` and `without_answer` (verdicts without an answer) are counted over all verdicts,
    labelled or not. `all_verdicts` False = only those of labelled items may have been given.
    """

    heading: Heading
    tables: Tables
    sampling: Sampling
    humans: Callable[[float], HumanAgreement]
    hashes: Callable[[], tuple[str, str]]
    items: Callable[[], set[str]]
    arrivals: Callable[[], Arrivals]
    without_answer: Callable[[], GroupedCounts]
    all_verdicts: bool = True
    modes: ModeCounts = ()
    unsupported: GroupedCounts = NO_COUNTS
    dropped: dict[str, int] = field(default_factory=dict)
    unscored: dict[str, int] = field(default_factory=dict)
    origins: dict[str, int] = field(default_factory=dict)
    single: int = 0
    disagreements: Callable[[], tuple[Disagreement, ...]] = tuple

    @cached_property
    def labels_hash(self) -> str:
        """Return the hash of the reference labels that were compared, by item."""
        return self.hashed[0]

    @cached_property
    def verdicts_hash(self) -> str:
        """Return the hash of the verdicts that were compared, by item."""
        return self.hashed[1]

    @cached_property
    def hashed(self) -> tuple[str, str]:
        """Return both hashes."""
        return self.hashes()

    @cached_property
    def arrived(self) -> Arrivals:
        """Return the labels in order of arrival, where the policy asks for an anytime test."""
        policy = self.heading.policy
        if policy is None or policy.sequential != "anytime":
            return Arrivals(refused="it was not asked for")
        return self.arrivals()

    @property
    def comparable(self) -> bool:
        """Tell whether some item has both a human answer and the judge's."""
        return self.tables.confusion.n > 0

    @property
    def caps_unknown(self) -> bool:
        """Tell whether shares of verdicts are unknown: labels drawn by verdict chose them."""
        return self.sampling.judge_pass_share is not None and not self.all_verdicts

    @property
    def anytime(self) -> bool:
        """Tell whether the anytime test is used."""
        return self.arrived.refused is None
