"""Answers from a transcript, without any request."""

from __future__ import annotations

from pathlib import Path

from assay_engine.advice import Advice
from assay_engine.errors import ReplyUnusable, TranscriptMiss
from assay_engine.models.forbidden import NOT_AS_IT_WAS
from assay_engine.models.keys import prompt_digest
from assay_engine.models.transcript import read_transcript
from assay_engine.types import Prompt, Reply


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
