"""Takes the place of an endpoint when nothing may be sent."""

from __future__ import annotations

from assay_engine.advice import Advice
from assay_engine.errors import RequestsForbidden
from assay_engine.types import Prompt, Reply

# For messages where a reply is missing, although most functions have theirs.
NOT_AS_IT_WAS = "this function: its signature, docstring or imports may have changed since"


class Forbidden:
    """Refuses every request, and says what to do instead.

    It keeps the name of the model that it replaces, so that a cache around it still finds this
    model's replies.
    """

    def __init__(self, inner_name: str) -> None:
        self._name = inner_name

    @property
    def name(self) -> str:
        return self._name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        missing = f"No stored reply for {NOT_AS_IT_WAS}"
        raise RequestsForbidden(missing, Advice.NOT_OFFLINE, seen="no stored reply")
