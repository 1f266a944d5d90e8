"""The app's server process: Streamlit's own command, with judgekit's exit codes."""

from __future__ import annotations

import sys

INTERRUPTED = 130
NO_PORT = 2


def main() -> None:
    """Run Streamlit with the process's arguments until a signal ends it, and exit.

    The server ends by a signal and by nothing else: that is 130, whichever signal it was. Streamlit
    itself exits with 1 ("no" to scripts) where another program took the port in the meantime.
    """
    from streamlit.web.cli import main as streamlit

    try:
        streamlit(sys.argv[1:], prog_name="streamlit", standalone_mode=False)
    except SystemExit as error:
        if error.code:
            print("error: the app's server did not start; see above", file=sys.stderr)
            sys.exit(NO_PORT)
    except KeyboardInterrupt:
        pass  # the usual end: the exit below says so
    except Exception as error:
        if type(error).__name__ != "Abort":  # click's word for Ctrl-C
            raise
    sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
