"""A release as it would be written: the difference in lines, agreement, and its hash."""

from __future__ import annotations

import streamlit as st

from judgekit.calibration.self_agreement import Relabel, self_agreement
from judgekit.model.label import OVERALL
from judgekit.store.label_files.released.release import ReleasePreview
from parts.calibrate_figures import figure_words
from parts.page import OpenPage
from parts.plain_words import PlainTable, show_table

MOST_LINES = 200


def show_release(page: OpenPage, found: ReleasePreview, *, key: str = "release") -> None:
    """Draw what would be released."""
    waiting = page.store.adjudication.counts(found.project).open
    show_table(_summary(found, waiting), key=f"{key}-summary")
    show_table(_counts(found), key=f"{key}-counts")
    _lines(found)
    show_table(_agreement(found), key=f"{key}-agreement")
    table = _repeats(page, found.project)
    if table is not None:
        show_table(table, key=f"{key}-repeats")
    if found.exclusions:
        rows = tuple((e.item_id, e.criterion, e.reason) for e in found.exclusions)
        head = ("item", "criterion", "reason")
        show_table(PlainTable("Excluded, with the reason", head, rows), key=f"{key}-exclusions")


def _summary(found: ReleasePreview, waiting: int) -> PlainTable:
    rows = (
        ("version", found.version),
        ("labels.jsonl", found.sha256),
        ("labels", str(len(found.labels))),
        ("items that still wait for adjudication", str(waiting)),
        ("place in the log", str(found.last_seq)),
        *(
            (f"left out: {reason.replace('_', ' ')}", str(n))
            for reason, n in found.left_out.items()
        ),
    )
    return PlainTable("What would be written", ("what", "value"), rows)


def _counts(found: ReleasePreview) -> PlainTable:
    diff = found.diff
    rows = (
        ("added", str(len(diff.added))),
        ("changed", str(len(diff.changed))),
        ("removed", str(len(diff.removed))),
        ("of the removed: excluded", str(len(diff.excluded))),
    )
    return PlainTable("Lines against the last release", ("line", "count"), rows)


def _lines(found: ReleasePreview) -> None:
    diff = found.diff
    changed = [line for before, after in diff.changed for line in (f"- {before}", f"+ {after}")]
    lines = [*changed, *(f"- {x}" for x in diff.removed), *(f"+ {x}" for x in diff.added)]
    if not lines:
        st.text("No line differs from the last release.")
        return
    with st.expander("The lines that differ"):
        st.code(
            "\n".join(line.rstrip("\n") for line in lines[:MOST_LINES]),
            language=None,
            wrap_lines=True,
        )
        if len(lines) > MOST_LINES:
            st.text(f"{MOST_LINES} of {len(lines)} lines.")


def _agreement(found: ReleasePreview) -> PlainTable:
    rows = tuple(
        (
            "the whole" if name == OVERALL else name,
            figure_words(unit.kappa),
            figure_words(unit.agreement),
        )
        for name, unit in found.agreement.items()
    )
    head = ("criterion", "kappa (interval, n)", "same answer (interval, n)")
    return PlainTable("People with each other", head, rows or (("-", "no two people yet", "-"),))


def _repeats(page: OpenPage, project: str) -> PlainTable | None:
    """Return how people agree with themselves on hidden repeats, None without any."""
    pairs = page.store.ratings.repeat_pairs(project)
    found = self_agreement(
        Relabel(annotator=p.annotator, first=p.first, repeat=p.repeat) for p in pairs
    )
    rows = tuple((who, figure_words(estimate)) for who, estimate in found.items())
    head = ("who", "same answer on hidden repeats (interval, n)")
    return PlainTable("People with themselves", head, rows) if rows else None
