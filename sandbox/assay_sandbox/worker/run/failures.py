"""Describes the failure of a call that did not return, or of a program that did not load.

What the kernel has refused under confinement is named by audit events, or by the call's frame.
"""

from __future__ import annotations

import errno
import os
import sys
from _socket import gaierror

from .. import inspecting, origin
from ..bounds import deadline, wire
from ..origin import frame_below
from ..values import encoding, writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# Events whose errors name nothing, or something other than the event names.
_NAMELESS = frozenset(
    (
        "mmap.__new__",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.posix_spawn",
        "os.spawn",
        "os.system",
        "socket.__new__",
        "socket.bind",
        "socket.connect",
        "socket.sendto",
        "subprocess.Popen",
    )
)
_LOOK_UPS = ("socket.getaddrinfo", "socket.gethostbyaddr", "socket.gethostbyname")
_WATCHED = _NAMELESS.union(
    (
        *_LOOK_UPS,
        "open",
        "os.chdir",
        "os.chmod",
        "os.chown",
        "os.getxattr",
        "os.link",
        "os.listdir",
        "os.listxattr",
        "os.mkdir",
        "os.remove",
        "os.removexattr",
        "os.rename",
        "os.rmdir",
        "os.scandir",
        "os.setxattr",
        "os.symlink",
        "os.truncate",
        "os.utime",
        "shutil.rmtree",
    )
)
_FORBIDDEN = (errno.EPERM, errno.EACCES)
# In a view that is mounted read-only this keeps a program from writing.
_READ_ONLY = (errno.EROFS,)
# Where it is not in view, what would be made there is not forbidden, it is not found.
_SHARES_MEMORY = not sys.platform.startswith("linux") or os.path.isdir("/dev/shm")
_SOCKET = "socket.__new__"
# Importing opens many files; what is caught, looked into and raised again is rarely that old.
REMEMBERED = 256


class Refusals:
    """The latest watched events of one call, and what each was about."""

    def __init__(self, under_way: Callable[[], int]) -> None:
        self._under_way = under_way
        self._call: int | None = None
        self._events: list[tuple[str, object]] = []

    def watch(self) -> None:
        sys.addaudithook(self._note)

    def explain(self, error: BaseException, call: int) -> str | None:
        """The name of what was refused, if this error, or one that it was raised for, is a refusal
        that can be named.

        A program that says by an error of its own that it could not reach something was kept from
        it all the same.
        """
        found = (self._named(each, call) for each in origin.with_causes(error))
        return next((each for each in found if each is not None), None)

    def _named(self, error: BaseException, call: int) -> str | None:
        """The name of what was refused, if this error itself is a refusal.

        The system's errors come from a call, not from a `raise`. They have a number, and a file's
        name where there is one. An error of the program's own, such as "admins only", has neither.
        """
        if type(error) is FileNotFoundError and not _SHARES_MEMORY:
            return origin.missing(error)
        events = self._events if self._call == call else []
        if type(error) is gaierror:
            # The resolver reads no files and reaches no server: it says that there is no answer.
            asked = (f"{event} {host!r}" for event, host in reversed(events) if event in _LOOK_UPS)
            return next(asked, None)
        # By identity: a metaclass could answer for `==` and `hash` of its types.
        if type(error) is PermissionError:
            forbidden = _FORBIDDEN
        elif type(error) is OSError:
            forbidden = _READ_ONLY
        else:
            return None
        refusal: Any = error
        number: object = refusal.errno
        if type(number) is not int or number not in forbidden:
            return None
        code = origin.calling(error)
        if code is None:
            return None
        for event, subject in reversed(events):
            if event in _NAMELESS or subject == _plain(refusal.filename):
                shown = type(subject) in (str, int)
                return f"{event} {subject!r}"[:300] if shown else event
        return origin.only_call(code)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _WATCHED and not (event == _SOCKET and _is_of_a_pair()):
            call = self._under_way()
            if call != self._call or len(self._events) >= REMEMBERED:
                self._call = call
                self._events.clear()
            self._events.append((event, _plain(arguments[0] if arguments else None)))


def _is_of_a_pair() -> bool:
    """Whether the socket that is made is one of a pair, which is allowed: every event loop has one,
    and whatever is refused in it would be told of that."""
    # `_note`, which the socket's own `__init__` leads to, and who makes it.
    made_by = frame_below(2).f_back
    return made_by is not None and made_by.f_code.co_name == "socketpair"


def _plain(subject: Any) -> object:
    """The subject as a value that can be compared and kept; None for the program's objects."""
    seen: object = subject
    if type(seen) in (str, bytes, int):
        return seen
    return str.__str__(subject) if inspecting.descends(type(seen), str) else None


MESSAGE_MAX = 10_000
# A class can have base classes without end, and the host reads no more of them.
LINEAGE_MAX = 100


def texts(*parts: str) -> str:
    return "[%s]" % ",".join(map(text, parts))


def text(part: str) -> str:
    return writing.plain_string(_legible(part))


def _legible(part: str) -> str:
    """A lone surrogate as an escape, since two in a row would be read as one character."""
    return part if part.isascii() else part.encode("utf-8", "backslashreplace").decode()


def judge(
    error: BaseException, encoder: encoding.Encoder, refused: Refusals, call: int
) -> tuple[int, str]:
    """Status and JSON for what ended call number `call`."""
    kind = type(error)
    if kind is MemoryError and origin.is_of_memory(error):
        return wire.OUT_OF_MEMORY, ""
    if type(error) is writing.Unencodable:
        return wire.UNSERIALISABLE, encoder.opaque(error.kind, error.reason)
    what = refused.explain(error, call)
    if what is not None:
        return wire.REFUSED, texts(what)
    name, message = described(error, encoder)
    if origin.is_of_script(error):
        return wire.UNSERIALISABLE, texts(f"input: {name}: {message}"[:MESSAGE_MAX])
    # Neither itself nor `object`.
    bases = [encoder.name(base) for base in inspecting.lineage(kind)[1:-1][:LINEAGE_MAX]]
    return wire.RAISED, "[%s,%s,%s,%s,%d]" % (
        text(name),
        text(message),
        texts(*bases),
        "true" if origin.is_passed_on(error) else "false",
        origin.step_of(error),
    )


def loading(
    error: BaseException, over: int | None, encoder: encoding.Encoder, seconds: float
) -> tuple[str, str]:
    """Name and message of what ended loading. `over`: the status of an overstepped bound."""
    if over == wire.TIMED_OUT:
        return "TimeoutError", f"not loaded within {seconds:g} s"
    if over == wire.OUTPUT_EXCEEDED:
        return "OverflowError", "printed too much while loading"
    name, message = described(error, encoder)
    where = origin.importing(error) if isinstance(error, ImportError) else ""
    return name, f"{message}, in {where}"[:MESSAGE_MAX] if where else message


def described(error: BaseException, encoder: encoding.Encoder) -> tuple[str, str]:
    """Name and message of an exception; the message may come from the program's `__str__`."""
    # Taken first, because the program's `__str__` could change it.
    name = encoder.name(type(error))
    try:
        message = str(error)
    except deadline.OutOfTime:
        raise
    except BaseException as second:
        message = f"<its message raised {encoder.name(type(second))}>"
    # `str()` may give a subclass whose slices and lengths lie.
    message = str.__getitem__(message, slice(MESSAGE_MAX))
    # Cut again, because escapes are longer than the characters they replace.
    return name, _legible(message)[:MESSAGE_MAX]
