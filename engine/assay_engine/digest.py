"""Content digests: the identity of texts, prompts and reports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache


def of_text(text: str) -> str:
    """The SHA-256 of a text. Lone surrogates, which broken files may hold, stay distinct."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# A cache of a pure function: it is called for each function of a file, which may have thousands.
@lru_cache(maxsize=4)
def of_file(text: str) -> str:
    """The digest of the whole text of a file, as `of_text` gives it."""
    return of_text(text)


def of_parts(parts: Iterable[str]) -> str:
    """The digest of a sequence of texts.

    The lengths are digested as well, so that ("ab", "c") differs from ("a", "bc").
    """
    whole = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        whole.update(len(encoded).to_bytes(8, "big"))
        whole.update(encoded)
    return whole.hexdigest()
