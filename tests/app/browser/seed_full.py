"""A workspace in which every page has something to show: labels, differences, notes, a release."""

from __future__ import annotations

import subprocess
import sys
import uuid
from pathlib import Path

from hostile_items import HOSTILE_TEXTS
from seed_files import DATASET, plain_items
from seed_store import PROJECT, label_as, open_store, seed

from judgekit.goldens.candidates import PROPOSAL_KIND, Candidate
from judgekit.store.label_store import Answer, Decision, LabelStore, Proposed

COUNT = 60
NOTES = ("wrong day", "wrong day again", "no answer at all", HOSTILE_TEXTS["html"][:180])
MODES = ("a wrong day", HOSTILE_TEXTS["markdown"][:60].replace("\n", " "))


def seed_full(folder: Path) -> Path:
    """Write the workspace and return its folder; the release in it is version 2."""
    items = [
        *plain_items(COUNT),
        {"id": "hostile", "input": HOSTILE_TEXTS["markdown"], "output": HOSTILE_TEXTS["html"]},
    ]
    seed(folder, items, ask_criteria=False)
    with open_store(folder) as store:
        answers = {f"case-{number:05d}": number for number in range(COUNT - 20)}
        label_as(store, "ann", {item: _answer(number) for item, number in answers.items()})
        label_as(store, "bob", {item: _other(number) for item, number in answers.items()})
        hostile = Answer(label="fail", failure_mode="rude", note=HOSTILE_TEXTS["html"])
        label_as(store, "bob", {"hostile": hostile})
        label_as(store, "cyd", {"hostile": Answer(label="pass", note=HOSTILE_TEXTS["markdown"])})
        _decide(store, 4)
        _notes(store)
        _goldens(store)
    release(folder)
    return folder


def release(folder: Path) -> None:
    """Release the labels as a lead would on the command line."""
    command = [sys.executable, "-m", "judgekit", "labels", "export", "--by", "lea"]
    done = subprocess.run(
        [*command, "--workspace", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout


def _answer(number: int) -> Answer:
    if number % 3 == 0:
        return Answer(label="fail", failure_mode="wrong_fact", note=f"the day of {number} is wrong")
    return Answer(label="unsure" if number % 13 == 5 else "pass")


def _other(number: int) -> Answer:
    if number % 6 == 0:
        return Answer(label="pass", note="I see no fault")
    return _answer(number)


def _decide(store: LabelStore, count: int) -> None:
    for _ in range(count):
        case = store.adjudication.next_case(PROJECT, "abe")
        assert case is not None
        field = next(task for task in case.fields if task.decision is None)
        decision = Decision(
            item_id=case.task.item_id, field=field.field, choice="A", cause="slip",
            confidence="high",
        )  # fmt: skip
        store.adjudication.adjudicate(
            PROJECT, decision, adjudicator="abe", op_id=uuid.uuid4().hex, rev_seen=field.rev
        )


def _notes(store: LabelStore) -> None:
    notes = [
        store.codes.add_note(
            PROJECT, f"case-{number:05d}", text, author="eve", op_id=uuid.uuid4().hex
        ).id
        for number, text in enumerate(NOTES)
    ]
    for mode, held in zip(MODES, (notes[:2], notes[3:]), strict=True):
        code = store.codes.new_code(PROJECT, mode, actor="eve", op_id=uuid.uuid4().hex)
        store.codes.assign(PROJECT, held, code.id, actor="eve", op_id=uuid.uuid4().hex)


def _goldens(store: LabelStore) -> None:
    store.goldens.ask(PROJECT, ["case-00000", "case-00003", "hostile"], actor="lea")
    item = store.projects.item(PROJECT, "case-00006")
    candidate = Candidate(
        item_id="case-00006", item_hash=item.item_hash, dataset=DATASET, use="regression",
        mode="m", mode_name=MODES[1], note=NOTES[3], note_id="n",
    )  # fmt: skip
    proposed = store.proposals.propose(
        PROPOSAL_KIND, "case-00006", candidate.model_dump(mode="json"), proposer="eve",
        project=PROJECT,
    )  # fmt: skip
    assert isinstance(proposed, Proposed)
