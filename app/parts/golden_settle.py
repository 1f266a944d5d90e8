"""Both experts are done: what agrees, what differs, and what becomes of each difference."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from judgekit.errors import JudgekitError
from judgekit.goldens.merge import ComparedPart, Outcome, Settlement
from judgekit.goldens.part_text import part_name, read_part_value, value_text, value_words
from judgekit.goldens.two_experts import (
    TwoEntries,
    check_new_settlement,
    read_two,
    store_decision,
)
from judgekit.store.label_store import GoldenResolution
from parts.golden_desk import GoldenDesk, desk_of, golden_probe, quiet_line, say, say_error
from parts.golden_form import SettleForm, current_form, forget_form, keep_form, next_serial
from parts.messages import show_error
from parts.note_box import note_box, typed_note
from parts.page import OpenPage
from parts.plain_words import PlainTable, show_table
from parts.text_list import Act, Action, Row, TextList, text_list

CHOICES: dict[str, Outcome] = {
    "first": "redefined",
    "second": "redefined",
    "other": "redefined",
    "nothing": "dropped",
    "exclude": "excluded",
    "open": "ambiguous",
}
_WORDS = {
    "other": "Another value",
    "nothing": "Expect nothing",
    "exclude": "Exclude from scoring",
    "open": "Leave ambiguous",
}
_OUTCOMES: dict[Outcome, str] = {
    "redefined": "redefined",
    "dropped": "settled: nothing is expected",
    "excluded": "excluded from scoring",
    "ambiguous": "ambiguous, not scored",
}


def finished_case(desk: GoldenDesk, case_id: str) -> TwoEntries:
    """Return a case that both experts have finished, compared; the viewer's entry first.

    Raises:
        InputError: it is not finished, or an entry cannot be read.
    """
    entries = desk.store.goldens.both(desk.project.name, case_id)
    own_first = sorted(entries, key=lambda entry: entry.expert != desk.alias)
    return read_two(own_first, desk.case(case_id).resolutions)


def names_of(desk: GoldenDesk, two: TwoEntries) -> tuple[str, str]:
    """Return what the two entries are called: never by the other's name."""
    return ("Mine", "The other's") if desk.alias == two.experts[0] else ("Expert 1", "Expert 2")


@st.fragment
def settle(page: OpenPage, case_id: str) -> None:
    """Draw both entries part by part, and the form for one difference."""
    try:
        _settle(page, case_id)
    except JudgekitError as error:  # an error that leaves a fragment is shown as a traceback
        show_error(error, key="golden-unread")


