"""What `judgekit process` reports: four axes for each configuration, and what compares them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from judgekit.model.base import Record
from judgekit.process.repeat_records import RepeatReport
from judgekit.process.score_records import ScoreReport
from judgekit.stats.estimate import Statistic


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
    have no known cost; their cases are left out of the figures and counted in `cases_unknown`.
    `per_correct` is all money over the correct trials. `input_growth` is the median over trials of
    the input tokens of the last agent call over those of the first (1 = no growth).
    """

    n_trials: int
    n_unknown: int
    cases_unknown: int
    total_usd: float | None
    median_usd: float | None
    p95_usd: float | None
    mean_usd: float | None
    per_correct: Statistic
    auxiliary_share: float | None
    iterations_median: float | None
    iterations_max: int | None
    input_growth: float | None
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

    `inverted`: the list and the measurement disagree about which is cheaper.
    """

    first: str
    second: str
    listed_ratio: float | None
    measured_ratio: float | None
    inverted: bool


class TemperatureRow(Record):
    """One temperature: level (pass@1) apart from variance, and whether it was applied.

    `between_trials` is the mean variance of correctness within a case, in [0, 0.25].
    """

    setting: str
    n_trials: int
    pass_at_1: Statistic
    consistency: Statistic
    between_trials: float | None
    cost_median_usd: float | None
    tool_errors: Statistic
    applied: Literal["applied", "ignored", "not_recorded"]


class TemperatureReport(Record):
    """The other axes under each temperature, for the models named and for no other."""

    models: tuple[str, ...]
    providers: tuple[str, ...]
    rows: tuple[TemperatureRow, ...]
    finding: str


class Advisory(Record):
    """A judge's pass rate over the cases: advisory, never in the headline.

    `own_family` names the models of the candidate that are of the judge's own family.
    """

    judge: str
    model: str | None
    pass_rate: Statistic
    unscored: int
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

    `shape`: `flat` (no tier is distinguishably better than the cheapest), `cliff` (a tier is
    distinguishably better than the next cheaper one), `pay_for_nothing` (a dearer tier is
    distinguishably worse than a cheaper one), `unclear` where the intervals decide nothing.
    `cheapest` is the cheapest tier that is not inferior to the best by more than `margin`.
    """

    of: str
    points: tuple[Point, ...]
    shape: Literal["flat", "cliff", "pay_for_nothing", "unclear", "no_model_needed"]
    sentence: str
    margin: float
    cheapest: str | None


class Routing(Record):
    """What the curves suggest: overall, by step, and when to escalate."""

    overall: Curve | None
    steps: tuple[Curve, ...]
    escalation: tuple[str, ...]
    expected_cost_usd: Statistic | None


class SplitRow(Record):
    """Holdout against development: a development set that looks better was fitted to."""

    configuration: str
    development: Statistic
    holdout: Statistic
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
