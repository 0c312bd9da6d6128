"""The parameters that servers disagree on, and how a refusal tells which of them a server takes."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import replace

from assay_engine.types import Prompt

# Every parameter here can be refused once before the request goes through.
LESSONS_MAX = 2

_OTHER_LIMIT = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}

# Words that refuse the parameter as such. If a server refuses only its value, it would refuse that
# in another parameter, too.
_NOT_TAKEN = re.compile(
    r"unsupported|not.support|unrecognized|unknown|unexpected|extra|not.permitted|not.allowed",
    re.IGNORECASE,
)


class Dialect(Struct, frozen=True):
    """The parameter that limits the number of tokens, and whether to name a temperature."""

    limit: str = "max_tokens"
    names_temperature: bool = True

    def parameters(self, prompt: Prompt) -> dict[str, float]:
        limited: dict[str, float] = {self.limit: prompt.max_tokens}
        return limited | {"temperature": prompt.temperature} if self.names_temperature else limited

    def learnt_from(self, refusal: str) -> Dialect | None:
        """The dialect to try next; None if the refusal is about something else."""
        if not _NOT_TAKEN.search(refusal):
            return None
        if self.limit in refusal:
            return replace(self, limit=_OTHER_LIMIT[self.limit])
        if self.names_temperature and "temperature" in refusal:
            # Some models take only their own temperature: samples at that one beat none at all.
            return replace(self, names_temperature=False)
        return None
