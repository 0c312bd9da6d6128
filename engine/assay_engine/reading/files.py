"""Reads and writes source files so that what was not edited stays as it was, byte for byte."""

from __future__ import annotations

import io
import os
import stat
import tempfile
import tokenize
from pathlib import Path

from msgspec import Struct

from assay_engine.bounded import read_bytes

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class UnreadableFile(Exception):
    """The file cannot be read as Python source; the message says why."""


class SourceFile(Struct, frozen=True):
    """A file's text with its line ends and, as its first character, its byte order mark if any."""

    path: Path
    text: str
    encoding: str


def read_file(path: Path) -> SourceFile:
    """Raises `UnreadableFile`."""
    try:
        data = read_bytes(path)
    except OSError as failure:
        raise UnreadableFile(f"{path}: {failure.strerror}") from failure
    return decoded(path, data)


def decoded(path: Path, data: bytes) -> SourceFile:
    """What a file says that has this content. Raises `UnreadableFile`."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        # The mark stays in the text, so that offsets and what is written back agree.
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        return SourceFile(path, data.decode(encoding), encoding)
    # Some codecs (`undefined`, `punycode`) have errors of their own.
    except (SyntaxError, UnicodeError, LookupError) as failure:
        raise UnreadableFile(f"{path}: not readable as Python source ({failure})") from failure


def declared_encoding(text: str) -> str:
    """What the first lines of a source text say of its encoding, or UTF-8."""
    # In ASCII alone: since Python 3.15 the lines have to be readable in what they declare.
    data = io.BytesIO(text.encode("ascii", errors="replace"))
    try:
        return tokenize.detect_encoding(data.readline)[0]
    except SyntaxError:
        return "utf-8"
    except UnicodeError:
        # What cannot say even these is to others what `undefined` is, which says nothing.
        return "undefined"


def write_file(file: SourceFile, text: str) -> None:
    """Replaces the file's content at once: readers see the old or the new.

    Raises OSError; UnicodeEncodeError if the file's encoding cannot say the text; and
    `UnreadableFile` if the file is read-only, or if its content is not, byte for byte, what the
    text that was read is written as: it has changed meanwhile, or its encoding has several ways to
    write a text.
    """
    content = text.encode(file.encoding)
    if read_bytes(file.path) != file.text.encode(file.encoding):
        raise UnreadableFile("more than the function would change; edit it by hand")
    target = file.path.resolve()
    mode = target.stat().st_mode
    # Whoever may write into the folder could replace it all the same, and root may anything.
    if not (os.access(target, os.W_OK) and mode & _WRITABLE):
        raise UnreadableFile("the file is read-only")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
