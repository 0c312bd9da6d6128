"""Where a sentence ends, and the words by which it denies what follows or makes a case of it.

Patterns for others to put together; all are for `re.IGNORECASE`.
"""

from __future__ import annotations

PARAGRAPH_END = r"\n[ \t]*\n"
# Semicolons part what is said of one thing from what is said of the next.
SENTENCE_END = rf"(?<=[.;!?])\s+|{PARAGRAPH_END}"
# Right before what is not so.
DENIAL = r"(?:\b(?:not|never|no|without)\b|n['’]t\b)"
# Right before what is only now and then so.
CASE = r"\b(?:if|iff|when|whenever|unless|until|while|in\s+case|as\s+(?:long|soon|often)\s+as)\b"
