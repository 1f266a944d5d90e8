"""What the evidence has to show; checked by the program, not by the reader."""

from __future__ import annotations

from dataclasses import dataclass

from simulations.grid import ALPHA
from simulations.kappa import LIMIT

Row = dict[str, str]


@dataclass(frozen=True)
class Claim:
    """One claim over many cells: how many there are, the worst, and those that break it."""

    words: str
    cells: int
    worst: str
    broken: tuple[str, ...]
    binding: bool = True

    @property
    def holds(self) -> bool:
        """Tell whether no cell breaks it; a claim over nothing does not hold."""
        return self.cells > 0 and not self.broken


def share(row: Row, column: str) -> float:
    """Return a count of one row as a share of its replicates."""
    return int(row[column]) / int(row["replicates"])


def allows(row: Row, wrong: str) -> bool:
    """Tell whether this outcome is wrong at the row's truth; at the limit both are."""
    rate, limit = float(row["rate"]), float(row["limit"])
    return rate >= limit - 1e-12 if wrong == "approved" else rate <= limit + 1e-12


def cell_name(row: Row) -> str:
    """Return a row's place in the grid in words."""
    return (
        f"{row['design']}, {row['condition']}, n {row['n']}, limit {row['limit']}, rate"
        f" {row['rate']}, fails {row['share']}, ICC {row['icc']}, groups of {row['group_size']},"
        f" {row['looks']} looks"
    )


def error_claim(rows: list[Row], wrong: str, where: str = "in every cell") -> Claim:
    """Return the claim that the Monte Carlo lower limit of `wrong` is at most alpha everywhere."""
    cells = [row for row in rows if allows(row, wrong)]
    broken = tuple(
        f"{cell_name(row)}: {share(row, wrong):.4f}, at least {row[f'{wrong}_low99']}"
        for row in cells
        if float(row[f"{wrong}_low99"]) > ALPHA
    )
    worst = max(cells, key=lambda row: share(row, wrong), default=None)
    seen = f"{share(worst, wrong):.4f} ({cell_name(worst)})" if worst else "none"
    words = f"falsely {wrong}: the 99 % Monte Carlo lower limit is at most {ALPHA} {where}"
    return Claim(words, len(cells), seen, broken, binding=where == "in every cell")


def kappa_claim(rows: list[Row], wrong: str) -> Claim:
    """Return the same claim on kappa; shown, not binding (2,000 replicates, coarser grid)."""
    below = wrong == "approved"
    cells = [
        r for r in rows if (float(r["kappa"]) <= LIMIT if below else float(r["kappa"]) >= LIMIT)
    ]
    names = [
        f"kappa {r['kappa']}, n {r['n']}, fails {r['share']}, ICC {r['icc']}, groups of"
        f" {r['group_size']}: {share(r, wrong):.4f}"
        for r in cells
    ]
    broken = tuple(
        name for name, r in zip(names, cells, strict=True) if float(r[f"{wrong}_low99"]) > ALPHA
    )
    worst = max(range(len(cells)), key=lambda i: share(cells[i], wrong))
    words = f"kappa, falsely {wrong}: the 99 % Monte Carlo lower limit is at most {ALPHA}"
    return Claim(words, len(cells), names[worst], broken, binding=False)


def planted_claim(rows: list[Row]) -> Claim:
    """Return the claim that each planted figure is found in at least `least` of the seeds."""
    names = [f"{r['judge']}, {r['measure']}: {r['hits']} of {r['seeds']}" for r in rows]
    broken = tuple(
        name for name, r in zip(names, rows, strict=True) if int(r["hits"]) < int(r["least"])
    )
    worst = min(range(len(rows)), key=lambda i: int(rows[i]["hits"]))
    words = "planted defects (synthetic): 95 % intervals contain the truth in at least 182 of 200"
    return Claim(words, len(rows), names[worst], broken)


def all_claims(
    rates: list[Row], beyond: list[Row], kappa: list[Row], planted: list[Row]
) -> tuple[Claim, ...]:
    """Return every claim; the binding ones decide the exit code."""
    return (
        error_claim(rates, "approved"),
        error_claim(rates, "rejected"),
        kappa_claim(kappa, "approved"),
        kappa_claim(kappa, "rejected"),
        planted_claim(planted),
        error_claim(beyond, "approved", where="beyond the grid"),
    )
