"""Home: what to do next, and nothing of anybody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_desk import component
from label_desk import APP, events, label_workspace, open_app, opened_store, press, shown, words
from streamlit.testing.v1 import AppTest

from judgekit.approval.label_release import release_labels
from judgekit.model.item import Item
from judgekit.store.label_store import Answer, Decision, GuidelineVersion
from judgekit.store.workspace import find_workspace


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return label_workspace(tmp_path, monkeypatch)


def label_as(root: Path, user: str, count: int, label: str = "pass") -> None:
    """Save labels in the person's own order."""
    with opened_store(root) as store:
        for number in range(count):
            at = store.queue.next_presentation("desk", user)
            assert at is not None
            store.labels.save(
                at.id, Answer(label=label), annotator=user, op_id=f"{user}{number}", rev_seen=0
            )


def reopen_words(app: AppTest) -> list[str]:
    """Return the words of the buttons that open own labels again, in order."""
    return [b.label for b in app.button if str(b.key).startswith("reopen-")]


def release(root: Path) -> None:
    """Release every label that is there."""
    with opened_store(root) as store:
        release_labels(store, find_workspace(root), "desk", by="lea")


def add_role(root: Path, old: str, new: str) -> None:
    """Give roles in the settings."""
    settings = root / "judgekit.yaml"
    words_now = settings.read_text(encoding="utf-8")
    assert old in words_now
    settings.write_text(words_now.replace(old, new), encoding="utf-8")


def test_the_one_primary_button_opens_label_at_the_first_unlabelled_item(root: Path) -> None:
    """H1, without the key."""
    label_as(root, "ann", 1)
    app = press(open_app("home"), "continue-labelling")
    assert shown(app)["page"] == "label"
    with opened_store(root) as store:
        expected = store.queue.next_presentation("desk", "ann")
    assert expected is not None
    assert shown(app)["item"] == expected.item.id


def test_counts_are_those_of_the_database_for_this_person(root: Path) -> None:
    """H2, H4: another person's labels change nothing here."""
    label_as(root, "ann", 1)
    before = words(open_app("home"))
    assert "desk: 1 done by you, 3 left for you" in before
    label_as(root, "bob", 2, label="fail")
    assert words(open_app("home")) == before


def test_a_finished_queue_says_so_and_has_no_primary_button(root: Path) -> None:
    """H3."""
    label_as(root, "ann", 4)
    app = open_app("home")
    assert "All done in desk: nothing is left for you." in words(app)
    assert "continue-labelling" not in [button.key for button in app.button]


def test_an_annotator_sees_no_verdict_and_no_agreement(root: Path) -> None:
    """H5."""
    label_as(root, "ann", 2)
    label_as(root, "bob", 2, label="fail")
    text = words(open_app("home")).lower()
    for word in ("agree", "kappa", "verdict", "judge", "bob"):
        assert word not in text


def test_the_last_labels_are_listed_and_the_last_one_is_undone_from_here(root: Path) -> None:
    label_as(root, "ann", 2)
    last = events(root)[-1].item_id
    app = open_app("home")
    assert reopen_words(app) == [f"Reopen {one.item_id}" for one in reversed(events(root))]
    assert f"question {last[1:]}" in words(app)
    press(app, "undo-last")
    assert (shown(app)["page"], shown(app)["item"]) == ("label", last)
    assert [event.kind for event in events(root)] == ["label", "label", "undo"]


def test_an_own_label_is_reopened_from_here(root: Path) -> None:
    label_as(root, "ann", 2)
    first = events(root)[0].item_id
    app = press(open_app("home"), "reopen-1")
    assert (shown(app)["item"], shown(app)["rev"]) == (first, "1")


def test_a_new_guideline_is_told_with_the_labels_given_under_the_older_one(root: Path) -> None:
    label_as(root, "ann", 2)
    with opened_store(root) as store:
        changed = GuidelineVersion(version="desk-2", text="Be strict.")
        store.projects.change_guideline("desk", changed, actor="lea")
    app = open_app("home")
    assert "The guideline is now version desk-2. 2 labels of yours can be given anew" in words(app)
    first = events(root)[0].item_id
    press(app, "reopen-1")
    press(app, "decide-unsure")
    app = open_app("home")
    assert "1 label of yours can be given anew" in words(app)
    app.checkbox(key="only-older").check().run()
    reopened = [b.key for b in app.button if str(b.key).startswith("reopen-")]
    assert reopened == ["reopen-0"]
    assert reopen_words(app) != [f"Reopen {first}"]


def test_every_own_label_is_found_on_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": f"i{n:02d}", "input": "q", "output": f"answer {n}"} for n in range(14)]
    root = label_workspace(tmp_path, monkeypatch, rows=rows)
    label_as(root, "ann", 13)
    first = events(root)[0].item_id
    app = open_app("home")
    assert f"Reopen {first}" not in reopen_words(app)
    press(app, "more-labels")
    assert f"Reopen {first}" in reopen_words(app)
    assert "more-labels" not in [button.key for button in app.button]
    press(app, "reopen-12")
    assert (shown(app)["item"], shown(app)["rev"]) == (first, "1")


