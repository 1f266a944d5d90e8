"""The committed evidence is whole, made by what is in the repository, and shows what it claims."""

from __future__ import annotations

import csv
import hashlib
import json
from itertools import product
from pathlib import Path

import pytest

from judgekit.stats.intervals import clopper_pearson
from simulations import grid
from simulations.claims import all_claims, allows
from simulations.parts import parts
from simulations.rates import HEADER, simulate
from simulations.report import readme

EVIDENCE = Path(__file__).parents[2] / "docs" / "evidence"
Row = dict[str, str]


def read(name: str) -> list[Row]:
    with (EVIDENCE / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def error_rates() -> list[Row]:
    names = [part.name for part in parts() if part.name.startswith("error-rates")]
    return [row for name in names for row in read(name)]


def test_every_cell_of_the_full_grid_is_there_with_20_000_replicates() -> None:
    rows = error_rates()
    names = ("design", "condition", "n", "limit", "rate", "share", "icc", "group_size", "looks")
    seen = {tuple(row[name] for name in names) for row in rows}
    for design, condition in (("random", "false pass"), ("random", "false fail"),
                              ("random", "both"), ("stratified", "false pass")):  # fmt: skip
        for n, limit, ratio, share, icc, size, looks in product(
            grid.SIZES, grid.LIMITS, grid.RATIOS, grid.SHARES, grid.ICCS, grid.GROUP_SIZES,
            grid.LOOKS,
        ):  # fmt: skip
            rate = round(limit * ratio, 9)
            key = (n, limit, rate, share, icc, size, looks)
            assert (design, condition, *map(str, key)) in seen
    assert len(seen) == len(rows)
    assert {row["replicates"] for row in rows} == {"20000"}


def test_the_99_percent_limit_is_recomputed_from_the_counts_and_at_most_alpha() -> None:
    rows = [row for row in error_rates() if float(row["rate"]) >= float(row["limit"])]
    highest = max(int(row["approved"]) for row in rows)
    assert clopper_pearson(highest, 20_000, 0.01).low <= 0.05
    for row in rows[::97]:
        low = clopper_pearson(int(row["approved"]), 20_000, 0.01).low
        assert float(row["approved_low99"]) == pytest.approx(low, abs=1e-5)


def test_every_binding_claim_holds_on_the_committed_counts() -> None:
    claims = all_claims(
        error_rates(), read("beyond-the-grid"), read("kappa"), read("planted-defects")
    )
    assert [claim.words for claim in claims if claim.binding and not claim.holds] == []


def test_cells_where_approval_is_withheld_are_shown() -> None:
    held = [row for row in error_rates() if row["withheld"] == row["replicates"]]
    assert len(held) > 100
    assert {row["approved"] for row in held} == {"0"}


@pytest.mark.parametrize(
    ("design", "truth"),
    [
        ("random", grid.Truth(200, 0.10, 0.5, 0.3, 10)),
        ("stratified", grid.Truth(100, 0.05, 0.2, 0.0, 1)),
        ("one class", grid.Truth(500, 0.05, 1.0, 0.1, 5)),
    ],
)
def test_a_cell_made_again_gives_the_committed_counts(design: str, truth: grid.Truth) -> None:
    name = f"error-rates-{design.replace(' ', '-')}-n{truth.n}"
    committed = [tuple(row.values()) for row in read(name)]
    for row in simulate(design, truth):
        assert tuple(map(str, row)) in committed
    assert len(HEADER) == len(committed[0])


def test_the_manifest_names_seed_and_hash_of_every_file() -> None:
    manifest = json.loads((EVIDENCE / "data" / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest) == {part.name for part in parts()}
    for name, entry in manifest.items():
        content = (EVIDENCE / "data" / f"{name}.csv").read_bytes()
        assert entry["seed"] == grid.SEED
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()
        assert entry["seconds"] > 0


def test_the_page_says_what_holds_means_and_which_rows_each_claim_is_tested_on() -> None:
    page = (EVIDENCE / "README.md").read_text(encoding="utf-8")
    rows = error_rates()
    for wrong in ("approved", "rejected"):
        tested = sum(allows(row, wrong) for row in rows)
        assert f"{tested:,} " in page.split("## Files")[0]
    assert f"{len(rows):,} rows" in page
    assert "the simulation does not refute the claim" in page
    assert "Every kappa cell is at the limit 0.6" in page


def test_the_committed_page_is_what_the_generator_writes() -> None:
    manifest = json.loads((EVIDENCE / "data" / "manifest.json").read_text(encoding="utf-8"))
    found = all_claims(
        error_rates(), read("beyond-the-grid"), read("kappa"), read("planted-defects")
    )
    assert (EVIDENCE / "README.md").read_text(encoding="utf-8") == readme(manifest, found)
