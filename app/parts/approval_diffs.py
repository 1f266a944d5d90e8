"""What approving would change, against what was approved last; by kind of proposal."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from judgekit.approval.label_release import dataset_folder, preview_release
from judgekit.errors import JudgekitError
from judgekit.goldens.approve_golden import golden_changes
from judgekit.store.label_store import Proposal
from parts.approval_judge import show_judge
from parts.approval_release import show_release
from parts.item_view import item_blocks, item_view
from parts.messages import show_error, show_notice
from parts.page import OpenPage
from parts.plain_words import PlainTable, show_table, show_word_diff, word_pieces
from parts.settings import workspace_now


def show_diff(page: OpenPage, proposal: Proposal) -> None:
    """Draw the difference that approving makes."""
    shown: dict[str, Callable[[OpenPage, Proposal], None]] = {
        "release": _release,
        "golden": _golden,
        "golden_candidate": _candidate,
        "guideline": _guideline,
        "approval": _judge,
    }
    try:
        shown.get(proposal.kind, _payload)(page, proposal)
    except JudgekitError as error:
        show_error(error, key="no-diff")


def _release(page: OpenPage, proposal: Proposal) -> None:
    payload = proposal.payload
    found = preview_release(
        page.store,
        workspace_now(),
        str(proposal.project),
        version=str(payload["version"]),
        until=int(payload["last_seq"]),
    )
    if found.sha256 != payload["sha256"]:
        show_notice(
            "The labels up to this place are not those that were proposed: send it back.",
            key="changed",
        )
    else:
        st.text("Checked: the log up to this place gives exactly the labels that were proposed.")
    show_release(page, found)


def _golden(page: OpenPage, proposal: Proposal) -> None:
    folder = dataset_folder(page.store, workspace_now(), str(proposal.project))
    changes = golden_changes(folder, proposal.payload)
    rows = tuple((c.part, c.kind, c.before or "-", c.after or "-") for c in changes)
    table = PlainTable("Against goldens.jsonl", ("part", "change", "before", "after"), rows)
    show_table(table, key="golden-diff")


def _candidate(page: OpenPage, proposal: Proposal) -> None:
    payload = proposal.payload
    rows = [
        ("item", str(payload.get("item_id"))),
        ("meant for", str(payload.get("use"))),
        ("failure mode", str(payload.get("mode_name"))),
        ("note", str(payload.get("note"))),
    ]
    rows += [("looks like", json.dumps(one, ensure_ascii=False)) for one in _similar(proposal)]
    show_table(PlainTable("Candidate", ("what", "value"), tuple(rows)), key="candidate")
    stored = page.store.projects.item(str(proposal.project), str(payload.get("item_id")))
    item_view(item_blocks(stored.item), key="candidate-item", token=str(proposal.id))


def _similar(proposal: Proposal) -> list[object]:
    found = proposal.payload.get("similar_to")
    return list(found) if isinstance(found, list | tuple) else []


def _guideline(page: OpenPage, proposal: Proposal) -> None:
    known = page.store.projects.get(str(proposal.project)).guideline
    before = known.text if known else ""
    first, second = word_pieces(before, str(proposal.payload["text"]))
    name = f"now ({known.version})" if known else "now (none)"
    show_word_diff(
        ((name, first), (f"proposed ({proposal.payload['version']})", second)), key="guideline-diff"
    )
    st.text("Underlined: words that only this version has.")


def _judge(_: OpenPage, proposal: Proposal) -> None:
    show_judge(proposal)


def _payload(_: OpenPage, proposal: Proposal) -> None:
    st.code(
        json.dumps(proposal.payload, indent=2, ensure_ascii=False), language=None, wrap_lines=True
    )
