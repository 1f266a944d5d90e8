"""What `judgekit process` reports: four axes for each configuration, and what compares them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.process.repeat_records import RepeatReport
from judgekit.process.score_records import ScoreReport
from judgekit.stats.estimate import Statistic

Applied = Literal["applied", "ignored", "not_recorded"]
Shape = Literal["flat", "cliff", "pay_for_nothing", "unclear", "no_model_needed"]
Why = Literal["curve", "only", "overall"]


class ModelRow(Record):
    """What one model was asked for over all trials. None = not known."""

    model: str
    calls: int
    auxiliary: int
    retries: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class CostReport(Record):
    """What cases cost, in US dollars.

    A case costs the mean of its trials: every call, retry and auxiliary call. `n_unknown` trials
    have no known cost; their cases are left out of the figures and counted in `cases_unknown`, and
    `total_usd` is then None while `known_usd` sums what is known. `n_understated` trials recorded
    less for the whole than their own calls add up to; the sum of the calls is taken.
    `per_correct` is all money over the correct trials, of cases with known cost; resamples without
    a correct trial are `undefined_share`. `iterations` are the agent's turns. `input_growth` is the
    median over trials of the input tokens of the last turn over those of the first (1 = no
    growth), `input_growth_per_turn` the median of the tokens added from one turn to the next.
    `finish_reasons` count the agent's calls, `retries` the calls that were tried again.
    """

    n_trials: int
    n_unknown: int
    cases_unknown: int
    n_understated: int
    total_usd: float | None
    known_usd: float
    median_usd: float | None
    p95_usd: float | None
    mean_usd: float | None
    per_correct: Statistic
    undefined_share: float | None
    auxiliary_share: float | None
    retries: int
    iterations_median: float | None
    iterations_max: int | None
    input_growth: float | None
    input_growth_per_turn: float | None
    finish_reasons: dict[str, int]
    models: tuple[ModelRow, ...]


class ToolReliability(Record):
    """How reliable one tool was: calls that came back with an error, and how long it took (s)."""

    tool: str
    n: int
    errors: Statistic
    latency_median_s: float | None
    latency_p95_s: float | None


class LatencyReport(Record):
    """How long attempts took, in seconds; None where it was not recorded."""

    n: int
    median_s: float | None
    p95_s: float | None


class Configuration(Record):
    """One configuration: the quality, cost, tools and time of its trials."""

    name: str
    file_hash: str
    score: ScoreReport
    repeat: RepeatReport
    cost: CostReport
    tools: tuple[ToolReliability, ...]
    latency: LatencyReport


class PricePair(Record):
    """Two configurations: what the price list says one costs against the other, and what it does.

    `measured` is the ratio of the money spent on the cases whose cost is known on both sides.
    `inverted`: the list and the measurement disagree about which is cheaper, and the interval of
    the measurement excludes 1.
    """

    first: str
    second: str
    listed_ratio: float | None
    measured: Statistic
    inverted: bool


class TemperatureRow(Record):
    """One temperature: level (pass@1) apart from variance, and whether it was applied.

    `between_trials` is the mean variance of correctness within a case, in [0, 0.5] (unbiased,
    over cases with two trials or more).
    """

    setting: str
    n_trials: int
    pass_at_1: Statistic
    consistency: Statistic
    between_trials: Statistic
    cost_median_usd: float | None
    tool_errors: Statistic
    applied: Applied


class TemperaturePair(Record):
    """One temperature against another on the same cases: level and variance, first minus second."""

    first: str
    second: str
    level: Statistic
    variance: Statistic


class TemperatureReport(Record):
    """The other axes under each temperature, for the models and providers named and for no other.

    `concluded` False: settings were not applied, or models or providers differ or are not known.
    """

    models: tuple[str, ...]
    providers: tuple[str, ...]
    rows: tuple[TemperatureRow, ...]
    pairs: tuple[TemperaturePair, ...]
    concluded: bool
    finding: str


class Advisory(Record):
    """A judge's pass rate over the cases: advisory, never in the headline.

    `own_family` names the models of the candidate that are of the judge's own family. `elsewhere`
    verdicts are of cases that were not tried, and are left out.
    """

    judge: str
    model: str | None
    pass_rate: Statistic
    unscored: int
    elsewhere: int = 0
    own_family: tuple[str, ...]


class Point(Record):
    """One tier of the cost-quality curve: a configuration, or a step under one model."""

    name: str
    cost_usd: float
    quality: float
    quality_low: float
    quality_high: float
    n_trials: int
    on_frontier: bool


class Curve(Record):
    """Cost against quality, cheapest first.

    A shape is named only where the intervals of differences support it (`routing.curve`): `flat`,
    `cliff`, `pay_for_nothing`, `no_model_needed`; else `unclear`. `cheapest` is the cheapest tier
    that is shown not to be inferior to the best by more than `margin`; the best itself where no
    cheaper one is. `left_out` tiers have no known cost or no quality.
    """

    of: str
    points: tuple[Point, ...]
    shape: Shape
    sentence: str
    margin: float
    cheapest: str
    left_out: tuple[str, ...] = ()


class Escalation(Record):
    """One signal that a trial shows by itself, without its expected results.

    `n_with` of `n` decided trials carry it. `wrong_with` and `wrong_without` are the shares of
    wrong trials with and without it, `caught` the share of the wrong trials that carry it. `worth`:
    trials with the signal are distinguishably more often wrong, corrected for the number of signals
    looked at.
    """

    configuration: str
    signal: str
    n: int
    n_with: int
    wrong_with: Statistic
    wrong_without: Statistic
    caught: Statistic
    worth: bool


class StepCost(Record):
    """One step of the process under the tier chosen for it: calls of a trial times cost of a call.

    `why`: `curve` (the cheapest that is not inferior), `only` (there is no other), or `overall`
    (nothing is expected of the step, so the tier chosen over all cases is taken).
    """

    step: str
    tier: str
    why: Why
    calls_per_trial: float
    usd_per_call: float | None
    usd_per_trial: float


class ProcessCost(Record):
    """What a trial costs where each step uses its own tier: the weighted sum, with its interval."""

    steps: tuple[StepCost, ...]
    total: Statistic


class Routing(Record):
    """What the curves suggest: overall, by step, when to escalate, and what the process costs."""

    overall: Curve | None
    steps: tuple[Curve, ...]
    escalation: tuple[Escalation, ...]
    process_cost: ProcessCost | None


class SplitRow(Record):
    """Holdout against development: a development set that looks better was fitted to.

    `difference` is development minus holdout.
    """

    configuration: str
    development: Statistic
    holdout: Statistic
    difference: Statistic
    divergence: str | None


class ProcessReport(Record):
    """The four axes over one or more configurations."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    configurations: tuple[Configuration, ...]
    price_pairs: tuple[PricePair, ...]
    temperature: TemperatureReport | None
    routing: Routing | None
    splits: tuple[SplitRow, ...]
    advisory: tuple[Advisory, ...]
    ranks_only: bool
    notes: tuple[str, ...]
