"""What holds for every test: no keys of the developer's, and no global random state."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import hypothesis
import pytest

# A first call that imports a library takes longer than hypothesis allows one example by default.
hypothesis.settings.register_profile("judgekit", deadline=None)
hypothesis.settings.load_profile("judgekit")

# A shell starts what runs in its background with Ctrl-C ignored, and what the tests start inherits
# that: the tests that interrupt a command would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def global_random_state_is_untouched() -> Iterator[None]:
    numpy = sys.modules.get("numpy")
    before = numpy.random.get_state()[1].tobytes() if numpy else None
    yield
    if before is not None:
        assert numpy.random.get_state()[1].tobytes() == before, "use an explicit rng"
