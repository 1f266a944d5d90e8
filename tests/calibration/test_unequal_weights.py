"""Labels of one verdict that carry different weights."""

from __future__ import annotations

import pytest

from judgekit.calibration.calibrate import calibrate
from judgekit.errors import InputError

from .test_sampling import LABELLED, TOTAL, drawn_by_verdict


@pytest.mark.parametrize("whole", [True, False])
def test_unequal_weights_within_a_verdict_are_said_or_refused(whole: bool) -> None:
    total = TOTAL if whole else {"pass": 66, "fail": 70}
    found = drawn_by_verdict(LABELLED, total, weights={"pass": 900 / 66, "fail": 100 / 70})
    first, *rest = found.labels
    heavy = (first.model_copy(update={"weight": 400.0}), *rest)
    asked = found.model_copy(update={"labels": heavy})
    if whole:
        assert "differ within one verdict and are not used" in calibrate(asked).sampling.source
        return
    with pytest.raises(InputError, match="weights do not fit strata by verdict"):
        calibrate(asked)
