"""Write docs/reference/statistics.md from the registry and the sources that the vectors name.

Needs ../shared/vectors beside the repository: python docs/generate_statistics.py
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import Any

from judgekit.stats.registry import statistics

ROOT = Path(__file__).resolve().parents[1]
VECTORS = ROOT.parent / "shared" / "vectors"
PAGE = ROOT / "docs" / "reference" / "statistics.md"
TABLES = {"vector_agreement": "AGREEMENT", "vector_audits": "AUDITS", "vector_rates": "RATES"}
NOTES = re.compile(r"STATISTICS sections? (\d)(?: and \d)? of this project")
EVIDENCE = "[the evidence on kappa](../evidence/kappa.md)"
RULE = "[the decision rule](../concepts/decision-rule.md)"
LINKS = {"1": EVIDENCE, "9": EVIDENCE, "2": RULE, "3": RULE}
ALONE = "independent implementation of the formula only"
HEAD = """<!-- written by docs/generate_statistics.py -->

# Statistics

Each statistic is a pure function in `judgekit.stats`: arrays and counts in, `Estimate` or
`Undefined` out. `judgekit.stats.registry.statistics()` lists them by name with the laws they keep;
`tests/laws` checks each law on random data (`swap`: exchanging the two raters or judges changes
nothing; `swap negates`: it turns the sign). A docstring says formula, source, shapes, range, what
is undefined, the interval and its known weakness, and holds an example that runs.

```python
from judgekit.stats.confusion import Confusion
from judgekit.stats.registry import statistics

table = Confusion(labels=("pass", "fail"), rows=((45, 5), (8, 42)))
assert round(statistics()["cohen_kappa"].function(table).value, 2) == 0.74
```

## What is checked against what

Each case of a vector file was made by an independent implementation of the published formula (or
by the first tool named); the tools in the last column gave the same value for the fields in
brackets. All cases pass through the registry within their tolerance
(`tests/stats/test_all_vectors.py`).

| vectors | cases | statistics | second tool that agrees |
| --- | --- | --- | --- |
"""
LIST = """
## All statistics

"Second tool" repeats the whole row above, which may hold several statistics: a tool speaks only for
the fields in its brackets, and a statistic with no field there was checked against the independent
implementation alone. Where no vector covers a statistic, the tests beside it (`tests/stats`) hold
published or hand-computed values.

| statistic | function | kind | laws | source | second tool |
| --- | --- | --- | --- | --- | --- |
"""


def agreeing(sources: list[str]) -> str:
    """Return the tools that sources name, each with the fields it agrees on."""
    fields: dict[str, set[str]] = defaultdict(set)
    for source in sources:
        for part in re.split(r"; |, (?![^\[(]*[\])])", source):
            name, _, inside = part.removeprefix("agrees: ").partition(" [")
            if not name.startswith(("independent", "two seeds")):
                fields[name] |= set(inside.rstrip("]").split("/")) - {""}
    told = [f"{name} [{', '.join(sorted(f))}]" if f else name for name, f in fields.items()]
    return "; ".join(told) or ALONE


def adapters() -> dict[str, tuple[str, ...]]:
    """Return the statistics that the tests ask for each vector file."""
    found: dict[str, Any] = {}
    sys.path.insert(0, str(ROOT / "tests" / "stats"))
    try:
        for module, table in TABLES.items():
            found |= getattr(import_module(module), table)
    finally:
        sys.path.pop(0)
    return {name: asked for name, (_, asked) in sorted(found.items())}


def cell(text: str) -> str:
    """Return text that cannot break a table."""
    text = NOTES.sub(lambda found: LINKS[found[1]], " ".join(text.split()))
    return text.replace("|", "\\|").replace("<", "&lt;")


def page() -> str:
    """Return the whole page."""
    tools: dict[str, list[str]] = defaultdict(list)
    first, second = [], []
    for name, asked in adapters().items():
        cases: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text())["cases"]
        agreed = agreeing([case["source"] for case in cases])
        names = ", ".join(f"`{one}`" for one in asked)
        first.append(f"| {name} | {len(cases)} | {names} | {cell(agreed)} |")
        for one in asked:
            tools[one].append(f"vectors {name}" if agreed == ALONE else f"vectors {name}: {agreed}")
    for entry in statistics().values():
        path = entry.path.removeprefix("judgekit.stats.")
        told = cell("; ".join(tools[entry.name])) or "no vector"
        laws = ", ".join(law.replace("_", " ") for law in entry.laws)
        row = [f"`{entry.name}`", f"`{path}`", entry.kind, laws or "-", cell(entry.source), told]
        second.append(f"| {' | '.join(row)} |")
    return HEAD + "\n".join(first) + "\n" + LIST + "\n".join(second) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
