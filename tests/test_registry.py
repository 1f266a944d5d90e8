"""The registry and the error tree."""

import pytest

from judgekit import errors
from judgekit.errors import FingerprintChanged, JudgekitError, UsageError
from judgekit.registry import Registry


def test_a_misspelt_name_gets_the_nearest_one():
    registry: Registry[int] = Registry("scorer")
    registry.add("pattern", lambda: 1)
    with pytest.raises(UsageError) as caught:
        registry.get("patern")
    assert str(caught.value) == (
        "there is no scorer called 'patern'\n  expected: pattern\n  mend: did you mean 'pattern'?"
    )


def test_a_thing_is_loaded_once():
    calls = []
    registry: Registry[int] = Registry("scorer")
    registry.add("a", lambda: calls.append(1) or len(calls))
    assert [registry.get("a"), registry.get("a")] == [1, 1]
    with pytest.raises(UsageError, match="registered twice"):
        registry.add("a", lambda: 2)


def test_every_error_is_drawn_in_the_tree_with_its_exit_code():
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, JudgekitError):
            line = next(row for row in errors.__doc__.splitlines() if name in row)
            assert f" {kind.exit_code} " in line, name


def test_a_changed_fingerprint_names_its_components():
    error = FingerprintChanged("judge 'a' changed", components=("rubric",), mend="recalibrate")
    assert (error.exit_code, error.components) == (4, ("rubric",))
    assert "found: rubric" in str(error)
