"""What is shown of a file may rest on another one: on a function that is imported from there.

When a Python file changes, findings that no longer hold elsewhere are taken back. Nothing is
checked for it: that could send what nobody has saved.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay_lsp.session import Session

# After the first of several files: a branch is switched by the hundred.
GATHER_SECONDS = 0.5


class Reviewing:
    """Touched on the server's loop only."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._due: asyncio.TimerHandle | None = None

    def file_changed(self) -> None:
        """A Python file has been saved, or has changed on disk."""
        if self._due is None:
            loop = asyncio.get_running_loop()
            self._due = loop.call_later(GATHER_SECONDS, self._review)

    def _review(self) -> None:
        self._due = None
        if not self._session.settings.may_run:
            return
        for document, reports in self._session.board:
            # What a check under way says has the last word.
            if not any(wish.about(document) for wish in self._session.checks.wished):
                self._session.spawn(self._session.granting.review(document, reports))
