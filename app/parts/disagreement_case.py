"""One case: the item, what people said, what the judge said, and what to do about it."""

from __future__ import annotations

import streamlit as st

from judgekit.calibration.cases import Case
from judgekit.model.item import Item
from judgekit.model.label import OVERALL, Label
from judgekit.model.verdict import Verdict
from judgekit.render.evidence import mark_quotes
from parts.calibrate_load import Read
from parts.disagreement_filters import Chosen
from parts.item_view import Block, Mark, ShownSpan, item_blocks, item_view
from parts.long_item import offer_whole, shown_part
from parts.plain_words import PlainTable, heading, show_table, show_word_diff, word_pieces

SETTLED = ("adjudicated", "objective")


def show_case(chosen: Chosen, read: Read, case: Case) -> None:
    """Draw the item with both sides' evidence marked, then the labels and the verdicts."""
    heading(f"Case {case.id}")
    st.text(_answers(case))
    item = read.items.get(case.item_id)
    if item is None:
        st.text("The text of this item is not known here.")
    else:
        _item(item, case)
    heading("What people said", 3)
    _labels(case)
    heading(f"What {chosen.judge} said", 3)
    _verdict(case.verdict)
    if chosen.against is not None:
        _against(chosen, read, case)


def _answers(case: Case) -> str:
    human = case.human or "no standing answer"
    mode = f" ({case.failure_mode})" if case.failure_mode else ""
    return f"People: {human}{mode}. Judge: {case.judge or 'no answer'}{_why(case.verdict)}."


def _why(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    parts = [verdict.failure_mode or "", ", ".join(verdict.failed_criteria)]
    known = "; ".join(part for part in parts if part)
    return f" ({known})" if known else ""


def _item(item: Item, case: Case) -> None:
    part = shown_part(item_blocks(item), item.id)
    blocks = part.blocks
    people = tuple(quote for label in case.labels for quote in label.evidence)
    judge = case.verdict.evidence if case.verdict else ()
    spans = [*_spans(blocks, people, "a", "people"), *_spans(blocks, judge, "b", "judge")]
    item_view(blocks, key="item", token=case.id, spans=spans)
    offer_whole(part)
    if spans:
        st.text("Solid underline: people's evidence. Dashed underline: the judge's.")


def _spans(blocks: list[Block], quotes: tuple[str, ...], mark: Mark, tag: str) -> list[ShownSpan]:
    """Return where the quotes stand in the item's texts."""
    found = []
    for block in blocks:
        at = 0
        for piece in mark_quotes(block.text, quotes):
            if piece.quoted:
                found.append(ShownSpan(block.field, at, at + len(piece.text), mark, tag))
            at += len(piece.text)
    return found


def _labels(case: Case) -> None:
    rows = tuple(_label_row(label) for label in case.labels)
    head = ("who", "answer", "criterion", "failure mode", "note", "guideline")
    show_table(PlainTable("Labels", head, rows), key="labels")


def _label_row(label: Label) -> tuple[str, ...]:
    settled = label.effective_origin in SETTLED
    who = f"{label.annotator} ({label.effective_origin})" if settled else label.annotator
    return (
        who,
        str(label.label),
        "the whole" if label.criterion == OVERALL else label.criterion,
        label.failure_mode or "-",
        label.note or "-",
        label.guideline or "-",
    )


def _verdict(verdict: Verdict | None) -> None:
    if verdict is None:
        st.text("No verdict about this item.")
        return
    rows = [("status", verdict.status), ("answer", _passed(verdict))]
    rows += [("failure mode", verdict.failure_mode)] if verdict.failure_mode else []
    if verdict.failed_criteria:
        rows.append(("failed criteria", ", ".join(verdict.failed_criteria)))
    if verdict.passed_criteria:
        rows.append(("passed criteria", ", ".join(verdict.passed_criteria)))
    if verdict.unsupported:
        rows.append(("quotes not found in the item", "\n".join(verdict.unsupported)))
    rows += [("model", verdict.model)] if verdict.model else []
    show_table(PlainTable("Verdict", ("what", "value"), tuple(rows)), key="verdict")
    words = rationale(verdict)
    if words:
        st.text("Rationale")
        with st.container(key="rationale"):
            st.code(words, language=None, wrap_lines=True)


def _passed(verdict: Verdict) -> str:
    return {True: "pass", False: "fail", None: "none"}[verdict.passed]


def rationale(verdict: Verdict) -> str:
    """Return the judge's own words: its reason, its reply, else its evidence."""
    parts = [verdict.reason or "", verdict.raw or ""]
    if not verdict.raw:
        parts += [f"evidence: {quote}" for quote in verdict.evidence]
    return "\n".join(part for part in parts if part)


def _against(chosen: Chosen, read: Read, case: Case) -> None:
    other = chosen.against or ""
    heading(f"{chosen.judge} against {other}", 3)
    verdict = _verdict_of(read, other, case.item_id)
    if verdict is None or case.verdict is None:
        st.text("One of them has no verdict about this item.")
        return
    st.text(f"{chosen.judge}: {_passed(case.verdict)}. {other}: {_passed(verdict)}.")
    first, second = word_pieces(rationale(case.verdict), rationale(verdict))
    if first or second:
        show_word_diff(((chosen.judge, first), (other, second)), key="diff")
        st.text("Underlined: words that only this one has.")
    else:
        st.text("Neither gives a rationale.")


def _verdict_of(read: Read, judge: str, item_id: str) -> Verdict | None:
    for request in read.asked.requests:
        if request.judge == judge:
            own = (v for v in request.verdicts if v.item_id == item_id and v.regrade == 0)
            return next(own, None)
    return None
