"""Patterns for the ends of sentences, and for words that deny or limit what follows them.

Other modules put these patterns together. All are for `re.IGNORECASE`.
"""

from __future__ import annotations

PARAGRAPH_END = r"\n[ \t]*\n"
# A semicolon parts a statement about one thing from a statement about the next.
SENTENCE_END = rf"(?<=[.;!?])\s+|{PARAGRAPH_END}"
# Stands right before a statement that is not true.
DENIAL = r"(?:\b(?:not|never|no|without)\b|n['’]t\b)"
# Stands right before a statement that is true only in some cases.
CASE = r"\b(?:if|iff|when|whenever|unless|until|while|in\s+case|as\s+(?:long|soon|often)\s+as)\b"
