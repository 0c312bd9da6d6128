"""All that the command line prints, what to do if it can no longer be written, and exit statuses.

Nothing else writes to the standard streams. What a project, a model or an endpoint has written is
in nearly every line, so no line is trusted: neither a terminal nor a runner of CI obeys one.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO

import click
from typing_extensions import override

from assay_engine.words import obeyed_by_nobody, one_line, visible

if TYPE_CHECKING:
    from rich.console import Console


class WordedStream(TextIOWrapper):
    """A standard stream. What click, Python or a package prints unasked passes it, too."""

    _line = ""

    @override
    def write(self, text: str, /) -> int:
        # A command may be written in pieces.
        begun, self._line = self._line, (self._line + text).rpartition("\n")[2]
        super().write(_worded(begun + text)[len(_worded(begun)) :])
        return len(text)

    def write_exactly(self, text: str) -> None:
        super().write(text)


def word_streams() -> None:
    """Have all that is printed from now on worded, in characters that the stream can take."""
    for name in ("stdout", "stderr"):
        stream: TextIOWrapper[BinaryIO] | None = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            # click would write to ASCII streams in UTF-8, and past this one.
            is_ascii = codecs.lookup(stream.encoding).name == "ascii"
            worded = WordedStream(
                stream.buffer,
                "utf-8" if is_ascii else stream.encoding,
                errors="replace",
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, worded)


def say(sentence: str, *, err: bool = False) -> None:
    """Print a line, and no more than one, whatever breaks there are in what it quotes."""
    click.echo(one_line(sentence), err=err)


def complain(sentence: str) -> None:
    say(f"assay: {sentence}", err=True)


def show(text: str) -> None:
    """Print lines of ours, or of a program."""
    click.echo(text)


def give(data: str) -> None:
    """Print what is read by programs, and is exact: JSON, HTML, or commands to a runner."""
    if isinstance(sys.stdout, WordedStream):
        sys.stdout.write_exactly(f"{data}\n")
        sys.stdout.flush()
    else:
        click.echo(data)


def confirmed(question: str) -> bool:
    """Whether the user says yes. What the question quotes cannot ask another one."""
    return click.confirm(one_line(question), default=False, err=True)


def as_json(value: object, **how: Any) -> str:
    """The value in ASCII, and so that a runner that logs it finds no command in it."""
    return obeyed_by_nobody(json.dumps(value, **how), lambda each: f"\\u{ord(each):04x}")


def console() -> Console:
    """For a bar of progress on standard error, which commands the terminal."""
    from rich.console import Console

    return Console(file=sys.__stderr__)


def fails() -> bool:
    """Whether standard output takes nothing more; in that case, lead it away."""
    try:
        # The text that failed before may be gone from the buffer, so only another write tells.
        sys.stdout.write("\n")
        sys.stdout.flush()
    except OSError:
        lead_away()
        return True
    return False


def unwritten(failure: OSError) -> str:
    reason = failure.strerror
    return f"the output cannot be written ({reason}); make room, or send it elsewhere"


def lead_away() -> None:
    """Lead standard output to nowhere: Python would try to write at its end, too, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _worded(text: str) -> str:
    return obeyed_by_nobody(visible(text))


DONE, FINDINGS, COULD_NOT_RUN = 0, 1, 2
