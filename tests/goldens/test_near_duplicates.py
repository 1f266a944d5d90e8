from __future__ import annotations

from judgekit.goldens.near_duplicates import near_duplicates


def test_a_near_duplicate_is_flagged_with_its_ratio_and_a_different_text_is_not() -> None:
    found = near_duplicates(
        "The refund for order 1841 was never paid",
        {
            "same": "the refund for order 1842 was never paid.",
            "other": "The parcel went to Porto instead of Lisbon",
            "empty": "",
        },
    )
    assert [other.id for other in found] == ["same"]
    assert 0.9 <= found[0].ratio < 1


def test_an_empty_text_is_like_none() -> None:
    assert near_duplicates(" \n", {"a": "", "b": " "}) == ()


def test_nearest_first_and_no_more_than_the_limit() -> None:
    others = {"b": "one two three five", "a": "one two three four", "c": "one two three fourth"}
    found = near_duplicates("one two three four", others, min_ratio=0.5, limit=2)
    assert [other.id for other in found] == ["a", "c"]


def test_the_same_texts_in_another_order_of_words_are_alike() -> None:
    assert near_duplicates("a b c d", {"x": "d c b a"})[0].ratio == 1.0
