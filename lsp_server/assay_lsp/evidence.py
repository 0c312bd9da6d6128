"""Evidence as files that an editor can open, in a folder that is removed with the server."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from assay_engine import digest
from assay_lsp.documents import key

NAME_CHARACTERS = 60
MARK_CHARACTERS = 8


class EvidenceFolder:
    """Made with the first file; one file per function, written anew each time."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def write(self, uri: str, qualname: str, text: str) -> Path:
        if self._folder is None or not Path(self._folder.name).is_dir():
            # Systems remove temporary folders after days, for which an editor may stay open.
            self.remove()
            self._folder = tempfile.TemporaryDirectory(prefix="assay-evidence-")
        # The name is for the editor's tab; the mark behind it distinguishes functions.
        name = re.sub(r"[^\w.]+", "_", qualname)[-NAME_CHARACTERS:]
        mark = digest.of_parts([key(uri), qualname])[:MARK_CHARACTERS]
        path = Path(self._folder.name, f"{name}-{mark}.md")
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return path

    def remove(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
