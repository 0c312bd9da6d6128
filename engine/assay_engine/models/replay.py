"""Answers out of a transcript, with no request at all."""

from __future__ import annotations

from pathlib import Path

from assay_engine.advice import Advice
from assay_engine.errors import ReplyUnusable, TranscriptMiss
from assay_engine.models.keys import prompt_digest
from assay_engine.models.transcript import read_transcript
from assay_engine.types import Prompt, Reply

_SHOWN_DIGITS = 12


class ReplayModel:
    """The model a transcript was recorded from, as far as the transcript goes."""

    def __init__(self, path: Path) -> None:
        """Raises `ConfigurationError` for a file that is no sound transcript."""
        self._path = path
        self._transcript = read_transcript(path)

    @property
    def name(self) -> str:
        return self._transcript.model

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        digest = prompt_digest(prompt)
        recorded = self._transcript.replies.get((digest, sample))
        if recorded is None:
            raise TranscriptMiss(
                f"The transcript {self._path} has no reply to prompt {prompt.name!r} version "
                f"{prompt.version} (digest {digest[:_SHOWN_DIGITS]}), sample {sample}; "
                f"{Advice.RECORD_AGAIN}."
            )
        if recorded.error is not None:
            raise ReplyUnusable(recorded.error)
        return Reply(recorded.text, sample, recorded.usage, cached=True)
