"""Promotion: representatives of each mode become golden candidates, pending in Approvals."""

from __future__ import annotations

import streamlit as st

from judgekit.errors import JudgekitError, NotMirrored
from judgekit.goldens.candidates import (
    PROPOSAL_KIND,
    AlreadyPromoted,
    Candidate,
    Use,
    candidate_body,
    check_candidate,
    similar_items,
    tuned_in,
)
from judgekit.goldens.coding import shares
from judgekit.model.item import Item
from judgekit.store.label_store import AlreadyProposed, CodeBook, CodeNote, Proposal
from parts.coding_desk import Desk, coding_probe, desk_of, quiet_line, say, trace_of_note
from parts.page import OpenPage
from parts.settings import workspace
from parts.text_list import Act, Action, Row, TextList, text_list

_SHOWN, _FIRST = "_promote_shown", "_promote_first"
USES: dict[str, Use] = {"regression": "regression", "calibration": "calibration"}


@st.fragment
def promotion(page: OpenPage) -> None:
    """Draw the notes by mode, with what was promoted and what looks alike."""
    desk = desk_of(page)
    book = desk.book
    promoted = earlier(desk)
    shown = st.session_state.get(_SHOWN, "")
    coding_probe(desk, item=shown)
    st.text(
        "Pick what represents each mode. A candidate waits in Approvals for someone else; it is "
        "not a golden. Alike is a hint from word overlap, nothing more."
    )
    text_list(
        TextList(
            "Notes to promote",
            promotion_rows(desk, book, promoted),
            (
                Action("p", "regression", "Propose as regression case"),
                Action("c", "calibration", "Propose for calibration"),
                Action("enter", "trace", "Show trace", clears=False),
            ),
            multi=True,
            empty="No note is under a mode yet. Group some under Axial.",
            height=430,
        ),
        key="representatives",
        on_act=lambda act: _on_act(page, act),
    )
    quiet_line()
    _link_to_first()
    trace_of_note(desk, book, shown, key="promote-trace")


def earlier(desk: Desk) -> dict[str, Proposal]:
    """Return the proposals of items promoted before that are pending or approved."""
    found = desk.store.proposals.list(state=None, kind=PROPOSAL_KIND, project=desk.project.name)
    return {p.subject: p for p in found if p.state in ("pending", "approved")}


def promotion_rows(desk: Desk, book: CodeBook, promoted: dict[str, Proposal]) -> list[Row]:
    """Return the coded notes by mode, each with what is known of its item."""
    items = {note.item_id: desk.item(note.item_id).item for note in book.notes if note.code}
    for item_id in promoted:
        items.setdefault(item_id, desk.item(item_id).item)
    rows = []
    for mode in shares(book):
        notes = [note for note in book.notes if note.code == mode.code]
        n_taken = len({note.item_id for note in notes} & promoted.keys())
        group = f"{mode.name} ({mode.count}, {n_taken} promoted)"
        for note in notes:
            flag = flag_words(items[note.item_id], items, promoted)
            meta = (f"item {note.item_id}", note.author)
            rows.append(Row(note.id, note.text, meta=meta, flag=flag, group=group))
    return rows


def flag_words(item: Item, items: dict[str, Item], promoted: dict[str, Proposal]) -> str:
    """Return whether the item was promoted, and which promoted items it looks like."""
    words = []
    if item.id in promoted:
        proposal = promoted[item.id]
        words.append(f"Promoted: candidate {proposal.id}, {proposal.state.replace('_', ' ')}")
    near = similar_items(item, (items[i] for i in promoted if i in items))
    words += [
        f"Alike {100 * one.ratio:.0f} %: item {one.id}, candidate {promoted[one.id].id}"
        for one in near
    ]
    return ". ".join(words)


def promote(desk: Desk, note: CodeNote, use: Use) -> str:
    """Propose the note's item as a golden candidate and return what was done, in words.

    Raises:
        AlreadyPromoted: the item was promoted before.
        TunedOn: it is meant for calibration, and a judge was tuned on it.
    """
    promoted = earlier(desk)
    stored = desk.item(note.item_id)
    taken = [desk.item(item_id).item for item_id in promoted]
    mode = next(code for code in desk.book.codes if code.id == note.code)
    candidate = Candidate(
        item_id=note.item_id,
        item_hash=stored.item_hash,
        dataset=desk.project.dataset,
        use=use,
        mode=mode.id,
        mode_name=mode.name,
        note=note.text,
        note_id=note.id,
        similar_to=similar_items(stored.item, taken),
    )
    tuned = None
    if use == "calibration":
        schema = desk.project.label_schema
        tuned = tuned_in(
            workspace(), stored.item, dataset=desk.project.dataset, rubric=schema.rubric
        )
    check_candidate(candidate, earlier={i: str(p.id) for i, p in promoted.items()}, tuned=tuned)
    return _propose(desk, candidate)


def _propose(desk: Desk, candidate: Candidate) -> str:
    result = desk.store.proposals.propose(
        PROPOSAL_KIND,
        candidate.item_id,
        candidate_body(candidate),
        proposer=desk.coder,
        project=desk.project.name,
    )
    if isinstance(result, AlreadyProposed):
        raise AlreadyPromoted(candidate.item_id, first=str(result.existing.id))
    alike = f", alike {candidate.similar_to[0].id}" if candidate.similar_to else ""
    return (
        f"item {candidate.item_id} is candidate {result.proposal.id}, pending in Approvals{alike}"
    )


def _on_act(page: OpenPage, act: Act) -> None:
    desk = desk_of(page)
    notes = {note.id: note for note in desk.book.notes}
    if act.name == "trace":
        if act.row in notes:
            st.session_state[_SHOWN] = notes[act.row].item_id
            say(f"Item {notes[act.row].item_id} is shown below.")
        return
    said, refused = [], False
    st.session_state[_FIRST] = ""
    for note in (notes[i] for i in act.ids if i in notes):
        try:
            said.append(promote(desk, note, USES[act.name]))
        except NotMirrored as error:
            refused = True
            said.append(f"item {note.item_id} is proposed. Warning: {error.message}")
        except JudgekitError as error:
            refused = True
            said.append(f"Not proposed: {error.message}")
            st.session_state[_FIRST] = getattr(error, "first", "")
    if said:
        say(". ".join(said) + ".", warning=refused)


def _link_to_first() -> None:
    """Link to the candidate that a refusal names."""
    first = st.session_state.get(_FIRST)
    if first:
        st.page_link(
            "app_pages/approvals.py",
            label=f"Open candidate {int(first)} in Approvals",
            query_params={"proposal": first},
        )
