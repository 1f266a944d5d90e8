"""A value of another kind is refused, not read as what it could be turned into."""

from pathlib import Path

import pytest

from judgekit.errors import InputError
from judgekit.model.policy import Policy
from judgekit.store.formats.yaml_file import load_yaml


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("min_human_fail: true", "true", "a number"),
        ("max_looks: yes", "'yes'", None),
        ("max_unscored_rate: false", "false", "a number"),
        ("max_false_pass_rate: '0.1'", "'0.1'", "a number"),
        ("allow_synthetic: 1", "1", "true or false"),
        ("allow_synthetic: 'yes'", "'yes'", "true or false"),
        ("gate: {min_pass_rate: true}", "true", "a number"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_line(
    tmp_path: Path, text: str, found: str, expected: str | None
) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(f"# policy\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_yaml(path, Policy)
    assert str(caught.value.where).startswith(f"{path}:2 {text.split(':')[0]}")
    assert caught.value.found == found
    assert expected is None or caught.value.expected == expected


def test_whole_numbers_may_stand_for_rates(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("max_unscored_rate: 0\nallow_synthetic: true\n", encoding="utf-8")
    read = load_yaml(path, Policy)
    assert (read.max_unscored_rate, read.allow_synthetic) == (0.0, True)
