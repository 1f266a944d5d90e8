"""`python -m simulations`: make the evidence and check its claims.

python -m simulations            make what is missing or out of date, then check
python -m simulations --fresh    make everything again
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from simulations import report
from simulations.claims import all_claims
from simulations.parts import WORKERS, Evidence, parts

FOLDER = Path(__file__).parent.parent / "docs" / "evidence"


def main() -> int:
    """Return 0 when every binding claim holds, else 1."""
    parser = argparse.ArgumentParser(prog="python -m simulations", description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="make every part again")
    parser.add_argument("--out", type=Path, default=FOLDER, help="the folder of the evidence")
    asked = parser.parse_args()
    evidence = Evidence(asked.out)
    make(evidence, fresh=asked.fresh)
    return write(evidence)


def make(evidence: Evidence, *, fresh: bool) -> None:
    """Make the parts that do not stand."""
    with ProcessPoolExecutor(WORKERS) as pool:
        for part in parts():
            if not fresh and evidence.stands(part):
                print(f"{part.name}: stands")
                continue
            evidence.make(part, pool)
            print(f"{part.name}: {evidence.read_manifest()[part.name]['seconds']} s", flush=True)


def write(evidence: Evidence) -> int:
    """Write the pages, print the claims and return the exit code."""
    rows = {part.name: evidence.rows(part) for part in parts()}
    rates = [row for name, found in rows.items() if name.startswith("error-") for row in found]
    claims = all_claims(rates, rows["beyond-the-grid"], rows["kappa"], rows["planted-defects"])
    pages = {
        "README.md": report.readme(evidence.read_manifest(), claims),
        "error-rates.md": report.error_rates(rates, claims[:2]),
        "error-rates-grid.md": report.error_grid(rates),
        "beyond-the-grid.md": report.beyond_page(rows["beyond-the-grid"], claims[5]),
        "kappa.md": report.kappa_page(rows["kappa"], claims[2:4]),
        "coverage.md": report.coverage_page(rows["coverage"]),
        "planted-defects.md": report.planted_page(rows["planted-defects"], claims[4]),
    }
    for name, text in pages.items():
        (evidence.folder / name).write_text(text, encoding="utf-8")
    print(report.claims_text(claims))
    return 0 if all(claim.holds for claim in claims if claim.binding) else 1


if __name__ == "__main__":
    sys.exit(main())
