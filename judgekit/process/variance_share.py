"""The trials of each case, live and with replayed tools, as the statistic asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from judgekit.process.rates import SEED
from judgekit.stats.estimate import Undefined
from judgekit.stats.variance_share import VarianceShare, variance_share


def agent_share(
    live: Mapping[str, Sequence[bool]], replayed: Mapping[str, Sequence[bool]]
) -> VarianceShare | Undefined:
    """Return the agent's share of the variance (`stats.variance_share`) over the cases of both.

    `live[case]` and `replayed[case]` hold whether the trials of a case were correct.

    Example:
        >>> found = agent_share({"a": [True, False]}, {"a": [True, True]})
        >>> found.agent_share.value
        0.0
    """
    shared = [case for case in live if case in replayed]
    return variance_share(
        [len(live[case]) for case in shared],
        [sum(live[case]) for case in shared],
        [len(replayed[case]) for case in shared],
        [sum(replayed[case]) for case in shared],
        rng=np.random.default_rng(SEED),
    )
