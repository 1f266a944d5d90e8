"""The four axes over recorded trials: quality, cost, tools, temperature; and what compares them."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.errors import UsageError
from judgekit.process.cost_report import Prices
from judgekit.process.price_pairs import price_pairs
from judgekit.process.process_records import Advisory, ProcessReport, SplitRow
from judgekit.process.rates import share
from judgekit.process.routing import DEFAULT_MARGIN
from judgekit.process.scored_set import ScoredSet
from judgekit.process.step_tiers import routing
from judgekit.process.temperature import temperature_report
from judgekit.stats.estimate import Estimate, Statistic, bounds_of
from judgekit.stats.independent import independent_difference

CERTIFIES_FROM = 100
"""Below this many cases a report ranks configurations and certifies none."""


def process_report(
    sets: Sequence[ScoredSet],
    prices: Prices,
    *,
    margin: float = DEFAULT_MARGIN,
    advisory: Sequence[Advisory] = (),
) -> ProcessReport:
    """Return the report over one or more configurations.

    Raises:
        UsageError: there is none, or two have one name.
    """
    names = [one.name for one in sets]
    if not sets or len(set(names)) != len(names):
        raise UsageError(
            "each configuration needs a name of its own",
            found=", ".join(names) or "none",
            mend="name them: --trials NAME=FILE",
        )
    n_cases = min(one.configuration.repeat.n_cases for one in sets)
    return ProcessReport(
        configurations=tuple(one.configuration for one in sets),
        price_pairs=price_pairs(sets, prices),
        temperature=temperature_report(sets),
        routing=routing(sets, margin=margin),
        splits=tuple(row for one in sets if (row := _split(one)) is not None),
        advisory=tuple(advisory),
        ranks_only=n_cases < CERTIFIES_FROM,
        notes=_notes(n_cases, sets),
    )


def _split(one: ScoredSet) -> SplitRow | None:
    """Return development against holdout; None without trials of both that could be decided."""
    answers = one.answered().answers
    sides: dict[str, Statistic] = {}
    for name in ("development", "holdout"):
        rows = [
            (score.group, answers[score.key])
            for score in one.scores
            if score.split == name and score.key in answers
        ]
        if not rows:
            return None
        sides[name] = share(rows, "no trial")
    difference = independent_difference(sides["development"], sides["holdout"])
    return SplitRow(
        configuration=one.name,
        development=sides["development"],
        holdout=sides["holdout"],
        difference=difference,
        divergence=_divergence(difference),
    )


def _divergence(difference: Statistic) -> str | None:
    bounds = bounds_of(difference)
    if not isinstance(difference, Estimate) or bounds is None or bounds.low <= 0:
        return None
    return (
        f"development is {difference.value:.3f} above holdout ({bounds.low:.3f} at least): "
        "the agent was fitted to the development cases, or these are easier; read the holdout"
    )


def _notes(n_cases: int, sets: Sequence[ScoredSet]) -> tuple[str, ...]:
    notes = []
    if n_cases < CERTIFIES_FROM:
        notes.append(
            f"{n_cases} cases: this ranks configurations and certifies none "
            f"(from {CERTIFIES_FROM} on)"
        )
    if len({frozenset(one.groups) for one in sets}) > 1:
        notes.append("the configurations did not try the same cases: compare shared ones only")
    for one in sets:
        notes += [f"{one.name}: {note}" for note in _notes_of(one)]
    return tuple(notes)


def _notes_of(one: ScoredSet) -> list[str]:
    found, notes = one.configuration, []
    if found.cost.n_unknown:
        notes.append(
            f"the cost of {found.cost.n_unknown} of {len(one.trials)} trials is not known; they "
            "are not counted as free"
        )
    if found.cost.n_understated:
        notes.append(
            f"{found.cost.n_understated} trials recorded less than their own calls add up to; the "
            "sum of the calls is taken"
        )
    if found.repeat.undecided:
        notes.append(f"{found.repeat.undecided} trials are undecided and count as not correct")
    lost = found.repeat.endings.get("infrastructure", 0)
    if lost:
        notes.append(f"the infrastructure failed {lost} trials; they count as not correct")
    return [*notes, *found.repeat.notes]
