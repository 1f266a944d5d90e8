"""The example workspace: where it lies and how a scratch copy is made."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from judgekit.errors import StoreFailed, UsageError

PARTS = (
    "judgekit.yaml", "rubrics", "annotations/refund_desk", "graders", "agents", "scoring",
)  # fmt: skip


def example_root() -> Path:
    """Return the bundled example workspace, or the repository root beside the package.

    Raises:
        UsageError: neither is there; the installation is broken.
    """
    package = Path(__file__).resolve().parents[1]
    for root in (package / "_bundled", package.parent):
        if (root / "judgekit.yaml").is_file() and (root / PARTS[2]).is_dir():
            return root
    raise UsageError(
        "the example workspace is missing from this installation",
        expected="judgekit/_bundled in the package",
        mend="install judgekit again from the wheel",
    )


def copy_example(target: Path | None) -> Path:
    """Copy the example into `target` (or a new temporary folder) and return the copy's root.

    Raises:
        UsageError: `target` exists and is not empty; nothing of the user's is overwritten.
        StoreFailed: the copy could not be written.
    """
    source = example_root()
    try:
        if target is None:
            root = Path(tempfile.mkdtemp(prefix="judgekit-demo-"))
        else:
            root = _empty_folder(target)
        for part in PARTS:
            _copy(source / part, root / part)
    except OSError as error:
        raise StoreFailed(
            f"the example could not be copied: {error.strerror or error}",
            where=str(error.filename or target),
            mend="give another folder with --out",
        ) from error
    return root


def _empty_folder(target: Path) -> Path:
    if target.is_dir() and any(target.iterdir()):
        raise UsageError(
            f"{str(target)!r} is not empty",
            expected="a new or empty folder",
            mend="judgekit demo --out <new folder>",
        )
    if target.exists() and not target.is_dir():
        raise UsageError(f"{str(target)!r} is a file", expected="a new or empty folder")
    target.mkdir(parents=True, exist_ok=True)
    return target.resolve()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "looks.jsonl"))
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
