"""`.ci/install.sh` brings what is missing, only that, and never fails in silence."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "install.sh"
NEEDED = ("bash", "id", "mktemp", "rm", "tail", "env", "cat")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A search path with the few programs that every machine has, and no others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    _program(folder, "sleep", "exit 0")
    _program(folder, "sudo", 'shift; exec "$@"')
    return folder


def _program(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!{shutil.which('bash')}\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def _install(programs: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(programs), "HOME": os.environ.get("HOME", "/")}
    bash = str(programs / "bash")
    return subprocess.run(
        [bash, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False
    )


def test_nothing_is_said_or_done_where_nothing_is_missing(programs: Path) -> None:
    for name in ("chromium", "initdb"):
        _program(programs, name, "exit 0")
    _program(programs, "apt-get", "echo called >&2; exit 1")

    done = _install(programs)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_without_apt_it_says_what_is_missing_and_goes_on(programs: Path) -> None:
    done = _install(programs)

    assert done.returncode == 0
    assert "missing: chromium" in done.stderr
    assert "there is no apt-get here" in done.stderr


def test_only_what_is_missing_is_installed(programs: Path, tmp_path: Path) -> None:
    _program(programs, "initdb", "exit 0")
    log = tmp_path / "calls"
    chromium = programs / "chromium"
    _program(
        programs,
        "apt-get",
        f'echo "$@" >> {log}; cat {programs / "initdb"} > {chromium}; chmod_it {chromium}',
    )
    chmod = shutil.which("chmod")
    _program(programs, "chmod_it", f'{chmod} 755 "$1"')

    done = _install(programs)

    assert done.returncode == 0
    asked = log.read_text(encoding="utf-8")
    assert "chromium" in asked
    assert "postgresql" not in asked


def test_three_failed_attempts_are_told_with_apts_own_words(programs: Path) -> None:
    _program(programs, "apt-get", "echo cannot reach the mirror; exit 100")

    done = _install(programs)

    assert done.returncode == 0
    assert "attempt 3 of 3 failed" in done.stderr
    assert "no Chromium: the browser checks will be skipped" in done.stderr
    assert "cannot reach the mirror" in done.stderr
