"""The command line: registers every command file and turns errors into exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import typer

from judgekit.cli.output import drop, emit_json, error_object, only_json, say
from judgekit.errors import InputError, JudgekitError, StoreFailed, UsageError

INTERRUPTED = 130
BUG = 70
_OF_THE_PATH = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.EISDIR)
_OF_THE_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)
_ORDER = (
    "demo", "init", "doctor", "run", "show", "plan", "calibrate", "compare", "approval", "gate",
    "estimate",
)  # fmt: skip
_EPILOG = (
    "Exit codes: 0 yes, 1 no, 2 bad usage or input, 3 not enough evidence, 4 no valid approval, "
    "5 the outside failed, 6 not run, 70 a bug, 130 interrupted."
)


def command_files() -> tuple[str, ...]:
    """Return the modules that register commands, in the order of the help page."""
    import judgekit.cli as package

    names = [m.name for m in iter_modules(package.__path__) if _is_command(m.name)]
    return tuple(f"{package.__name__}.{name}" for name in sorted(names, key=_place))


def _is_command(name: str) -> bool:
    return name.endswith(("_command", "_commands"))


def _place(name: str) -> tuple[int, str]:
    word = name.rsplit("_", 1)[0]
    return (_ORDER.index(word) if word in _ORDER else len(_ORDER), word)


def build_app() -> typer.Typer:
    """Return the application with every command registered."""
    app = typer.Typer(
        name="judgekit",
        help="Decide whether an LLM judge may be trusted: calibrate, approve, gate.",
        epilog=_EPILOG,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=True,
    )
    app.callback()(_root)
    for module in command_files():
        import_module(module).register(app)
    return app


def _show_version(asked: bool) -> None:
    if asked:
        import judgekit

        typer.echo(f"judgekit {judgekit.__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_show_version, help="Print the version."
    ),
) -> None:
    """Decide whether an LLM judge may be trusted: calibrate, approve, gate."""


def run_cli(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code; no exception leaves here."""
    as_json = "--json" in argv
    with only_json() if as_json else nullcontext():
        return _outcome(argv, as_json=as_json)


def _outcome(argv: Sequence[str], *, as_json: bool) -> int:
    try:
        result = build_app()(list(argv), prog_name="judgekit", standalone_mode=False)
    except JudgekitError as error:
        return _report(error, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except BrokenPipeError:
        _drop_stdout()
        return 5
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):  # typer exits with 1, which means "no"
            _drop_stdout()
            return StoreFailed.exit_code
        return _report(_left(error), as_json=as_json)
    except OSError as error:
        known = _without_a_name(error) if error.filename is None else _unusable(error)
        return _bug(error, as_json=as_json) if known is None else _report(known, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the last line before the user: no traceback leaves
        return _unforeseen(error, as_json=as_json)
    if result == INTERRUPTED:
        _interrupted(as_json=as_json)
    return result if isinstance(result, int) else 0


def _left(error: SystemExit) -> InputError:
    # No command of ours exits by itself: a yes of the user's code would be a false yes.
    return InputError(
        "code of the workspace called exit, so nothing was decided",
        found=f"exit code {error.code!r}",
        expected="a grader that returns or raises",
    )


def _without_a_name(error: OSError) -> JudgekitError | None:
    """Return what an error of the system means that names no path; None where that is not known."""
    if error.errno in _OF_THE_OUTPUT:
        return StoreFailed("the result cannot be written", found=error.strerror)
    try:
        Path.cwd()
    except FileNotFoundError:
        return InputError(
            "the current folder is gone: it was deleted or moved",
            mend="change into a folder that is there",
        )
    return None


def _unusable(error: OSError) -> JudgekitError:
    # The outside's fault, wherever it is met: a path that is too long, a folder without permission.
    name = os.fsdecode(error.filename) if isinstance(error.filename, bytes) else error.filename
    kind = InputError if error.errno in _OF_THE_PATH else StoreFailed
    return kind("a path cannot be used", where=str(name), found=error.strerror or str(error))


def _interrupted(*, as_json: bool) -> None:
    message = "interrupted; what was finished is kept"
    say(message)
    if as_json:
        emit_json({"error": {"type": "Interrupted", "message": message, "exit_code": INTERRUPTED}})


def _unforeseen(error: Exception, *, as_json: bool) -> int:
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        return _bug(error, as_json=as_json)
    text = format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        say(text)
        return UsageError.exit_code
    context = getattr(error, "ctx", None)
    mend = f"{context.command_path} --help" if context is not None else "judgekit --help"
    return _report(UsageError(text, mend=mend), as_json=as_json)


def _report(error: JudgekitError, *, as_json: bool) -> int:
    say(f"error: {error}")
    if as_json:
        try:
            emit_json(error_object(error))
        except (BrokenPipeError, StoreFailed):
            _drop_stdout()
    return error.exit_code


def _drop_stdout() -> None:
    drop(sys.__stdout__)


def _bug(error: Exception, *, as_json: bool) -> int:
    if os.environ.get("JUDGEKIT_TRACEBACK"):
        import traceback

        say("".join(traceback.format_exception(error)))
    name = type(error).__name__
    say(
        f"error: a bug in judgekit ({name}: {error})\n"
        "  mend: run the command again with JUDGEKIT_TRACEBACK=1 and report its output, "
        "`judgekit --version` and the command line to the project's issue tracker"
    )
    if as_json:
        emit_json({"error": {"type": name, "message": str(error), "exit_code": BUG}})
    return BUG


def _terminated(*_: object) -> None:
    # As Ctrl-C: what was finished is kept, servers of ours are stopped, the exit code is 130.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.raise_signal(signal.SIGINT)
        return
    # Started in the background of a script: asyncio does not turn the signal into a cancellation.
    import asyncio

    with suppress(RuntimeError):
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line with the process's arguments and exit."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    signal.signal(signal.SIGTERM, _terminated)
    sys.exit(run_cli(sys.argv[1:]))
