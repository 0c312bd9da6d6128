"""Records every reply, so that a check can be repeated without a model.

Answers from a transcript, without any request.

Takes the place of an endpoint when nothing may be sent.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from msgspec.structs import replace

from assay_engine.advice import Advice
from assay_engine.errors import (
    ConfigurationError,
    ReplyUnusable,
    RequestsForbidden,
    StoreError,
    TranscriptMiss,
)
from assay_engine.files.bounded import is_there
from assay_engine.models.transcript import (
    Recorded,
    Transcript,
    entry_line,
    header_line,
    prompt_digest,
    read_transcript,
)
from assay_engine.types import Model, Prompt, Reply, Usage


class RecordingModel:
    """Passes on the replies of `inner` and has them recorded as they came, however malformed.

    Put it outside a cache, so that replies from the cache are recorded, too. Failures to reach the
    model are not recorded, since they say nothing about the model.
    """

    def __init__(self, inner: Model, recorder: Recorder) -> None:
        self.name = inner.name
        self._inner = inner
        self._recorder = recorder

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        try:
            reply = await self._inner.reply(prompt, sample)
        except ReplyUnusable as error:
            self._recorder.record(prompt, sample, str(error))
            raise
        self._recorder.record(prompt, sample, reply)
        return reply


class Recorder:
    """Appends the replies of one model to a transcript.

    All that write to a file share one recorder, so that the file is read once. A reply that the
    transcript already holds is not written again. `prompts=False` leaves out the texts of prompts,
    where they may not be passed on.
    """

    def __init__(self, path: Path, model: str, *, prompts: bool = True) -> None:
        """Open the transcript, or begin one.

        Raises `ConfigurationError` for a file that is no transcript, for a transcript of another
        model, and for a file in a folder that does not exist.
        """
        self._path = path
        self._model = model
        self._prompts = prompts
        # Several threads may share the recorder.
        self._writing = threading.Lock()
        self._known = dict(self._begin().replies)

    def record(self, prompt: Prompt, sample: int, outcome: Reply | str) -> None:
        """Record a reply, or the message of an unusable one. Raises `StoreError`."""
        key = (prompt_digest(prompt), sample)
        with self._writing:
            recorded = _recorded(outcome)
            known = self._known.get(key)
            # Every response has a name of its own: another name alone is no other reply.
            if known is None or replace(recorded, response_id=known.response_id) != known:
                self._append(
                    entry_line(prompt, sample, self._model, outcome, with_prompt=self._prompts)
                )
                self._known[key] = recorded

    def _begin(self) -> Transcript:
        if not is_there(self._path.parent):
            raise ConfigurationError(
                f"The folder {self._path.parent} does not exist, in which {self._path.name} would "
                "be recorded; make it, or name another file."
            )
        if not is_there(self._path) or not self._path.stat().st_size:
            self._append(header_line(self._model))
        elif not _ends_a_line(self._path):
            # Editors may leave a file like this. The next entry would become part of the last line.
            self._append(b"\n")
        transcript = read_transcript(self._path)
        if transcript.model != self._model:
            raise ConfigurationError(
                f"{self._path} holds replies of {transcript.model}; "
                f"record those of {self._model} to another file."
            )
        return transcript

    def _append(self, line: bytes) -> None:
        """Append a line in one write: whole or not at all, even beside other writers."""
        try:
            with self._path.open("ab", buffering=0) as file:
                written = file.write(line)
        except OSError as error:
            raise self._unwritable(str(error.strerror)) from error
        if written != len(line):
            raise self._unwritable("the disk is full; the last line is damaged")

    def _unwritable(self, reason: str) -> StoreError:
        return StoreError(
            f"The transcript {self._path} cannot be written ({reason}); make room or name another."
        )


def _ends_a_line(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() == b"\n"
    except OSError:
        # When the transcript is read, an error says why it cannot be read.
        return True


def _recorded(outcome: Reply | str) -> Recorded:
    if isinstance(outcome, str):
        return Recorded("", Usage(), outcome)
    return Recorded(
        outcome.text, outcome.usage, response_id=outcome.response_id, model=outcome.model
    )


# For messages where a reply is missing, although most functions have theirs.
NOT_AS_IT_WAS = "this function: its signature, docstring or imports may have changed since"


class Forbidden:
    """Refuses every request, and says what to do instead.

    It keeps the name of the model that it replaces, so that a cache around it still finds this
    model's replies.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        missing = f"No stored reply for {NOT_AS_IT_WAS}"
        raise RequestsForbidden(missing, Advice.NOT_OFFLINE, seen="no stored reply")


class ReplayModel:
    """The model that a transcript was recorded from, as far as the transcript goes."""

    def __init__(self, path: Path) -> None:
        """Read the transcript. Raises `ConfigurationError` if the file is no sound transcript."""
        self._path = path
        self._transcript = read_transcript(path)
        self.name = self._transcript.model

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