def _settle(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    two = finished_case(desk, case_id)
    golden_probe(desk, item=case_id, rev=sum(two.revs.values()), saved="compared")
    st.text(_summary(two))
    text_list(
        TextList(
            "Parts on which the two differ",
            _rows(desk, two),
            (Action("enter", "settle", "Settle this part"),),
            opens=True,
            empty="The two experts agree in every part.",
            height=360,
        ),
        key="golden-differences",
        on_act=lambda act: _choose(page, case_id, act),
    )
    form = _form(desk, two)
    if form is not None:
        _draw_form(page, two, form, names_of(desk, two))
    quiet_line(idle="Nothing changed yet")
    with st.expander("Parts on which both agree", key="golden-agreed"):
        agreed = [one for one in two.merged.parts if one.agreed]
        rows = tuple((part_name(one.part), value_words(one.part, one.first)) for one in agreed)
        show_table(PlainTable("Agreed", ("Part", "Expected"), rows), key="golden-agreed-table")


def _summary(two: TwoEntries) -> str:
    merged = two.merged
    n_open = len(merged.open_parts)
    n_excluded = len(merged.unscored) - n_open
    return (
        f"{merged.n_agreed} of {len(merged.parts)} parts agree; settled: {len(merged.redefined)}; "
        f"excluded: {n_excluded}; ambiguous: {n_open}. What is ambiguous is not scored."
    )


def _rows(desk: GoldenDesk, two: TwoEntries) -> list[Row]:
    first, second = names_of(desk, two)
    rows = []
    for one in (part for part in two.merged.parts if not part.agreed):
        said = (
            f"{first}: {value_words(one.part, one.first)}",
            f"{second}: {value_words(one.part, one.second)}",
            f"Differs in: {', '.join(one.differs_in)}",
        )
        group = "Settled" if _is_settled(one) else "Ambiguous"
        rows.append(Row(one.part, part_name(one.part), meta=said, flag=_outcome(one), group=group))
    return sorted(rows, key=lambda row: row.group != "Ambiguous")


def _is_settled(one: ComparedPart) -> bool:
    return one.settlement is not None and one.settlement.outcome != "ambiguous"


def _outcome(one: ComparedPart) -> str:
    settlement = one.settlement
    if settlement is None:
        return ""
    words = _OUTCOMES[settlement.outcome]
    if settlement.outcome == "redefined":
        words = f"redefined as {value_words(one.part, settlement.value)}"
    return f"{words} (by {settlement.by}: {settlement.reason})"


def _form(desk: GoldenDesk, two: TwoEntries) -> SettleForm | None:
    form = current_form(desk, two.case_id)
    known = {one.part for one in two.merged.parts if not one.agreed}
    return form if form is not None and form.part in known else None


def _choose(page: OpenPage, case_id: str, act: Act) -> None:
    desk = desk_of(page)
    part = act.ids[0] if act.ids else act.row
    if part:
        rev = _rev(desk, case_id, part)
        keep_form(desk, SettleForm(case_id=case_id, part=part, serial=next_serial(), rev=rev))


def _rev(desk: GoldenDesk, case_id: str, part: str) -> int:
    settled = {one.field: one.rev for one in desk.case(case_id).resolutions}
    return settled.get(part, 0)


def _draw_form(page: OpenPage, two: TwoEntries, form: SettleForm, names: tuple[str, str]) -> None:
    one = next(entry for entry in two.merged.parts if entry.part == form.part)
    with st.container(border=True, key="golden-form"):
        st.text(f"What becomes of {part_name(form.part)}?")
        st.segmented_control(
            "Outcome",
            [choice for choice in CHOICES if _possible(choice, one)],
            format_func=lambda choice: _choice_words(choice, names),
            default=form.choice,
            key=f"golden-outcome-{form.serial}",
            on_change=_chosen,
            args=(page, form.case_id),
        )
        if form.choice == "other":
            _form_box(page, form, "value", "The value, typed as in the entry (Ctrl+Enter ends)")
        _form_box(page, form, "reason", "Reason (needed)")
        st.button(
            "Save this outcome", key="golden-settle", on_click=_save, args=(page, form.case_id)
        )


def _possible(choice: str, one: ComparedPart) -> bool:
    missing = {"first": one.first is None, "second": one.second is None}
    return not missing.get(choice, False)


def _choice_words(choice: str, names: tuple[str, str]) -> str:
    own = {"first": f"Take: {names[0]}", "second": f"Take: {names[1]}"}
    return own.get(choice) or _WORDS[choice]


def _form_box(page: OpenPage, form: SettleForm, box: str, label: str) -> None:
    note_box(
        key=f"golden-form-{box}",
        token=form.token(box),
        text=getattr(form, box),
        on_draft=lambda: _typed(page, form.case_id),
        label=label,
        rows=2,
        focus_key=None,
    )


def _chosen(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    form = current_form(desk, case_id)
    if form is None:
        return
    form = replace(_absorbed(form), choice=st.session_state.get(f"golden-outcome-{form.serial}"))
    if form.choice == "other" and not form.value:
        two = finished_case(desk, case_id)
        one = next(entry for entry in two.merged.parts if entry.part == form.part)
        form = replace(form, value=value_text(form.part, one.first or one.second))
    keep_form(desk, form)


def _typed(page: OpenPage, case_id: str) -> None:
    desk = desk_of(page)
    form = current_form(desk, case_id)
    if form is not None and _absorbed(form) != form:
        keep_form(desk, _absorbed(form))


def _absorbed(form: SettleForm) -> SettleForm:
    """Return the form with what its boxes sent in this run: a button may be heard first."""
    value, reason = _sent("value", form), _sent("reason", form)
    return replace(
        form,
        value=form.value if value is None else value,
        reason=form.reason if reason is None else reason,
    )


def _sent(box: str, form: SettleForm) -> str | None:
    typed = typed_note(f"golden-form-{box}")
    return typed.text if typed is not None and typed.token == form.token(box) else None


def _save(page: OpenPage, case_id: str) -> None:
    """Store the outcome, unless it cannot be or someone else was first."""
    desk = desk_of(page)
    form = current_form(desk, case_id)
    if form is None or form.choice is None:
        say("Choose an outcome first.", warning=True)
        return
    form = _absorbed(form)
    try:
        settlement, stored = _resolve(desk, form)
    except JudgekitError as error:
        say_error(error)
        return
    if stored is None:
        keep_form(desk, replace(form, rev=_rev(desk, case_id, form.part)))
        say("Not saved: someone settled this part meanwhile. Their outcome is shown in the list; "
            "save again to replace it.", warning=True)  # fmt: skip
    else:
        say(f"Saved: {part_name(form.part)} is {_OUTCOMES[settlement.outcome]}.")
        forget_form(desk, case_id)


def _resolve(desk: GoldenDesk, form: SettleForm) -> tuple[Settlement, GoldenResolution | None]:
    two = finished_case(desk, form.case_id)
    settlement = check_new_settlement(two, _settlement(desk, two, form))
    stored = desk.store.goldens.resolve(
        desk.project.name,
        form.case_id,
        form.part,
        decision=store_decision(settlement.outcome),
        reason=settlement.reason,
        actor=desk.alias,
        rev_seen=form.rev,
        value=settlement.value,
    )
    return settlement, stored


def _settlement(desk: GoldenDesk, two: TwoEntries, form: SettleForm) -> Settlement:
    one = next(entry for entry in two.merged.parts if entry.part == form.part)
    value = {"first": one.first, "second": one.second}.get(str(form.choice))
    if form.choice == "other":
        value = read_part_value(form.part, form.value)
    return Settlement(
        part=form.part,
        outcome=CHOICES[str(form.choice)],
        reason=form.reason.strip(),
        value=value,
        by=desk.alias,
    )
