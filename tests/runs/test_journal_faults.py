"""A journal that something else wrote is refused with its line, whatever is in it."""

from pathlib import Path

import pytest

from judgekit.errors import InputError
from judgekit.store.journal import finished_keys, read_verdict_journal

WHOLE = '"fingerprint": "f", "item_id": "a", "item_hash": "h", "status": "scored"'


@pytest.mark.parametrize(
    "line",
    [
        "garbage",
        "[1]",
        "[" * 200_000,
        '{"schema": 1}',
        '{"fingerprint": "f"}',
        "{" + WHOLE.replace('"a"', "5") + "}",
        "{" + WHOLE.replace('"scored"', "null") + "}",
    ],
)
def test_a_line_that_is_no_verdict_is_refused_with_file_and_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text("{" + WHOLE + ', "passed": true, "grader": "g"}\n' + line + "\n")
    for read in (finished_keys, read_verdict_journal):
        with pytest.raises(InputError) as caught:
            read(path, "f")
        assert caught.value.where == f"{path}:2"
        assert caught.value.mend is not None


def test_a_folder_in_place_of_a_journal_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        finished_keys(tmp_path, "f")
