"""A progress bar on standard error, for fits that take a while."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable

# Shorter work shows no bar.
PATIENCE = 0.5
WIDTH = 40


class Bar:
    """A bar that appears once the work has taken a while."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._shown = False

    def __call__(self, done: int, total: int) -> None:
        """Show the progress of the work."""
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
        """Remove the bar."""
        if self._shown:
            self._write("\r" + " " * (WIDTH + 50) + "\r")

    @staticmethod
    def _write(text: str) -> None:
        # A closed, missing or unusual stream must not stop a fit that has begun to spend.
        with contextlib.suppress(Exception):
            sys.stderr.write(text)
            sys.stderr.flush()


def bar(verbose: bool | int) -> tuple[Callable[[int, int], None] | None, Callable[[], None]]:
    """Return a function that shows progress, if it is wanted, and one that ends it."""
    if not verbose:
        return None, lambda: None
    shown = Bar()
    return shown, shown.close
