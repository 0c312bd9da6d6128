"""Sets up the server's log, and keeps secrets out of it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from stat import S_ISFIFO

from lsprotocol import types
from typing_extensions import override

from assay_engine.words import obeyed_by_nobody, one_line, visible
from assay_lsp.settings import ServerSettings

# What the engine tells of each request. By its name: the module that writes it imports a lot.
requests_sent = logging.getLogger("assay_engine.requests")

_FORMAT = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"
_FILE_BYTES = 5_000_000
# Shorter values are words rather than secrets, and striking them out would garble the log.
_SECRET_CHARACTERS = 8
_OURS = ("assay_engine", "assay_lsp", "assay_sandbox")


class Redacting(logging.Formatter):
    """Strikes the values of secret-looking environment variables out of whatever is logged, and
    has nobody who shows the log obey what it quotes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(_FORMAT)
        self._secrets = [
            value
            for name, value in environment.items()
            if name.upper().endswith(("KEY", "TOKEN", "SECRET", "PASSWORD"))
            and len(value) >= _SECRET_CHARACTERS
        ]

    @override
    def formatMessage(self, record: logging.LogRecord) -> str:
        return one_line(super().formatMessage(record))

    @override
    def format(self, record: logging.LogRecord) -> str:
        return self.struck(obeyed_by_nobody(visible(super().format(record))))

    def struck(self, text: str) -> str:
        """The text without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text


class RequestLines(logging.Handler):
    """Hands what the engine tells of its requests to `show`: lines, or at DEBUG whole prompts.

    Called on the engine's thread; `show` is called on `loop`.
    """

    def __init__(
        self,
        show: Callable[[types.LogMessageParams], None],
        loop: asyncio.AbstractEventLoop,
        environment: Mapping[str, str],
    ) -> None:
        super().__init__()
        self._show = show
        self._loop = loop
        self._secrets = Redacting(environment)
        requests_sent.handlers = [self]
        requests_sent.propagate = False

    @override
    def emit(self, record: logging.LogRecord) -> None:
        lines = record.getMessage().split("\n")
        text = "\n".join(self._secrets.struck(obeyed_by_nobody(visible(line))) for line in lines)
        # VS Code hides whatever is less than information; a prompt is there because the user asked.
        told = types.LogMessageParams(types.MessageType.Info, text)
        with suppress(RuntimeError):  # The server's loop is closed.
            self._loop.call_soon_threadsafe(self._show, told)


def set_up(settings: ServerSettings, environment: Mapping[str, str]) -> str | None:
    """Log to the file of the settings or else to stderr; returns a complaint about the file."""
    complaint = None
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    is_pipe = False
    with suppress(OSError, ValueError):
        is_pipe = bool(settings.log_file) and S_ISFIFO(os.stat(str(settings.log_file)).st_mode)
    if is_pipe:
        complaint = "logFile is a pipe; the log goes to stderr."
    elif settings.log_file:
        try:
            handler = RotatingFileHandler(
                settings.log_file, maxBytes=_FILE_BYTES, backupCount=1, encoding="utf-8"
            )
        except OSError as error:
            complaint = f"logFile cannot be written ({error.strerror}); the log goes to stderr."
    handler.setFormatter(Redacting(environment))
    root = logging.getLogger()
    for old in tuple(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    # At INFO pygls logs the text of each message, and so the user's code. At DEBUG watchdog logs
    # every write to the log, if that lies in a watched folder.
    root.setLevel(max(level, logging.WARNING))
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
    # One line for each request, whatever the level; its prompt only if everything is logged.
    requests_sent.setLevel(min(level, logging.INFO))
    return complaint
