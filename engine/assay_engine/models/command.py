"""Asks a model by a command: a coding agent that somebody is signed in to, or any other program.

The prompt goes to its standard input, which is closed then; what it prints is the reply. It runs in
an empty folder that lasts for one request, without the variables that would bill a key, and is
ended together with everything that it has started when it has answered, when its time is over, or
when this process ends in whatever way.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from msgspec import Struct

from assay_engine.advice import Advice
from assay_engine.config.settings import Endpoint, Sampling
from assay_engine.errors import ModelUnavailable, ReplyUnusable
from assay_engine.models import command_supervisor
from assay_engine.models.commands import (
    COMMANDS,
    FOLDER,
    Answer,
    CommandRow,
    is_billed_by_request,
    row_of,
)
from assay_engine.models.counting import estimated_tokens
from assay_engine.models.failures import (
    QUOTED_CHARACTERS_MAX,
    AnswerLost,
    RefusesAll,
    Wording,
)
from assay_engine.models.slots import NeverSent, RefusedMeanwhile, RequestSlots
from assay_engine.types import Prompt, Reply, Usage
from assay_engine.words import short, whole_characters

# Each takes some hundred megabytes.
AT_A_TIME = 4
# As of a response; what is beyond it of errors is not kept.
PRINTED_BYTES_MAX = 1_000_000
ERRORS_BYTES_MAX = 64_000
READ_BYTES = 1 << 16
# To say whether somebody is signed in, which is known on this machine.
STATUS_SECONDS = 10.0
# For the supervisor to end what it has started.
END_SECONDS = 5.0

# A key of any provider would be billed by the token, and Assay's own are nobody else's.
_KEYS = ("_API_KEY", "_AUTH_TOKEN")
_OWN = "ASSAY_"
_LEFT_OUT = frozenset(
    {
        # Accounts of clouds, which are billed by the token as well.
        *("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"),
        "GOOGLE_GENAI_USE_VERTEXAI",
        # Assay may have been started by such a command, which says so to the ones below it.
        *("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"),
        # This would trust what is in the folder, and allow every tool.
        "COPILOT_ALLOW_ALL",
    }
)


class FoundCommand(Struct, frozen=True):
    """A command that is installed; `signed_in` is None if it does not tell."""

    name: str
    product: str
    signed_in: bool | None
    sign_in: str


class _Ended(Struct, frozen=True):
    """What a command printed, and how it ended."""

    status: int
    printed: bytes
    errors: bytes


class _TooMuch(Exception):
    """It printed more than is read."""


class CommandModel:
    """The model that a command asks.

    Raises `ConfigurationError` for a name that no row has. Temperature and length of replies are
    the command's own business.
    """

    def __init__(self, endpoint: Endpoint, sampling: Sampling) -> None:
        self.name = endpoint.name
        self._row = row_of(endpoint)
        self._by_request = is_billed_by_request(endpoint)
        if self._row is None:
            self._words = tuple(endpoint.command)
        else:
            model = ("--model", endpoint.model) if endpoint.model else ()
            self._words = (self._row.name, *self._row.words, *model)
        self._environment = endpoint.environment
        self._seconds = sampling.request_seconds
        self._slots = RequestSlots(min(sampling.concurrency, AT_A_TIME))
        self._wording = Wording(self._words[0], endpoint.model, self._seconds)
        self._signing_in = asyncio.Lock()
        self._is_signed_in = False

    def problem(self) -> str | None:
        """Why it cannot be asked, as far as that is known without starting anything."""
        try:
            self._program()
        except RefusesAll as failure:
            return str(failure)
        return None

    async def reply(self, prompt: Prompt, sample: int) -> Reply:
        begun = False
        try:
            async with self._slots:
                await self._look_who_is_signed_in()
                begun = True
                answer = await self._answer(prompt)
        except asyncio.CancelledError:
            if not begun:
                raise NeverSent from None
            if self._by_request:
                # It counts as a request, and nobody counts tokens.
                raise RefusedMeanwhile from None
            raise
        usage = Usage(1)
        if not self._by_request:
            sent, written = answer.prompt_tokens, answer.completion_tokens
            usage = Usage(
                1,
                estimated_tokens(prompt.system, prompt.user) if sent is None else sent,
                estimated_tokens(answer.text) if written is None else written,
            )
        return Reply(answer.text, sample, usage, cached=False)

    async def _answer(self, prompt: Prompt) -> Answer:
        """What it answers. Raises `ModelUnavailable` or `ReplyUnusable`."""
        host, tokens = self._wording.host, 0 if self._by_request else None
        text = "\n\n".join(filter(None, (prompt.system, prompt.user)))
        words = (self._program(), *self._words[1:])
        by_hand = f"run `{host}` in a terminal to see why"
        try:
            ended = await _run(
                words, self._row, self._environment, whole_characters(text), self._seconds
            )
        except TimeoutError:
            seen = f"{host} did not answer within {self._seconds:g} s"
            raise AnswerLost(
                f"{seen}; try again, raise request_seconds, or {by_hand}.",
                seen=seen,
                mention=f"a request was not answered in {self._seconds:g} s",
                sent=True,
                prompt_tokens=tokens,
                completion_tokens=tokens,
            ) from None
        except _TooMuch:
            seen = f"{host} printed more than {PRINTED_BYTES_MAX:,} bytes, which were dropped"
            raise ReplyUnusable(
                f"{seen}; {by_hand}.",
                seen=seen,
                sent=True,
                prompt_tokens=tokens,
                completion_tokens=tokens,
            ) from None
        except OSError as error:
            seen = f"{host} cannot be started ({error.strerror})"
            raise RefusesAll(f"{seen}; {by_hand}.", seen=seen) from None
        printed, errors = (
            each.decode("utf-8", "replace") for each in (ended.printed, ended.errors)
        )
        try:
            # Some write what they would print to standard error if they fail.
            answer = self._row.read(printed.strip() or errors) if self._row else Answer(printed)
        except (ValueError, LookupError, TypeError, RecursionError):
            answer = None
        if answer is not None and answer.error is not None:
            failure = RefusesAll if answer.lasts else ModelUnavailable
            seen = f"{host} reports an error"
            said = self._wording.quoted(answer.error)
            raise failure(f"{seen}{said}; {by_hand}.", seen=seen, sent=True)
        if ended.status:
            seen = f"{host} failed with exit status {ended.status}"
            # The cause is in the first line, or in the last.
            said = self._wording.quoted(short(errors, QUOTED_CHARACTERS_MAX))
            raise ModelUnavailable(f"{seen}{said}; {by_hand}.", seen=seen, sent=True)
        if answer is None:
            seen = "printed nothing" if not printed.strip() else "printed an unknown format"
            raise self._wording.unusable(seen, f"update it, or {by_hand}")
        if not answer.text.strip():
            raise self._wording.unusable("printed nothing", by_hand)
        return answer

    async def _look_who_is_signed_in(self) -> None:
        """Look once. A command that nobody is signed in to may try for a minute."""
        async with self._signing_in:
            program = self._program()
            if not self._is_signed_in and self._row is not None:
                signed_in = await _signed_in(program, self._row, self._environment)
                if signed_in is False:
                    seen = f"Nobody is signed in to {self._row.product}"
                    raise RefusesAll(f"{seen}; run `{self._row.sign_in}`.", seen=seen)
            self._is_signed_in = True

    def _program(self) -> str:
        found = _installed(self._words[0], self._environment)
        if found is None:
            seen = f"The command {self._words[0]} is not installed"
            raise RefusesAll(f"{seen}; install it, or {Advice.SET_UP}.", seen=seen)
        return found


async def find_commands(environment: Mapping[str, str]) -> tuple[FoundCommand, ...]:
    """The commands with a row that are installed; those that can be used at once come first."""

    async def look(row: CommandRow) -> FoundCommand | None:
        if (program := _installed(row.name, environment)) is None:
            return None
        signed_in = await _signed_in(program, row, environment)
        return FoundCommand(row.name, row.product, signed_in, row.sign_in)

    looked = await asyncio.gather(*map(look, COMMANDS))
    found = [each for each in looked if each is not None]
    return tuple(sorted(found, key=lambda each: (True, None, False).index(each.signed_in)))


async def _signed_in(program: str, row: CommandRow, environment: Mapping[str, str]) -> bool | None:
    if not row.signed_in:
        return None
    try:
        words = (program, *row.signed_in)
        return not (await _run(words, row, environment, "", STATUS_SECONDS)).status
    except (OSError, TimeoutError, _TooMuch):
        return None


def _installed(program: str, environment: Mapping[str, str]) -> str | None:
    """The path of a program, from folders of the `PATH` that do not depend on where one is."""
    if os.path.isabs(program):
        return shutil.which(program)
    if os.path.dirname(program):
        return None
    folders = environment.get("PATH", "").split(os.pathsep)
    found = (shutil.which(os.path.join(each, program)) for each in folders if os.path.isabs(each))
    return next(filter(None, found), None)


async def _run(
    words: tuple[str, ...],
    row: CommandRow | None,
    environment: Mapping[str, str],
    text: str,
    seconds: float,
) -> _Ended:
    """Run a command to its end. Raises `TimeoutError`, `_TooMuch` or `OSError`."""
    with tempfile.TemporaryDirectory(prefix="assay-", ignore_cleanup_errors=True) as folder:
        for name, content in row.files if row else ():
            Path(folder, name).write_text(content, "utf-8")
        empty = Path(folder, "empty")
        empty.mkdir()
        words = tuple(each.replace(FOLDER, folder) for each in words)
        kept = {
            name: value
            for name, value in environment.items()
            if not (name.endswith(_KEYS) or name.startswith(_OWN) or name in _LEFT_OUT)
        }
        # Its temporary files go with its folder.
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
        given = {**kept, "NO_COLOR": "1", **places, **dict(row.variables if row else ())}
        async with _started(words, given, empty) as process:
            async with asyncio.timeout(seconds):
                _, printed, errors = await asyncio.gather(
                    _write(process, text), _printed(process), _errors(process)
                )
                return _Ended(await process.wait(), printed, errors)


@asynccontextmanager
async def _started(
    words: tuple[str, ...], environment: dict[str, str], folder: Path
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """The command as a process. At the end nothing that it has started is left."""
    if sys.platform == "win32":
        process = await _begun(words, environment, folder)
        try:
            yield process
        finally:
            ending = ("taskkill", "/F", "/T", "/PID", str(process.pid))
            await asyncio.to_thread(subprocess.run, ending, capture_output=True, check=False)
        return
    # If this process is killed, the system closes this pipe.
    watched, held = os.pipe()
    try:
        supervisor = (sys.executable, "-I", "-S", command_supervisor.__file__, str(watched))
        process = await _begun((*supervisor, *words), environment, folder, watched)
    except BaseException:
        os.close(held)
        raise
    finally:
        os.close(watched)
    try:
        yield process
    finally:
        os.close(held)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), END_SECONDS)


async def _begun(
    words: tuple[str, ...], environment: dict[str, str], folder: Path, *given: int
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        # Without a terminal there is nobody to be asked.
        start_new_session=True,
        pass_fds=given,
    )


async def _write(process: asyncio.subprocess.Process, text: str) -> None:
    assert process.stdin is not None
    # It may have ended without reading all of it.
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(text.encode("utf-8"))
        await process.stdin.drain()
    process.stdin.close()


async def _printed(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    found = bytearray()
    while chunk := await process.stdout.read(READ_BYTES):
        found += chunk
        if len(found) > PRINTED_BYTES_MAX:
            raise _TooMuch
    return bytes(found)


async def _errors(process: asyncio.subprocess.Process) -> bytes:
    assert process.stderr is not None
    found = bytearray()
    while chunk := await process.stderr.read(READ_BYTES):
        found += chunk[: ERRORS_BYTES_MAX - len(found)]
    return bytes(found)
