"""A progress bar on standard error, for fits that take a while."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable

# Work that is done sooner shows no bar.
PATIENCE = 0.5
WIDTH = 40


class Bar:
    """A bar that shows itself once the work has taken a while."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """Show how far the work has come."""
        elapsed = time.monotonic() - self._since
        if elapsed < PATIENCE or not total:
            return
        full = WIDTH * done // total
        left = elapsed / done * (total - done) if done else float("inf")
        remains = f", {left:.0f} s left" if done else ""
        self._write(
            f"\rFitting {'█' * full}{'·' * (WIDTH - full)} step {done} of {total}{remains} "
        )
        self._shown = True

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._write("\r" + " " * (WIDTH + 50) + "\r")

    @staticmethod
    def _write(text: str) -> None:
        # A closed, missing or strange stream is no reason to stop a fit that has begun to spend.
        with contextlib.suppress(Exception):
            sys.stderr.write(text)
            sys.stderr.flush()


def bar(verbose: bool | int) -> tuple[Callable[[int, int], None] | None, Callable[[], None]]:
    """Give what shows progress, if it is wanted, and what ends it."""
    if not verbose:
        return None, lambda: None
    shown = Bar()
    return shown, shown.close
