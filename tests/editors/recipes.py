"""What `docs/editors.md` tells users to write, so that it is this which is tried."""

from __future__ import annotations

import re

from story import REPOSITORY


def recipe(language: str) -> str:
    """The one block of the page in this language."""
    text = (REPOSITORY / "docs" / "editors.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return block
