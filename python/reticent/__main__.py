"""The command ``reticent``, which the package puts on the path; ``python -m reticent`` is the same.

It is the one that cargo installs: all of it is in the engine. Nothing but the engine is imported,
so that it starts at once.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Run the command with the arguments of this process; return its exit code."""
    # As for a program of its own: Ctrl-C ends it until the engine has its own handler. What a
    # shell told the process to ignore stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Were a standard stream closed, the next file to be opened would take its number, and what is
    # said on that stream would be written into the file.
    for stream in range(3):
        try:
            os.fstat(stream)
        except OSError:
            os.open(os.devnull, os.O_RDWR)

    from reticent._engine import run_command

    return run_command(["reticent", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
