"""The progress line of a run, on stderr: done, rate, cost and the time left."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from judgekit.cli.output import say

if TYPE_CHECKING:
    from judgekit.model.trial import Trial
    from judgekit.runs.report import Progress

TERMINAL_INTERVAL_S = 0.2
PIPE_INTERVAL_S = 10.0
MOST_REASON = 200
"""So many characters of a trial's error are shown."""


class ProgressLine:
    """Show progress a few times a second on a terminal, every ten seconds in a pipe."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._interval_s = TERMINAL_INTERVAL_S if self._live else PIPE_INTERVAL_S
        self._next = time.monotonic() + self._interval_s
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Take one moment of the run; print it when the last print is long enough ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._interval_s
        self._shown = True
        text = progress_text(progress)
        if self._live:
            print(f"\r\x1b[2K{text}", end="", file=sys.stderr, flush=True)
        else:
            say(text)

    def close(self) -> None:
        """Leave the line."""
        if self._live and self._shown:
            print(file=sys.stderr)


def progress_text(progress: Progress) -> str:
    """Return one line: `120/500 done (20 cached, 1 failed), 14.2/s, 0.0310 USD, 27 s left`."""
    total = "" if progress.total is None else f"/{progress.total}"
    text = (
        f"{progress.done}{total} done ({progress.cached} cached, {progress.failed} failed), "
        f"{progress.per_second:.1f}/s, {progress.cost_usd:.4f} USD"
    )
    return text if progress.eta_s is None else f"{text}, {_span(progress.eta_s)} left"


def trial_text(trial: Trial, made: int) -> str:
    """Return one line: `case teapot trial 0 crashed (3 made): exit code 2. no such file`."""
    ending = trial.ending or "finished"
    text = f"case {trial.case_id} trial {trial.number} {ending} ({made} made)"
    return f"{text}: {_shortened(' '.join(trial.error.split()))}" if trial.error else text


def _shortened(reason: str) -> str:
    """Return a reason with its middle left out where it is long: a traceback names it last."""
    if len(reason) <= MOST_REASON:
        return reason
    return f"{reason[: MOST_REASON // 4]} ... {reason[-MOST_REASON * 3 // 4 :]}"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
