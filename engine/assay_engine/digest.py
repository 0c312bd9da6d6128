"""Content digests: the identity of texts, prompts and reports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache


def of_text(text: str) -> str:
    """The SHA-256 of a text; lone surrogates, which broken files may hold, are kept apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# A memo of a pure function: each of a file's functions, which may be thousands, asks.
@lru_cache(maxsize=4)
def of_file(text: str) -> str:
    """As `of_text`, of the whole text of a file."""
    return of_text(text)


def of_parts(parts: Iterable[str]) -> str:
    """The digest of a sequence of texts. Lengths go in, so that ("ab", "c") is not ("a", "bc")."""
    whole = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        whole.update(len(encoded).to_bytes(8, "big"))
        whole.update(encoded)
    return whole.hexdigest()
