from __future__ import annotations

import numpy as np
import pytest

from judgekit.process.variance_share import agent_share
from judgekit.render.tapes_text import variance_text
from judgekit.stats.estimate import Estimate, Undefined

YES, NO = True, False


def test_the_share_is_what_a_hand_computation_gives():
    # Live: a has 2 of 4 right: s2 = 1/3 (sum of squares 4 * 0.25, over n - 1 = 3); b has 1 of 3:
    # s2 = (4/9 + 1/9 + 1/9) / 2 = 1/3; mean 1/3. Played: a has 3 of 4: s2 = 0.75 / 3 = 1/4;
    # b has 3 of 3: 0; mean 1/8. Share (1/8) / (1/3) = 3/8.
    live = {"a": [YES, YES, NO, NO], "b": [YES, NO, NO]}
    played = {"a": [YES, YES, YES, NO], "b": [YES, YES, YES]}
    found = agent_share(live, played)
    assert found.n_cases == 2
    assert (found.live, found.replayed) == (pytest.approx(1 / 3), pytest.approx(1 / 8))
    assert found.agent_share.value == pytest.approx(3 / 8)
    assert (found.agent_share.low, found.agent_share.status) == (None, "few_cases")


def test_each_variance_is_that_of_numpy():
    rng = np.random.default_rng(5)
    live = {f"c{n}": list(rng.random(6) < 0.5) for n in range(9)}
    played = {name: list(rng.random(4) < 0.8) for name in live}
    found = agent_share(live, played)
    assert found.live == pytest.approx(np.mean([np.var(one, ddof=1) for one in live.values()]))
    assert found.replayed == pytest.approx(
        np.mean([np.var(one, ddof=1) for one in played.values()])
    )


def test_cases_with_one_trial_or_on_one_side_are_left_out():
    live = {"a": [YES, NO], "b": [YES], "c": [YES, NO]}
    found = agent_share(live, {"a": [YES, NO], "b": [YES, NO]})
    assert (found.n_cases, found.agent_share.value) == (1, 1.0)


def test_nothing_to_divide_is_undefined_and_never_a_number():
    assert agent_share({"a": [YES]}, {"a": [YES, NO]}) == Undefined(
        undefined="no case has two trials on both sides"
    )
    found = agent_share({"a": [YES, YES]}, {"a": [YES, NO]})
    assert isinstance(found.agent_share, Undefined)
    assert "nothing to divide" in variance_text(found)


def test_a_share_is_never_above_one():
    cases = [f"c{n}" for n in range(6)]
    found = agent_share(
        {c: [YES, YES, YES, NO] for c in cases}, {c: [YES, YES, NO, NO] for c in cases}
    )
    assert found.agent_share.value == 1.0
    assert found.agent_share.high == 1.0


def simulated(rng: np.random.Generator, n_cases: int, k: int, tool: float, agent: float):
    """Return answers of an agent that is right where its tool and its own coin both are."""
    live, played = {}, {}
    for number in range(n_cases):
        live[str(number)] = list((rng.random(k) < tool) & (rng.random(k) < agent))
        first = rng.random() < tool
        played[str(number)] = list((rng.random(k) < agent) & first)
    return live, played


@pytest.mark.parametrize(("tool", "agent"), [(0.7, 0.9), (0.9, 0.7), (0.8, 0.8)])
def test_in_a_simulation_the_share_is_found_and_its_interval_covers(tool, agent):
    # Law of total variance: E[Var(Y | tool)] = tool * agent (1 - agent), and Var(Y) = p (1 - p)
    # with p = tool * agent.
    truth = tool * agent * (1 - agent) / (tool * agent * (1 - tool * agent))
    rng = np.random.default_rng(20261130)
    found = [agent_share(*simulated(rng, 60, 6, tool, agent)).agent_share for _ in range(120)]
    shares = [one for one in found if isinstance(one, Estimate)]
    assert len(shares) == 120
    assert np.mean([one.value for one in shares]) == pytest.approx(truth, abs=0.03)
    covered = np.mean([one.low <= truth <= one.high for one in shares])
    assert covered >= 0.90  # 95 % stated; 120 draws give a standard error of 2 points


def test_the_text_says_whose_variance_it_is():
    live = {str(n): [YES, NO, YES, NO] for n in range(8)}
    played = {str(n): [YES, NO, YES, NO] if n % 2 else [YES] * 4 for n in range(8)}
    said = variance_text(agent_share(live, played))
    assert "(8 cases)" in said
    assert "about 50% of the variance stays when tools answer alike" in said
    assert variance_text(Undefined(undefined="no case")).startswith("agent's share")
