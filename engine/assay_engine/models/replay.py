"""Answers from a transcript, without any request.

Takes the place of an endpoint when nothing may be sent.
"""

from __future__ import annotations

from pathlib import Path

from assay_engine.advice import Advice
from assay_engine.errors import ReplyUnusable, RequestsForbidden, TranscriptMiss
from assay_engine.models.transcript import prompt_digest, read_transcript
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


class ReplayModel:
    """The model that a transcript was recorded from, as far as the transcript goes."""

    def __init__(self, path: Path) -> None:
        """Read the transcript. Raises `ConfigurationError` if the file is no sound transcript."""
        self._path = path
        self._transcript = read_transcript(path)

    @property
    def name(self) -> str:
        return self._transcript.model

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        recorded = self._transcript.replies.get((prompt_digest(prompt), sample))
        if recorded is None:
            raise TranscriptMiss(
                f"The transcript {self._path} has no reply for {NOT_AS_IT_WAS}", Advice.RECORD_AGAIN
            )
        if recorded.error is not None:
            raise ReplyUnusable(recorded.error)
        return Reply(
            recorded.text,
            sample,
            recorded.usage,
            cached=True,
            response_id=recorded.response_id,
            model=recorded.model,
        )
