"""Self-agreement is the share of hidden re-labels that repeat the first label."""

from __future__ import annotations

from judgekit.calibration.self_agreement import Relabel, self_agreement
from judgekit.stats.estimate import Estimate


def relabels(annotator: str, same: int, different: int) -> list[Relabel]:
    pairs = [("pass", "pass")] * same + [("pass", "unsure")] * different
    return [Relabel(annotator=annotator, first=a, repeat=b) for a, b in pairs]


def test_each_annotator_is_compared_with_themselves_only() -> None:
    # Wilson 1927 for 8 of 10 at 95 %: 0.490162 to 0.943318 (R: prop.test(8, 10, correct = FALSE)).
    found = self_agreement([*relabels("ben", 8, 2), *relabels("ann", 3, 0)])
    ben = found["ben"]
    assert list(found) == ["ann", "ben"]
    assert isinstance(ben, Estimate)
    assert (ben.value, ben.n, ben.method) == (0.8, 10, "wilson")
    assert (round(ben.low or 0, 6), round(ben.high or 0, 6)) == (0.490162, 0.943318)


def test_without_relabels_there_is_no_figure() -> None:
    assert self_agreement([]) == {}
