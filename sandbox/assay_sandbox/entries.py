"""Turns a child's entries, and its end, into observations. All is hostile until checked.

Checks names of types, since a class's author may write anything into its name.
"""

from __future__ import annotations

import base64
import json
import re
import signal
from typing import cast

from . import wire
from .errors import ProtocolError
from .observations import (
    LATE,
    Crashed,
    Encoded,
    LoadFailed,
    Observation,
    OutOfMemory,
    OutputExceeded,
    Raised,
    Refused,
    Returned,
    TimedOut,
    Unserialisable,
)
from .programs import Limits
from .workers import Worker

NAME_CHARACTERS = 200
UNNAMED = "<unnamed type>"

_PUNCTUATION = re.compile(r"[.<>\[\]]")
# The worker's name for an array: its type and that of its items, as NumPy writes it.
_ARRAY = re.compile(r"numpy\.ndarray:[<>|=]?[A-Za-z][0-9]*(\[[0-9]*[A-Za-z]+\])?")


def type_name(given: str) -> str:
    """The name if it looks like one (letters, digits, ``_ . < > [ ]``), or else `UNNAMED`.

    Names occur in sentences, in Markdown and on terminals: none may contain a line break, a link
    or an escape sequence.
    """
    letters = _PUNCTUATION.sub("", given)
    named = 0 < len(given) <= NAME_CHARACTERS and f"_{letters}".isidentifier()
    return given if named or _ARRAY.fullmatch(given) or given == UNNAMED else UNNAMED


# MORE begins the line of an entry that is more than a value. BETWEEN separates its parts, and
# WITHIN the parts of what it says about the time after the call.
MORE, BETWEEN, WITHIN = "!", "\t", "\x1f"
PARTS = 5
# The child's bound on the description of an exception.
MESSAGE_MAX = 10_000
# How many base classes of an exception are kept; a program can have any number.
LINEAGE_MAX = 100
# Longer than any honest description of a call that returned nothing (a message and names, escaped),
# and than the trace of any program. Both are parsed here, and nested lists take up to a hundred
# times the room of their text.
DESCRIPTION_BYTES = 1 << 19


def read_entry(line: str, limits: Limits) -> tuple[Observation, str]:
    """The observation that a line beginning with `MORE` gives, and what was watched of the call.

    Raises ProtocolError, ValueError or RecursionError for a line that no honest child writes.
    """
    parts = line.removeprefix(MORE).split(BETWEEN)
    if len(parts) != PARTS:
        raise ProtocolError(f"an entry of {len(parts)} parts")
    status, value, after, output, watched = parts
    if len(watched) > DESCRIPTION_BYTES:
        raise ProtocolError(f"a trace of {len(watched)} bytes")
    printed = base64.b64decode(output, validate=True).decode("utf-8", "surrogatepass")
    # One more than may be printed: an incomplete character at the end is shown as a whole one.
    if len(printed) > limits.stdout_bytes + 1:
        cut = printed[: limits.stdout_bytes]
        return OutputExceeded(limits.stdout_bytes, cut), watched
    return _observation(int(status), value, after, printed, limits), watched


def check_length(value: str, limits: Limits) -> None:
    """Raise ProtocolError for a longer value: an honest child bounds what it encodes."""
    if len(value) > limits.value_bytes:
        raise ProtocolError(f"a value of {len(value)} bytes")


def _observation(status: int, value: str, after: str, output: str, limits: Limits) -> Observation:
    # Arguments, files and calls of mocks: the latter two only in a scene.
    changes = [*after.split(WITHIN, 2), "", ""][:3]
    for change in changes:
        check_length(change, limits)
    args_after, files, mocks = (Encoded(change) if change else None for change in changes)
    if status == wire.RETURNED:
        if not value:
            raise ProtocolError("an empty value")
        check_length(value, limits)
        return Returned(Encoded(value), args_after, output, files, mocks)
    if len(value) > DESCRIPTION_BYTES:
        raise ProtocolError(f"a description of {len(value)} bytes")
    if status == wire.TIMED_OUT:
        return TimedOut(limits.call_seconds, stdout=output)
    if status == wire.OUT_OF_MEMORY:
        return OutOfMemory(limits.memory_bytes, output)
    if status == wire.OUTPUT_EXCEEDED:
        return OutputExceeded(limits.stdout_bytes, output)
    if status == wire.RAISED:
        parsed: object = json.loads(value)
        if type(parsed) is not list or len(cast("list[object]", parsed)) != 5:
            raise ProtocolError("an exception without its five parts")
        *texts, lineage, passed_on, step = cast("list[object]", parsed)
        name, message = _texts(texts, 2)
        return Raised(
            type_name(name),
            _message(message),
            tuple(map(type_name, _texts(lineage)[:LINEAGE_MAX])),
            args_after,
            output,
            files,
            mocks,
            passed_on is True,
            step if type(step) is int and step > 0 else None,
        )
    if status == wire.REFUSED:
        (refused,) = _texts(json.loads(value), 1)
        return Refused(_message(refused), stdout=output)
    if status == wire.UNSERIALISABLE:
        what: object = json.loads(value)
        if type(what) is dict:
            kind, reason = _texts(cast("dict[str, object]", what).get("opaque"), 2)
            return Unserialisable(_message(f"{type_name(kind)}: {reason}"), output)
        return Unserialisable(_message(_texts(what, 1)[0]), output)
    if status == wire.LOAD_FAILED:
        name, message = _texts(json.loads(value), 2)
        return LoadFailed(type_name(name), _message(message))
    raise ProtocolError(f"an unknown status {status}")


def _message(text: str) -> str:
    if len(text) > MESSAGE_MAX:
        raise ProtocolError(f"a message of {len(text)} characters")
    return text


def _texts(parsed: object, count: int | None = None) -> tuple[str, ...]:
    if type(parsed) is not list:
        raise ProtocolError("no list where texts belong")
    parts = cast("list[object]", parsed)
    if count is not None and len(parts) != count:
        raise ProtocolError(f"{len(parts)} texts where {count} belong")
    if any(type(part) is not str for part in parts):
        raise ProtocolError("a list of texts with something else in it")
    return tuple(cast("list[str]", parts))


def how_it_ended(child: Worker, limits: Limits, loading: bool) -> Observation:
    """The observation of the call that was under way, or of the program if it was `loading`."""
    status = child.exit_status
    if status is None:
        return Crashed("took its zygote with it")
    if status == wire.TORN_EXIT:
        return Crashed("a signal handler of its own cut off what it had to say")
    if status == wire.OVERDUE_EXIT:
        return slow_load(limits) if loading else TimedOut(limits.call_seconds)
    if status >= 0:
        return Crashed(f"ended itself with status {status}")
    if -status == signal.SIGXCPU:
        return TimedOut(limits.call_seconds)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return Crashed(f"ended by {name}")


def nonsense(error: ProtocolError) -> Crashed:
    return Crashed(f"nonsense on the wire: {error}")


def slow_load(limits: Limits) -> LoadFailed:
    return LoadFailed("TimeoutError", f"{LATE}{limits.load_seconds:g} s")
