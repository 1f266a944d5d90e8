"""The grid: which truths, sizes and designs are simulated, and the seed of each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

SEED = 20_261_130
ALPHA = 0.05
REPLICATES = 20_000
CHUNK = 5_000
SIZES = (20, 50, 100, 200, 500)
LIMITS = (0.05, 0.10)
RATES = (0.025, 0.05, 0.10, 0.20)
SHARES = (0.5, 0.2, 0.1, 0.05)
ICCS = (0.0, 0.1, 0.3)
GROUP_SIZES = (1, 5, 10)
LOOKS = (1, 3, 10)
RATIOS = (0.5, 1.0, 2.0)
SHARE_ICC = 0.3
"""How much the share of human fails differs between groups: a Beta with this correlation."""
DESIGNS = ("random", "stratified", "one class")
"""A random sample; labels stratified by verdict; n labels of one class, all groups of one size."""


@dataclass(frozen=True)
class Truth:
    """One truth from which data are drawn: n labels, the judge's error rate on both classes, the
    share of human fails, the correlation of errors within a group and the labels in a group."""

    n: int
    rate: float
    share: float
    icc: float
    size: int

    @property
    def limits(self) -> tuple[float, ...]:
        """Return the limits to which this rate is half, equal or double."""
        return tuple(x for x in LIMITS if round(self.rate / x, 9) in RATIOS)

    @property
    def n_groups(self) -> int:
        """Return the number of groups that are labelled."""
        return self.n // self.size

    def rng(self, design: str) -> np.random.Generator:
        """Return the generator of this truth, the same in every run."""
        place = [
            DESIGNS.index(design), self.n, round(1000 * self.rate), round(1000 * self.share),
            round(1000 * self.icc), self.size,
        ]  # fmt: skip
        return np.random.default_rng([SEED, *place])


def truths(design: str, n: int) -> tuple[Truth, ...]:
    """Return the truths with n labels; groups of one have no correlation, so ICC 0 stands for
    all three."""
    fail_shares = (1.0,) if design == "one class" else SHARES
    return tuple(
        Truth(n, rate, share, icc, size)
        for rate, share, icc, size in product(RATES, fail_shares, ICCS, GROUP_SIZES)
        if size > 1 or icc == 0.0
    )
