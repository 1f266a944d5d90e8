"""The parts of the evidence: each one CSV file, made once and kept while its code stands."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import scipy

import judgekit.stats
from simulations import beyond, coverage, grid, kappa, planted, rates

Row = tuple[Any, ...]
RATES = ("grid.py", "bounds.py", "draw.py", "rates.py", "intervals.py", "decision.py")
CODE = {
    "error-rates": RATES,
    "beyond-the-grid": (*RATES, "beyond.py"),
    "kappa": ("grid.py", "bounds.py", "kappa.py", "intervals.py", "agreement.py"),
    "coverage": ("grid.py", "bounds.py", "draw.py", "coverage.py", "intervals.py"),
    "planted-defects": ("grid.py", "draw.py", "planted.py", "intervals.py", "agreement.py"),
}
"""The files each kind of part is made by: of this folder, or else of judgekit/stats."""
WORKERS = 2


@dataclass(frozen=True)
class Part:
    """One CSV file: its columns, what is simulated and how one of these gives rows."""

    name: str
    header: tuple[str, ...]
    tasks: Sequence[Any]
    simulate: Callable[[Any], list[Row]]
    settings: str


def parts() -> tuple[Part, ...]:
    """Return every part, the ones the claim rests on first."""
    found = [
        Part(
            f"error-rates-{design.replace(' ', '-')}-n{n}", rates.HEADER, grid.truths(design, n),
            partial(rates.simulate, design), f"{grid.REPLICATES} replicates",
        )
        for design in grid.DESIGNS
        for n in grid.SIZES
    ]  # fmt: skip
    beyond_settings = f"{grid.REPLICATES} replicates"
    found.append(
        Part("beyond-the-grid", rates.HEADER, beyond.truths(), beyond.simulate, beyond_settings)
    )
    draws = f"{kappa.REPLICATES} replicates of {kappa.DRAWS} draws"
    found.append(Part("kappa", kappa.HEADER, kappa.truths(), kappa.simulate, draws))
    cover = f"exact; {grid.REPLICATES} replicates where grouped"
    found.append(Part("coverage", coverage.HEADER, coverage.EVERYTHING, coverage.simulate, cover))
    seeds = f"{planted.SEEDS} seeds"
    found.append(Part("planted-defects", planted.HEADER, planted.JUDGES, planted.simulate, seeds))
    return tuple(found)


def code_hash(part: Part) -> str:
    """Return the hash of the code that the part's numbers come from."""
    here, stats = Path(__file__).parent, Path(judgekit.stats.__file__).parent
    names = next(files for kind, files in CODE.items() if part.name.startswith(kind))
    files = [here / name if (here / name).exists() else stats / name for name in names]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()[:16]


class Evidence:
    """The folder of results; `manifest.json` says what made each of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.manifest = self.data / "manifest.json"

    def read_manifest(self) -> dict[str, Any]:
        """Return what is known about each part."""
        if not self.manifest.exists():
            return {}
        found: dict[str, Any] = json.loads(self.manifest.read_text(encoding="utf-8"))
        return found

    def rows(self, part: Part) -> list[dict[str, str]]:
        """Return the rows of one part as text."""
        with (self.data / f"{part.name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def stands(self, part: Part) -> bool:
        """Tell whether the part was made by this code and its file is untouched."""
        entry, file = self.read_manifest().get(part.name), self.data / f"{part.name}.csv"
        if entry is None or not file.exists():
            return False
        return bool(entry["code"] == code_hash(part) and entry["sha256"] == _sha256(file))

    def make(self, part: Part, pool: ProcessPoolExecutor) -> None:
        """Simulate one part and record it."""
        self.data.mkdir(parents=True, exist_ok=True)
        started, file = time.perf_counter(), self.data / f"{part.name}.csv"
        code = code_hash(part)
        lines = [row for rows in pool.map(part.simulate, part.tasks) for row in rows]
        with file.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(part.header)
            writer.writerows(lines)
        entry = {
            "seed": grid.SEED, "settings": part.settings, "rows": len(lines), "code": code,
            "seconds": round(time.perf_counter() - started, 1), "sha256": _sha256(file),
            "machine": machine(),
        }  # fmt: skip
        known = {**self.read_manifest(), part.name: entry}
        self.manifest.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def machine() -> str:
    """Return the class of machine and the versions that matter."""
    versions = (
        f"Python {platform.python_version()}, numpy {numpy.__version__}, scipy {scipy.__version__}"
    )
    return f"{platform.machine()}, {os.cpu_count()} cores, {WORKERS} processes, {versions}"


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
