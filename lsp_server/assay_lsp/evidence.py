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

    def write(self, uri: str, file: str, text: str) -> Path:
        """Write a file about a document; the part of its name before the suffix is shortened."""
        if self._folder is None or not Path(self._folder.name).is_dir():
            # Systems remove temporary folders after days, for which an editor may stay open.
            self.remove()
            self._folder = tempfile.TemporaryDirectory(prefix="assay-evidence-")
        # The name is for the editor's tab; the mark behind it distinguishes functions.
        stem, _, suffix = file.rpartition(".")
        name = re.sub(r"[^\w.]+", "_", stem)[-NAME_CHARACTERS:]
        mark = digest.of_parts([key(uri), stem])[:MARK_CHARACTERS]
        path = Path(self._folder.name, f"{name}-{mark}.{suffix}")
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return path

    def remove(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
