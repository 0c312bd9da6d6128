"""Recorded replies: JSON Lines that people can read, diff and commit, to repeat a check without a
model.

The first line is ``{"assay_transcript": 1, "model": NAME}``. Every other line holds one reply, or
the error that came instead. Later lines replace earlier ones of the same prompt and sample.

The identities of prompts and replies, for the store and for transcripts.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from assay_engine.advice import Advice
from assay_engine.digest import of_text
from assay_engine.errors import ConfigurationError, ReplyUnusable, StoreError, TranscriptMiss
from assay_engine.files.bounded import is_there, read_bytes
from assay_engine.types import Prompt, Reply, Usage

VERSION = 1
HEADER = "assay_transcript"
UNUSABLE = "reply-unusable"

# Far beyond any benchmark's transcript; a larger file was named by mistake.
TRANSCRIPT_BYTES_MAX = 1 << 30

# For messages where a reply is missing, although most functions have theirs.
NOT_AS_IT_WAS = "this function: its signature, docstring or imports may have changed since"


class Recorded(Struct, frozen=True):
    """The outcome of one request: a text, or the message of an unusable reply (`error`).

    `model` wrote the text, if that is another name than the transcript's, which is of several.
    """

    text: str
    usage: Usage
    error: str | None = None
    response_id: str = ""
    model: str = ""


class Transcript(Struct, frozen=True):
    """Replies by prompt digest and sample index."""

    model: str
    replies: Mapping[tuple[str, int], Recorded] = field(
        default_factory=dict[tuple[str, int], Recorded]
    )


def header_line(model: str) -> bytes:
    return _line({HEADER: VERSION, "model": model})


def entry_line(
    prompt: Prompt, sample: int, model: str, outcome: Reply | str, *, with_prompt: bool
) -> bytes:
    """The line for a reply, or for the message of an unusable one."""
    entry: dict[str, object] = {"prompt_digest": prompt_digest(prompt)}
    if with_prompt:
        entry["prompt"] = asdict(prompt)
    written_by = "" if isinstance(outcome, str) else outcome.model
    entry |= {"model": written_by or model, "sample": sample}
    if isinstance(outcome, str):
        return _line(entry | {"error": UNUSABLE, "message": outcome})
    usage = asdict(outcome.usage)
    if not usage["cached_tokens"]:
        del usage["cached_tokens"]
    entry |= {"text": outcome.text, "usage": usage}
    return _line(entry | ({"response_id": outcome.response_id} if outcome.response_id else {}))


def read_transcript(path: Path) -> Transcript:
    """The transcript in a file. Raises `ConfigurationError`, which names a damaged line."""
    try:
        lines = read_bytes(path, TRANSCRIPT_BYTES_MAX).splitlines()
    except OSError as error:
        raise ConfigurationError(
            f"The transcript {path} cannot be read ({error.strerror}); name another file."
        ) from error
    ours = (each and (HEADER in each or "prompt_digest" in each) for each in map(_read, lines))
    if any(map(bytes.strip, lines)) and not any(ours):
        # This is a file that was named by mistake: the advice to remove damaged lines would be bad.
        raise ConfigurationError(f"{path} is not a transcript; {Advice.USE_TRANSCRIPT}.")
    model: str | None = None
    replies: dict[tuple[str, int], Recorded] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue  # editors leave one at the end
        where = f"{path}:{number}"
        entry = _read(line)
        if entry is None:
            raise _damaged(where)
        if HEADER in entry:
            model = _model(entry, model, where)
        elif model is None:
            raise ConfigurationError(
                f"{where} is not the first line of a transcript; {Advice.NAME_TRANSCRIPT}."
            )
        else:
            replies |= [_recorded(entry, model, where)]
    if model is None:
        raise ConfigurationError(f"The transcript {path} is empty; {Advice.RECORD_AGAIN}.")
    return Transcript(model, replies)


def _line(value: object) -> bytes:
    # With ASCII escapes every reply is read back as it came, half surrogate pairs included, and no
    # line separator inside a text can break a line.
    return json.dumps(value, ensure_ascii=True).encode("ascii") + b"\n"


def _read(line: bytes) -> dict[str, object] | None:
    try:
        entry: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", entry) if isinstance(entry, dict) else None


def _model(header: dict[str, object], known: str | None, where: str) -> str:
    """The header's model. Files may be joined end to end if they have the same model."""
    match header:
        case {"assay_transcript": 1, "model": str() as name}:
            if known is not None and name != known:
                raise ConfigurationError(
                    f"{where} begins replies of {name} after those of {known}; keep one per file."
                )
            return name
        case _:
            raise ConfigurationError(
                f"{where} is of a version this Assay cannot read; update Assay or record it again."
            )


def _recorded(
    entry: dict[str, object], transcribed: str, where: str
) -> tuple[tuple[str, int], Recorded]:
    match entry:
        case {
            "prompt_digest": str() as digest,
            "sample": int() as sample,
            "error": "reply-unusable",
        }:
            return (digest, sample), Recorded("", Usage(), str(entry.get("message", "")))
        case {
            "prompt_digest": str() as digest,
            "sample": int() as sample,
            "text": str() as text,
            "usage": {
                "requests": int() as requests,
                "prompt_tokens": int() as prompt_tokens,
                "completion_tokens": int() as completion_tokens,
            },
        }:
            spent = cast("dict[str, object]", entry["usage"]).get("cached_tokens", 0)
            cached = spent if isinstance(spent, int) else 0
            usage = Usage(requests, prompt_tokens, completion_tokens, cached)
            name, model = str(entry.get("response_id", "")), str(entry.get("model", ""))
            of_several = "" if model == transcribed else model
            return (digest, sample), Recorded(text, usage, response_id=name, model=of_several)
        case _:
            raise _damaged(where)


def _damaged(where: str) -> ConfigurationError:
    return ConfigurationError(f"{where} is damaged; remove the line, or record the file again.")


def prompt_digest(prompt: Prompt) -> str:
    """The identity of all that is asked: template, version, both texts and parameters."""
    return _digest(asdict(prompt))


def reply_key(prompt: Prompt, model: str, sample: int) -> str:
    """The identity of one sample of a prompt by one model.

    The endpoint's address is left out: the same model behind another proxy is the same model, and
    a cache that moves with a laptop should keep its worth.
    """
    return _digest({"prompt": asdict(prompt), "model": model, "sample": sample})


def _digest(value: object) -> str:
    return of_text(json.dumps(value, sort_keys=True, separators=(",", ":")))


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
            if isinstance(outcome, str):
                recorded = Recorded("", Usage(), outcome)
            else:
                recorded = Recorded(
                    outcome.text,
                    outcome.usage,
                    response_id=outcome.response_id,
                    model=outcome.model,
                )
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
                f"The folder {self._path.parent} does not exist, so {self._path.name} cannot be "
                "recorded there; create it, or name another file."
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
