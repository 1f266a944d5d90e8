"""What played tools say, as plain text: the agent's share of the variance, and tricky results."""

from __future__ import annotations

from judgekit.process.perturb_report import PerturbReport
from judgekit.render.text import one_line, table, visible
from judgekit.render.words import figure_text
from judgekit.stats.estimate import Undefined
from judgekit.stats.variance_share import VarianceShare


def variance_text(found: VarianceShare | Undefined) -> str:
    """Return the share of the variance that is the agent's, as text that ends with a line feed."""
    if isinstance(found, Undefined):
        return f"agent's share of the variance: undefined ({found.undefined})\n"
    rows = [
        ["variance within a case, live", f"{found.live:.4f}"],
        ["with tools that answer alike", f"{found.replayed:.4f}"],
        ["the agent's share", figure_text(found.agent_share)],
    ]
    head = f"variance of correctness over the trials of a case ({found.n_cases} cases)"
    return visible(f"{head}\n\n{table(rows)}\n\n{_meaning(found)}") + "\n"


def perturb_text(report: PerturbReport) -> str:
    """Return what the agent did after a changed result, as text that ends with a line feed."""
    head = (
        f"{one_line(report.tool)} answers {report.how}: met in {report.n_met} of "
        f"{report.n_trials} trials"
    )
    steps = [["what came next", "trials"]]
    steps += [[step, str(n)] for step, n in report.next_steps.items()]
    figures = [
        ["", "with it", "the same trials as recorded"],
        ["correct", figure_text(report.correct), figure_text(report.correct_live)],
    ]
    for kind in sorted({*report.faults, *report.faults_live}):
        met, live = report.faults.get(kind, 0), report.faults_live.get(kind, 0)
        figures.append([one_line(kind), f"{met} of {report.n_met}", f"{live} of {report.n_live}"])
    endings = ", ".join(f"{n} {name}" for name, n in report.endings.items())
    parts = [head, table(steps), table(figures), f"endings: {endings}" if endings else ""]
    return visible("\n\n".join(part for part in parts if part)) + "\n"


def _meaning(found: VarianceShare) -> str:
    share = found.agent_share
    if isinstance(share, Undefined):
        return f"nothing to divide: {share.undefined}"
    return (
        f"about {share.value:.0%} of the variance stays when tools answer alike: that part is the "
        "agent's own; the rest comes from its tools"
    )
