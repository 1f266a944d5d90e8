"""The Markdown of the evidence, from the rows and the claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from simulations import grid, kappa
from simulations.claims import Claim, Row, allows, share

NOT_COVERED = """\
- Groups in which the share of human fails and the error rate go together: both are drawn
  independently, the share from a Beta with correlation 0.3.
- Groups of very different labelled sizes beyond what that share makes (random and stratified
  designs), and correlations above 0.3: the declared assumption of the rule is 0.3.
- Labels that are wrong. The human label is taken as the truth.
- More than 500 labels or groups of more than 10 are shown in beyond-the-grid.md and not claimed.
- Items chosen because the judge was wrong on them, or targeted labels: refused, not simulated.
- Several slices or criteria (Holm), and the anytime e-value.
- In the stratified design the share of judge passes is taken as known, groups are large against
  their labelled part, and only the false-pass rate is looked at
  (the false-fail rate mirrors it).
- kappa: two labels, both raters with the same share of fails, one look, the limit 0.6.
- Judges that change between looks. Looks are at growing prefixes of one sample."""


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def claims_text(claims: Sequence[Claim]) -> str:
    """Return each claim with its outcome and every cell that breaks it."""
    parts = []
    for claim in claims:
        state = "holds" if claim.holds else "DOES NOT HOLD"
        note = "" if claim.binding else " (shown, not binding)"
        parts.append(f"- {claim.words}{note}: **{state}** over {claim.cells} cells. "
                     f"Worst: {claim.worst}.")  # fmt: skip
        parts += [f"  - broken: {cell}" for cell in claim.broken]
    return "\n".join(parts)


def worst_table(rows: list[Row], wrong: str) -> str:
    """Return the worst wrong outcome by design, condition, groups and looks."""
    kinds: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    names = ("design", "condition", "group_size", "icc", "looks")
    for row in rows:
        if allows(row, wrong) and (row["group_size"] != "1" or row["icc"] == "0.0"):
            kinds[tuple(row[name] for name in names)].append(row)
    lines = []
    for key, cells in kinds.items():
        worst = max(cells, key=lambda row: share(row, wrong))
        where = f"n {worst['n']}, limit {worst['limit']}, rate {worst['rate']}, fails "
        lines.append(
            [*key, len(cells), f"{share(worst, wrong):.4f}", worst[f"{wrong}_low99"],
             where + worst["share"]]
        )  # fmt: skip
    header = (
        "design",
        "condition",
        "group size",
        "ICC",
        "looks",
        "cells",
        f"worst falsely {wrong}",
    )
    return table((*header, "at least (99 %)", "where"), lines)


def power_table(rows: list[Row]) -> str:
    """Return right decisions with one look: approval at half the limit, rejection at twice."""
    found: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for row in rows:
        ratio = round(float(row["rate"]) / float(row["limit"]), 9)
        if row["design"] == "one class" and row["looks"] == "1" and ratio != 1:
            key = tuple(row[name] for name in ("n", "group_size", "icc"))
            column = "approved" if ratio < 1 else "rejected"
            found[key][f"{column} {row['limit']}"] = share(row, column)
    columns = ["approved 0.05", "approved 0.1", "rejected 0.05", "rejected 0.1"]
    lines = [[*key, *(f"{cells[c]:.3f}" for c in columns)] for key, cells in found.items()]
    return table(("labels of the class", "group size", "ICC", *columns), lines)


def withheld_table(rows: list[Row]) -> str:
    """Return the grids whose groups are fewer than ten in every replicate, approval withheld."""
    sizes: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        sizes[row["design"], row["n"], row["group_size"]].append(row)
    lines = []
    for (design, n, size), cells in sizes.items():
        held = [share(row, "withheld") for row in cells]
        if max(held) > 0:
            whole = sum(x == 1 for x in held)
            approvals = sum(int(row["approved"]) for row in cells if share(row, "withheld") == 1)
            mean = f"{sum(held) / len(held):.3f}"
            lines.append([design, n, size, int(n) // int(size), len(cells), whole, mean, approvals])
    header = ("design", "n", "group size", "groups", "cells", "withheld in every replicate")
    return table((*header, "mean share withheld", "approvals where always withheld"), lines)


def grid_table(rows: list[Row]) -> str:
    """Return false approval at the limit and at twice the limit in every cell of the grid."""
    found: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for row in rows:
        if allows(row, "approved"):
            names = ("design", "condition", "n", "share", "icc", "group_size")
            at = found[tuple(row[name] for name in names)]
            column = f"{row['limit']} x{row['looks']}"
            mark = "w" if share(row, "withheld") == 1 else ""
            shown = f"{share(row, 'approved'):.4f}{mark}"
            first = row["rate"] == row["limit"]
            at[column] = f"{shown} / {at.get(column, '')}" if first else at.get(column, "") + shown
    columns = [f"{limit} x{looks}" for limit in grid.LIMITS for looks in grid.LOOKS]
    lines = [[*key, *(cells[c] for c in columns)] for key, cells in found.items()]
    return table(("design", "condition", "n", "fails", "ICC", "group", *columns), lines)


def plain_table(rows: list[Row]) -> str:
    """Return rows as they are."""
    return table(tuple(rows[0]), [tuple(row.values()) for row in rows])


def error_rates(rows: list[Row], claims: Sequence[Claim]) -> str:
    """Return error-rates.md."""
    return "\n\n".join([
        "# False approval and false rejection of the error-rate conditions",
        f"{grid.REPLICATES:,} replicates a cell, seed {grid.SEED}, level {grid.ALPHA}. n counts"
        " labels: in the random and stratified designs of both classes, in the design `one class`"
        " of the class that is the condition's denominator. An approval at any of the looks"
        " counts. `both` asks for both error rates at once and rejects at half the level each.",
        claims_text(claims),
        "## Worst false approval (true rate at or above the limit)", worst_table(rows, "approved"),
        "## Worst false rejection (true rate at or below the limit)",
        worst_table(rows, "rejected"),
        "## Right decisions, one look, design `one class`",
        "Approved where the true rate is half the limit; rejected where it is twice the limit.",
        power_table(rows),
        "## Approval withheld by design", "Fewer than 10 groups with a label of the class."
        " Shown with their approvals; every other outcome of these cells is in the tables.",
        withheld_table(rows),
    ]) + "\n"  # fmt: skip


def error_grid(rows: list[Row]) -> str:
    """Return error-rates-grid.md."""
    return "\n\n".join([
        "# False approval in every cell",
        "Each entry: share approved at a true rate equal to the limit / at twice the limit."
        " Columns: limit x looks. `w`: approval is withheld by design in every replicate (fewer"
        " than 10 groups). The counts, with rejections and half the limit, are in `data/`.",
        grid_table(rows),
    ]) + "\n"  # fmt: skip


def beyond_page(rows: list[Row], claim: Claim) -> str:
    """Return beyond-the-grid.md."""
    return "\n\n".join([
        "# Beyond the grid: more labels, larger groups",
        f"Labels of one class in equal groups, the true rate at its limit; {grid.REPLICATES:,}"
        f" replicates, seed {grid.SEED}. The grid ends at 500 labels and groups of 10."
        " Once 15 groups hold an error the rule trusts plain Korn-Graubard. With 50 to 100 groups"
        " of 20 that is too early: approvals at the limit come somewhat more often than the level."
        " Groups that large are not covered by the claim.",
        claims_text([claim]), plain_table(rows),
    ]) + "\n"  # fmt: skip


def kappa_page(rows: list[Row], claims: Sequence[Claim]) -> str:
    """Return kappa.md."""
    return "\n\n".join([
        "# The condition on kappa and its interval",
        f"Limit {kappa.LIMIT}; {kappa.REPLICATES:,} replicates of {kappa.DRAWS:,} draws, seed"
        f" {grid.SEED}. Groups of one: Dirichlet(counts + 0.5). Else the wider of group jackknife"
        " and Dirichlet(counts/design effect). `covered95`: two-sided 95 % interval, where kappa"
        " is defined; `missed_low`: the lower bound lies above the truth (nominal 0.025);"
        " `dirichlet95` and `jackknife95`: either method alone, the latter where it is estimable"
        " (for groups of one it is shown and not used). Rejection on kappa is seen to err more"
        " often than its level with few independent items: the upper Dirichlet bound is short.",
        claims_text(claims), plain_table(rows),
    ]) + "\n"  # fmt: skip


def coverage_page(rows: list[Row]) -> str:
    """Return coverage.md."""
    return "\n\n".join([
        "# Coverage of the 95 % intervals of one rate",
        f"Independent items: exact sums of binomial terms. Groups: {grid.REPLICATES:,} replicates,"
        f" seed {grid.SEED}, beta-binomial groups of one size, n* of the decision. Wilson is for"
        " display; it may fall short of 0.95. The decision rests on Clopper-Pearson.",
        plain_table(rows),
    ]) + "\n"  # fmt: skip


def planted_page(rows: list[Row], claim: Claim) -> str:
    """Return planted-defects.md."""
    return "\n\n".join([
        "# Planted defects (synthetic)",
        "Synthetic judges with known error rates; labels of origin `synthetic`; read by"
        " `calibrate`. Nothing here is evidence about a real judge.",
        claims_text([claim]), plain_table(rows),
    ]) + "\n"  # fmt: skip


def how_to_read(manifest: dict[str, Any], claims: Sequence[Claim]) -> str:
    """Return what "holds" means and which rows each claim is tested on."""
    rows = sum(entry["rows"] for name, entry in manifest.items() if name.startswith("error-rates"))
    return (
        '"Holds" means: in no tested cell does the 99 % Monte Carlo lower limit of the simulated'
        f" share lie above {grid.ALPHA}, so the simulation does not refute the claim. It is not"
        f" shown that the true share is at most {grid.ALPHA} in every cell.\n\nThe error rates have"
        f" {rows:,} rows: a third each with the true rate at half the limit, at the limit and at"
        " twice the limit. An approval is wrong at or above the limit and a rejection at or below"
        f" it, so {claims[0].cells:,} of the {rows:,} rows are tested for false approval and"
        f" {claims[1].cells:,} for false rejection; in the rest that outcome is right and shows"
        f" power. Every kappa cell is at the limit {kappa.LIMIT} of the condition: nothing is"
        " shown about another limit."
    )


def readme(manifest: dict[str, Any], claims: Sequence[Claim]) -> str:
    """Return README.md: command, seed, machine, duration, results and what is not covered."""
    seconds = sum(entry["seconds"] for entry in manifest.values())
    machines = sorted({entry["machine"] for entry in manifest.values()})
    lines = [
        [name, entry["settings"], entry["rows"], entry["seconds"], entry["code"]]
        for name, entry in manifest.items()
    ]
    return "\n\n".join([
        "# Evidence: does the decision keep its error rate?",
        "Written by `make simulate`; do not edit. It leaves a part alone when its code and its"
        " file are unchanged; `python -m simulations --fresh` makes everything again. Exit 1 when"
        " a binding claim does not hold.",
        f"Seed {grid.SEED} (each cell has its own stream from it). Machine: {'; '.join(machines)}."
        f" Duration of all parts: {seconds / 60:.1f} minutes.",
        "## Claims", how_to_read(manifest, claims), claims_text(claims),
        "## Files", "- [error-rates.md](error-rates.md): false approval and false rejection, the"
        " worst cells, power, cells withheld by design\n- [error-rates-grid.md]"
        "(error-rates-grid.md): every cell\n- [beyond-the-grid.md](beyond-the-grid.md): more labels"
        " and larger groups, where the rule is seen to fail\n- [kappa.md](kappa.md)\n"
        "- [coverage.md](coverage.md)\n"
        "- [planted-defects.md](planted-defects.md)\n- `data/`: the counts as CSV,"
        " and `manifest.json`",
        "## What the simulation does not cover", NOT_COVERED,
        "## Parts", table(("part", "settings", "rows", "seconds", "code"), lines),
    ]) + "\n"  # fmt: skip
