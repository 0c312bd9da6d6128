"""Takes back findings that rest on another file, on a function imported from there, if it changes.

When a Python file changes, findings in others that no longer hold are taken back. Nothing is
checked, because a check could send text that the user has not saved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assay_lsp.background import Spawn
from assay_lsp.check_service import CheckService
from assay_lsp.checks import Checks
from assay_lsp.report_index import ReportIndex

# The delay after the first of several files: switching a branch changes hundreds.
GATHER_SECONDS = 0.5


class Reviewing:
    """Touched on the server's loop only. `may_run`: whether anything may be run at all now."""

    def __init__(
        self,
        report_index: ReportIndex,
        checks: Checks,
        check_service: CheckService,
        spawn: Spawn,
        *,
        may_run: Callable[[], bool],
    ) -> None:
        self._report_index = report_index
        self._checks = checks
        self._check_service = check_service
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
        for document, reports in self._report_index:
            # If a check is under way, its result will count.
            if not any(request.about(document) for request in self._checks.unfinished):
                self._spawn(self._check_service.review(document, reports))
