from __future__ import annotations

import numpy as np
import pytest
from trial_sets import call, recorded, scored_set

from judgekit.process.temperature import temperature_report

HOT = {f"c{i:02}": [(i + j) % 2 == 0 for j in range(4)] for i in range(28)}
HOT |= {"c28": [True] * 4, "c29": [False] * 4}
COLD = {f"c{i:02}": [True] * 4 for i in range(30)}
WEAK = {f"c{i:02}": [i < 3] * 4 for i in range(30)}


def at(value: str, answers, *, settings="asked", ignored=(), model="tiny-1", provider="made-up"):
    asked = {} if value == "default" else {"temperature": float(value)}
    told = asked if settings == "asked" else settings
    one = call(10, cost=0.01, model=model, settings=told, ignored=ignored, provider=provider)
    return scored_set(recorded(f"desk@{value}", answers, cost=0.01, model_calls=(one,)))


def test_level_and_variance_are_told_apart() -> None:
    found = temperature_report([at("0", COLD), at("1.2", HOT)])
    assert found.concluded
    assert "the level (pass@1) differs: 0 above 1.2" in found.finding
    assert "the variance within a case differs: 0 below 1.2" in found.finding
    halved = {case: [int(case[1:]) % 2 == 0] * 4 for case in HOT}
    same_level = temperature_report([at("0", halved), at("1", HOT)])
    assert "no difference of the level (pass@1) can be told" in same_level.finding
    assert "the variance within a case differs: 0 below 1" in same_level.finding


def test_equal_variance_at_another_level_is_said_so() -> None:
    found = temperature_report([at("0", COLD), at("1", WEAK)])
    assert "the level (pass@1) differs: 0 above 1" in found.finding
    assert "no difference of the variance within a case can be told" in found.finding


def test_the_finding_names_model_and_provider_and_lapses_with_either() -> None:
    found = temperature_report([at("0", COLD), at("default", HOT)])
    assert found.finding.startswith("for tiny-1 at made-up: ")
    assert found.finding.endswith("This lapses when the model or the provider changes")
    assert (found.models, found.providers) == (("tiny-1",), ("made-up",))


@pytest.mark.parametrize(
    ("hot", "applied"),
    [
        ({"ignored": ("temperature",)}, "ignored"),
        ({"settings": {"temperature": 0.7}}, "ignored"),
        ({"settings": {}}, "ignored"),
        ({"settings": None}, "not_recorded"),
    ],
)
def test_a_setting_that_was_ignored_or_not_recorded_leaves_nothing_to_conclude(
    hot, applied
) -> None:
    found = temperature_report([at("0", COLD), at("1.2", HOT, **hot)])
    assert [row.applied for row in found.rows] == ["applied", applied]
    assert not found.concluded
    assert f"1.2: {applied.replace('_', ' ')}), so nothing is concluded" in found.finding


@pytest.mark.parametrize("other", [{"model": "tiny-2"}, {"provider": "elsewhere"}])
def test_settings_of_different_models_or_providers_are_not_compared(other) -> None:
    found = temperature_report([at("0", COLD), at("1", HOT, **other)])
    assert not found.concluded
    assert "different models or providers" in found.finding


def test_an_unrecorded_provider_leaves_nothing_to_conclude() -> None:
    found = temperature_report([at("0", COLD, provider=None), at("1", HOT, provider=None)])
    assert not found.concluded
    assert "for tiny-1 at an unrecorded provider" in found.finding


def test_other_configurations_do_not_lend_their_models_to_the_finding() -> None:
    stranger = scored_set(recorded("big", COLD, model_calls=(call(1, model="other-9"),)))
    assert temperature_report([at("0", COLD), at("1", HOT), stranger]).models == ("tiny-1",)


def test_names_with_an_at_sign_that_is_no_setting_are_no_temperatures() -> None:
    one, two = (scored_set(recorded(f"me@{name}", COLD)) for name in ("home", "work"))
    assert temperature_report([one, two]) is None
    assert temperature_report([at("0", COLD)]) is None


def test_each_row_has_the_other_axes() -> None:
    found = temperature_report([at("0", COLD), at("1", HOT)])
    assert [(r.setting, r.n_trials, r.cost_median_usd) for r in found.rows] == [
        ("0", 120, 0.01),
        ("1", 120, 0.01),
    ]
    assert found.rows[1].pass_at_1.value == 0.5
    assert found.rows[1].consistency.value == pytest.approx((28 / 3 + 2) / 30)  # 2 of 6 pairs
    assert found.rows[1].between_trials.value == pytest.approx(28 / 30 / 3)


def test_settings_that_change_nothing_are_seldom_told_apart() -> None:
    # synthetic: three settings of one agent, 40 cases with chances of their own, 25 sets
    rng = np.random.default_rng(12)
    told = 0
    for _ in range(25):
        chances = rng.beta(4, 2, 40)
        sides = [
            at(
                value,
                {
                    f"c{i:02}": [bool(rng.random() < p) for _ in range(4)]
                    for i, p in enumerate(chances)
                },
            )
            for value in ("0", "0.5", "1")
        ]
        told += " differs: " in temperature_report(sides).finding
    assert told <= 4  # level and variance, each at 5 % over all pairs