def test_an_item_id_is_no_markup_in_the_words_of_its_button(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": "**a**:red[b]", "input": "q", "output": "answer"}]
    root = label_workspace(tmp_path, monkeypatch, rows=rows)
    label_as(root, "ann", 1)
    assert reopen_words(open_app("home")) == [r"Reopen \*\*a\*\*\:red\[b\]"]


def test_what_is_released_is_neither_undone_nor_reopened_from_here(root: Path) -> None:
    label_as(root, "ann", 2)
    release(root)
    app = open_app("home")
    assert "undo-last" not in [button.key for button in app.button]
    assert reopen_words(app) == []
    assert f"{events(root)[0].item_id}  released" in words(app)
    label_as(root, "ann", 3)
    assert "undo-last" in [button.key for button in open_app("home").button]


def test_a_released_decision_stands_with_the_item_and_the_own_answer(root: Path) -> None:
    label_as(root, "ann", 4)
    label_as(root, "bob", 4, label="fail")
    with opened_store(root) as store:
        decision = Decision(item_id="i2", choice="other", label="fail", cause="slip")
        store.adjudication.adjudicate("desk", decision, adjudicator="ada", op_id="d", rev_seen=0)
    assert "Decided about your items" not in [h.value for h in open_app("home").header]
    release(root)
    (row,) = component(open_app("home"), "outcome-list")["rows"]
    assert row["meta"] == ["question 2", "your answer: Pass"]


def test_an_adjudicator_goes_on_from_home(root: Path) -> None:
    add_role(root, "lea: {roles: [lead]}", "lea: {roles: [adjudicator]}")
    assert "Nothing waits for adjudication in desk." in words(open_app("home", user="lea"))
    label_as(root, "ann", 1)
    with opened_store(root) as store:
        item_id = events(root)[0].item_id
        store.adjudication.flag("desk", item_id, reason="ambiguous", actor="lea")
    app = open_app("home", user="lea")
    assert "1 to adjudicate" in words(app)
    press(app, "continue-adjudicating")
    assert [title.value for title in app.title] == ["Adjudicate"]


def test_another_project_is_opened_from_its_row(root: Path) -> None:
    label_as(root, "ann", 4)
    with opened_store(root) as store:
        other = store.projects.get("desk").model_copy(update={"name": "other", "guideline": None})
        store.projects.create(other, actor="lea")
        store.projects.import_items("other", [Item(id="o1", input="q", output="o")], actor="lea")
    app = open_app("home")
    assert "other: 0 done by you, 1 left for you" in words(app)
    press(app, "open-other")
    assert "other: 0 done by you, 1 left for you  (this one)" in words(app)
    press(app, "continue-labelling")
    assert shown(app)["item"] == "o1"


def test_nobody_is_signed_in_by_an_unknown_name_in_the_address(root: Path) -> None:
    app = open_app("home", user="zoe")
    assert [title.value for title in app.title] == ["Sign in"]
    with opened_store(root) as store:
        assert store.people.get("zoe") is None


def test_a_new_person_signs_in_as_annotator(root: Path) -> None:
    app = open_app("home", user=None)
    app.text_input(key="_new_name").set_value("zoe")
    press(app, "sign-in-new")
    assert "Signed in as zoe (not verified)" in words(app)
    with opened_store(root) as store:
        person = store.people.get("zoe")
        assert person is not None
        assert person.roles == ("annotator",)


@pytest.mark.parametrize("name", ["", "a@b.org", "Ana B"])
def test_a_name_that_cannot_be_an_alias_is_told(root: Path, name: str) -> None:
    app = open_app("home", user=None)
    app.text_input(key="_new_name").set_value(name)
    press(app, "sign-in-new")
    assert [title.value for title in app.title] == ["Sign in"]
    with opened_store(root) as store:
        assert store.people.list() == ()


def test_without_a_lead_the_page_says_that_the_next_person_gets_every_role(root: Path) -> None:
    settings = (root / "judgekit.yaml").read_text(encoding="utf-8")
    (root / "judgekit.yaml").write_text(
        settings.replace("    lea: {roles: [lead]}\n", ""), encoding="utf-8"
    )
    app = open_app("home", user=None)
    assert "There is no lead yet: the next new person gets every role." in words(app)
    app.text_input(key="_new_name").set_value("mia")
    press(app, "sign-in-new")
    with opened_store(root) as store:
        person = store.people.get("mia")
        assert person is not None
        assert "lead" in person.roles


def test_another_person_in_the_same_window_starts_with_nothing_of_the_first(root: Path) -> None:
    app = press(open_app("label"), "decide-fail")
    press(app, "sign-out")
    assert [title.value for title in app.title] == ["Sign in"]
    assert "_label_work" not in app.session_state


def test_who_takes_anothers_place_starts_at_home_and_not_on_a_page_of_the_others_roles(
    root: Path,
) -> None:
    app = press(open_app("label"), "sign-out")
    (button,) = [one for one in app.button if one.label == "I am lea"]
    button.click().run()
    assert [title.value for title in app.title] == ["Home"]
    assert "Not allowed" not in words(app)


def test_a_lead_sees_how_far_a_project_is_and_where_to_go(root: Path) -> None:
    label_as(root, "ann", 1)
    app = open_app("home", user="lea")
    assert "0 to adjudicate, 0 decided, 0 agree" in words(app)
    assert "You have no queue here: choose a page on the left." in words(app)


@pytest.mark.parametrize("page", ["home", "label"])
def test_an_address_with_a_project_that_is_not_there_says_so(root: Path, page: str) -> None:
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["user"], app.query_params["project"] = "ann", "no<b>pe"
    app.run()
    if page != "home":
        app.switch_page(f"app_pages/{page}.py")
    for _ in range(2):
        app.run()
        assert "There is no project 'no<b>pe'. This is 'desk'." in words(app)
    assert not app.exception
    assert "There is no project" not in words(open_app(page))
