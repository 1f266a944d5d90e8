"""Steps of the golden editor, done again from a file, under the rules of the page."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from judgekit.store.label_store.database.engine import as_stored
from judgekit.store.label_store.database.review_tables import decision, golden_event
from judgekit.store.label_store.records.events import ReviewEvent
from judgekit.store.label_store.records.golden_actions import (
    AskCase,
    DecideCase,
    FinishEntry,
    GoldenAction,
    ProposeCase,
    ReopenEntry,
    SettlePart,
    parse_golden_action,
)
from judgekit.store.label_store.records.goldens import GoldenEntry, GoldenResolution
from judgekit.store.label_store.records.keeping import Proposal
from judgekit.store.label_store.review_log.fault import Fault, unknown_item
from judgekit.store.label_store.review_log.writing import add_golden_event
from judgekit.store.label_store.reviewing.golden_rows import (
    EXPERTS,
    Entries,
    add_case,
    add_entry,
    add_resolution,
    both_done,
    last_of,
    newest_entries,
    newest_resolutions,
)
from judgekit.store.label_store.reviewing.proposal_rows import (
    add_proposal,
    one_proposal,
    standing_proposal,
)
from judgekit.store.label_store.scope import Scope

_OTHERS = Fault("two other experts have this case", "a third expert", "two experts")
_COMPARED = Fault("both entries are done and are compared", "a later entry", "no later entry")


class GoldenSteps:
    """Does one step after the other in the tables of the editor, and logs it."""

    def __init__(self, connection: Connection, scope: Scope, items: frozenset[str]) -> None:
        self._connection = connection
        self._scope = scope
        self._items = items

    def do(self, event: ReviewEvent) -> ReviewEvent | Fault:
        """Write the step and return it as stored, or say what stands against it."""
        action = parse_golden_action(event.kind, event.body)
        made = self._act(action, event)
        if isinstance(made, Fault):
            return made
        return add_golden_event(
            self._connection,
            self._scope,
            action,
            actor=event.actor,
            at=as_stored(event.at),
            op_id=event.op_id,
            proposal_id=made,
        )

    def _act(self, action: GoldenAction, event: ReviewEvent) -> Fault | int | None:
        """Return what stands against a step, or the number of the proposal that it made."""
        match action:
            case ProposeCase():
                return self._propose(action, event)
            case DecideCase():
                return self._decide(action, event)
        if action.case_id not in self._items:
            return unknown_item(action.case_id)
        match action:
            case AskCase():
                self._ask(action.case_id, event)
                return None
            case FinishEntry():
                return self._finish(action, event)
            case ReopenEntry():
                return self._reopen(action, event)
            case SettlePart():
                return self._settle(action, event)

    def _ask(self, case_id: str, event: ReviewEvent) -> None:
        at = as_stored(event.at)
        add_case(self._connection, self._scope, case_id, actor=event.actor, at=at)

    def _finish(self, action: FinishEntry, event: ReviewEvent) -> Fault | None:
        entries = self._entries(action.case_id)
        mine = entries.get(event.actor)
        if mine is None and len(entries) >= EXPERTS:
            return _OTHERS
        if both_done(entries):
            return _COMPARED
        if mine is not None and (mine.state == "done" or action.rev <= mine.rev):
            return Fault("the revision is taken", str(action.rev), f"{mine.rev + 1} or later")
        self._ask(action.case_id, event)
        entry = GoldenEntry(
            project=self._scope.name,
            case_id=action.case_id,
            expert=event.actor,
            body=action.entry,
            state="done",
            rev=action.rev,
            at=event.at,
        )
        add_entry(self._connection, self._scope, entry)
        return None

    def _reopen(self, action: ReopenEntry, event: ReviewEvent) -> Fault | None:
        entries = self._entries(action.case_id)
        mine = entries.get(event.actor)
        if both_done(entries):
            return _COMPARED
        if mine is None or mine.state != "done":
            return Fault("there is no finished entry to reopen", "none", "the expert's entry, done")
        if action.rev != mine.rev + 1:
            return Fault("a revision is missing", str(action.rev), str(mine.rev + 1))
        changed = {"state": "draft", "rev": action.rev, "at": event.at}
        add_entry(self._connection, self._scope, mine.model_copy(update=changed))
        return None

    def _settle(self, action: SettlePart, event: ReviewEvent) -> Fault | None:
        if not both_done(self._entries(action.case_id)):
            return Fault("the case cannot be settled yet", "one entry", "both entries done")
        found = newest_resolutions(self._connection, self._scope, action.case_id)
        last = last_of(found.get(action.case_id, ()), action.field)
        expected = 1 if last is None else last.rev + 1
        if action.rev != expected:
            words = "the revision is taken" if action.rev < expected else "a revision is missing"
            return Fault(words, str(action.rev), str(expected))
        given = action.model_dump(exclude={"kind"})
        one = GoldenResolution(project=self._scope.name, actor=event.actor, at=event.at, **given)
        add_resolution(self._connection, self._scope, one)
        return None

    def _propose(self, action: ProposeCase, event: ReviewEvent) -> Fault | int:
        project = self._scope.name
        if action.subject not in self._items:
            return unknown_item(action.subject)
        if standing_proposal(self._connection, action.what, action.subject, project) is not None:
            return Fault("the case is proposed already", action.subject, "one proposal at a time")
        values = {
            "project": project,
            "kind": action.what,
            "subject": action.subject,
            "payload": action.payload,
            "proposer": event.actor,
            "note": action.note,
            "at": as_stored(event.at),
        }
        return add_proposal(self._connection, values)

    def _decide(self, action: DecideCase, event: ReviewEvent) -> Fault | None:
        proposal = self._proposal(action.proposal)
        if proposal is None:
            return Fault("it decides what no event proposed", action.proposal, "an earlier event")
        if proposal.state != "pending":
            return Fault("the proposal is decided already", action.state, "one decision")
        is_own = proposal.proposer == event.actor
        if is_own != (action.state == "withdrawn"):
            who = "its proposer" if is_own else "somebody else"
            return Fault(f"{who} cannot do this", action.state, "a decision of another person")
        values = {
            "proposal_id": proposal.id,
            "state": action.state,
            "actor": event.actor,
            "reason": action.reason,
            "at": as_stored(event.at),
        }
        self._connection.execute(insert(decision).values(values))
        return None

    def _entries(self, case_id: str) -> Entries:
        return newest_entries(self._connection, self._scope, case_id).get(case_id, {})

    def _proposal(self, operation: str) -> Proposal | None:
        made = golden_event.c
        query = select(made.proposal_id).where(
            made.op_id == operation, made.project_id == self._scope.id
        )
        number = self._connection.execute(query).scalar_one_or_none()
        return None if number is None else one_proposal(self._connection, number)
