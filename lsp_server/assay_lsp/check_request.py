"""What is asked for: the check of a document, or of some of its functions."""

from __future__ import annotations

from msgspec import Struct

from assay_engine.types import Tier
from assay_lsp.documents import TextDocument, key


class CheckRequest(Struct, frozen=True):
    """A requested check. `names` are qualified names; None means the whole document, or, if only
    what has `changed` is wanted, what is new or changed since the last commit.

    `demanded` distinguishes a command from a save; `again` runs anew even if a result is stored.
    `told` is the number of requests that the user has agreed to. With an `earlier` text, only
    functions count that are as they were there, and whose docstring is finished.
    """

    document: TextDocument
    names: frozenset[str] | None = None
    changed: bool = False
    demanded: bool = False
    again: bool = False
    tier: Tier = Tier.STANDARD
    told: int = 0
    earlier: str | None = None

    def covers(self, other: CheckRequest) -> bool:
        """Whether granting this one grants the other, given the same text."""
        wide_enough = self.names is None or (other.names is not None and other.names <= self.names)
        wide_enough = wide_enough and self.changed <= other.changed
        deep_enough = self.tier is Tier.THOROUGH or other.tier is Tier.STANDARD
        return (
            wide_enough
            and deep_enough
            and self.demanded >= other.demanded
            and self.again >= other.again
            and self.told >= other.told
            and self.earlier in (None, other.earlier)
        )

    def about(self, document: TextDocument) -> bool:
        return key(self.document.uri) == key(document.uri)
