"""What is shown of a file may rest on another one: on a function that is imported from there.

When a Python file changes, findings that no longer hold elsewhere are taken back. Nothing is
checked for it: that could send what nobody has saved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assay_lsp.board import Board
from assay_lsp.checks import Checks
from assay_lsp.granting import Granting
from assay_lsp.tasks import Spawn

# After the first of several files: a branch is switched by the hundred.
GATHER_SECONDS = 0.5


class Reviewing:
    """Touched on the server's loop only. `may_run`: whether anything may be run at all by now."""

    def __init__(
        self,
        board: Board,
        checks: Checks,
        granting: Granting,
        spawn: Spawn,
        *,
        may_run: Callable[[], bool],
    ) -> None:
        self._board = board
        self._checks = checks
        self._granting = granting
        self._spawn = spawn
        self._may_run = may_run
        self._due: asyncio.TimerHandle | None = None

    def file_changed(self) -> None:
        """A Python file has been saved, or has changed on disk."""
        if self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(GATHER_SECONDS, self._review)

    def _review(self) -> None:
        self._due = None
        if not self._may_run():
            return
        for document, reports in self._board:
            # What a check under way says has the last word.
            if not any(wish.about(document) for wish in self._checks.wished):
                self._spawn(self._granting.review(document, reports))
