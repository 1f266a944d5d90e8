"""Record the local model's verdicts over the whole set, so that a demo need not wait for them.

Runs `judgekit run --grader local-gemma` (which resumes where it was stopped) and writes what the
journal then holds to `verdicts/local-gemma.jsonl`, with `verdicts/local-gemma.recorded.json`
beside it: fingerprint, hash of the weights, engine, date and number of items.

    python annotations/refund_desk/record_local.py            # run, then write
    python annotations/refund_desk/record_local.py --no-run   # write what is there
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from judgekit.cli.main import run_cli  # noqa: E402
from judgekit.model.verdict import Verdict  # noqa: E402
from judgekit.store.files import atomic_write  # noqa: E402
from judgekit.store.journal import Journal, read_verdict_journal  # noqa: E402
from judgekit.store.workspace import find_workspace  # noqa: E402
from judgekit.wiring import build_grader, journal_dir, load_verdicts  # noqa: E402

GRADER = "local-gemma"


def recorded_line(verdict: Verdict) -> bytes:
    """Return the verdict as one line; what was sent and how long it took on one machine go."""
    slim = verdict.model_copy(update={"sent": {}, "attempts": (), "latency_s": None})
    return slim.model_dump_json(exclude_defaults=True).encode("utf-8") + b"\n"


def seed_journal() -> None:
    """Give the journal the verdicts already recorded, so that a fresh clone resumes them."""
    workspace = find_workspace(ROOT)
    fingerprint = build_grader(workspace, GRADER).fingerprint.value
    path = journal_dir(workspace) / f"{GRADER}.jsonl"
    known = {v.item_id for v in read_verdict_journal(path, fingerprint)}
    recorded = read_verdict_journal(HERE / "verdicts" / f"{GRADER}.jsonl", fingerprint)
    with closing(Journal(path)) as journal:
        for verdict in recorded:
            if verdict.item_id not in known:
                journal.append(verdict)


def main() -> int:
    """Run the judge over both splits and write the record."""
    parser = argparse.ArgumentParser(description="Record the local model's verdicts.")
    parser.add_argument("--no-run", action="store_true", help="write what the journal holds")
    if not parser.parse_args().no_run:
        seed_journal()
        for split in ("holdout", "development"):
            where = ["--workspace", str(ROOT), "--split", split, "--concurrency", "1"]
            code = run_cli(["run", "--grader", GRADER, *where])
            if code not in (0, 3):
                return code
    workspace = find_workspace(ROOT)
    fingerprint = build_grader(workspace, GRADER).fingerprint
    dataset = workspace.dataset()
    verdicts = sorted(
        load_verdicts(workspace, GRADER, fingerprint.value, dataset), key=lambda v: v.item_id
    )
    about = {
        "schema": 1,
        "grader": GRADER,
        "recorded": True,
        "recorded_on": datetime.now(UTC).date().isoformat(),
        "fingerprint": fingerprint.value,
        "weights": fingerprint.components["weights"],
        "engine": fingerprint.components["engine"],
        "items": len(verdicts),
        "items_in_dataset": len(dataset.items),
    }
    folder = HERE / "verdicts"
    lines = b"".join(recorded_line(v) for v in verdicts)
    atomic_write(folder / f"{GRADER}.jsonl", lines)
    atomic_write(folder / f"{GRADER}.recorded.json", (json.dumps(about, indent=1) + "\n").encode())
    print(f"{len(verdicts)} of {len(dataset.items)} items recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
