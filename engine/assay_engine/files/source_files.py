"""Reads and writes source files so that all parts not edited stay the same, byte for byte."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import tempfile
import tokenize
from pathlib import Path

from msgspec import Struct

from assay_engine.files.bounded import read_bytes

# Encodings of Python's own, which nobody writes texts in.
_OF_PYTHON_ALONE = (
    *("charmap", "idna", "mbcs", "oem", "palmos", "punycode"),
    *("raw_unicode_escape", "undefined", "unicode_escape"),
)
_LINE_MAX = 1000
_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class UnreadableFile(Exception):
    """The file cannot be read as Python source; the message says why."""


class SourceFile(Struct, frozen=True):
    """A file's text, with its line ends and with any byte order mark as its first character."""

    path: Path
    text: str
    encoding: str


def read_file(path: Path) -> SourceFile:
    """Read a source file. Raises `UnreadableFile`."""
    try:
        data = read_bytes(path)
    except OSError as failure:
        raise UnreadableFile(f"{path}: {failure.strerror}") from failure
    return decoded(path, data)


def decoded(path: Path, data: bytes) -> SourceFile:
    """The source file that has this content. Raises `UnreadableFile`."""
    try:
        encoding = _declared(data)
        if not is_for_text(encoding):
            raise UnreadableFile(
                f"{path}: declares the encoding {encoding}, which is not one for source text. Save "
                "it as UTF-8, and declare that or nothing."
            )
        # The byte order mark stays in the text, so that offsets fit and it is written back.
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        return SourceFile(path, data.decode(encoding), encoding)
    except (SyntaxError, UnicodeError, LookupError) as failure:
        raise UnreadableFile(f"{path}: not readable as Python source ({failure})") from failure


def declared_encoding(text: str) -> str:
    """The encoding that the first lines of a source text declare, or UTF-8."""
    # Only ASCII is passed on: since Python 3.15 the lines have to be readable in the encoding that
    # they declare.
    try:
        return _declared(text.encode("ascii", errors="replace"))
    except SyntaxError:
        return "utf-8"
    except UnicodeError:
        # An encoding that cannot express even these is as good as `undefined`, which expresses
        # nothing.
        return "undefined"


def is_for_text(encoding: str) -> bool:
    """Whether an encoding is one that texts are written in, not one of Python's own.

    Some of those take time that grows with the square of a text's length (`punycode`), or write
    other characters than an editor shows (`unicode_escape`). Raises `LookupError` for a name that
    is none.
    """
    return codecs.lookup(encoding).name.replace("-", "_") not in _OF_PYTHON_ALONE


def _declared(data: bytes) -> str:
    """The encoding that a file's first lines declare, or UTF-8. Raises SyntaxError."""
    lines = io.BytesIO(data)

    def next_line() -> bytes:
        line = lines.readline()
        if len(line) <= _LINE_MAX:
            return line
        # Nobody declares anything so far on, and reading it in a declared encoding takes its time.
        return line[:_LINE_MAX].decode("utf-8", errors="ignore").encode()

    return tokenize.detect_encoding(next_line)[0]


def write_file(file: SourceFile, text: str) -> None:
    """Replaces the file's content at once: readers see the old content or the new.

    Raises OSError, and UnicodeEncodeError if the file's encoding cannot express the text. Raises
    `UnreadableFile` if the file is read-only, if its owner or group would lose it, or if encoding
    the text that was read does not give the file's content, byte for byte. In the latter case the
    file has changed meanwhile, or its encoding has several ways to write a text.
    """
    content = text.encode(file.encoding)
    if read_bytes(file.path) != file.text.encode(file.encoding):
        raise UnreadableFile("more than the function would change; edit it by hand")
    target = file.path.resolve()
    before = target.stat()
    # The system would not stop us: a file can be replaced by anyone who may write into its folder,
    # and root may do anything.
    if not (os.access(target, os.W_OK) and before.st_mode & _WRITABLE):
        raise UnreadableFile("the file is read-only")
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        _hand_over(temporary, before)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _hand_over(path: str, before: os.stat_result) -> None:
    """Give a file to the owner and the group of the one that it replaces, with that one's mode."""
    now = os.stat(path)
    if sys.platform != "win32" and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(path, before.st_uid, before.st_gid)
        except PermissionError:
            whose = "the file belongs to another account or group, which would lose it"
            raise UnreadableFile(f"{whose}; edit it by hand") from None
    # Last: giving a file away takes some modes from it.
    os.chmod(path, before.st_mode)
