"""Tells where an error comes from: the program's own `raise`, or a call of C code.

Frames of the stack: who calls, and whose code is running.
"""

from __future__ import annotations

import sys

from .inspecting import descends, identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, TracebackType
    from typing import Any, Callable, Iterator

# Typed loosely, as its way to see who calls is private to type checkers.
_system: Any = sys
# The frame that lies so many calls below the one that asks.
frame_below: Callable[[int], Any] = _system._getframe
# The file that the code of this package says it is from, see `main.py`.
_OURS = frame_below(0).f_code.co_filename


def is_ours(code: CodeType) -> bool:
    return code.co_filename == _OURS


# Functions that the confinement refuses and that raise no audit event. They are few, and their
# names are distinctive, so that hardly a frame names two of them, or means another function.
_OF_OS = """
chroot fchdir initgroups memfd_create mkfifo mknod nice openpty pidfd_open posix_fallocate
sched_setaffinity sched_setparam sched_setscheduler sendfile setegid seteuid setgid setgroups
setpgid setpriority setregid setresgid setresuid setreuid setsid setuid unshare wait3 wait4 waitpid
"""
# The file name under which expressions of inputs are compiled.
INPUT_FILE = "<input>"
# Not read as attributes: a class of the program could override those.
_of_errors: dict[str, Any] = dict(BaseException.__dict__)
_cause: Callable[[BaseException], BaseException | None] = _of_errors["__cause__"].__get__
_context: Callable[[BaseException], BaseException | None] = _of_errors["__context__"].__get__
_traceback: Callable[[BaseException], TracebackType | None] = _of_errors["__traceback__"].__get__
# Code objects by id; kept here, so that no other object gets the same id. And of those that take
# steps, how many parts they have.
_of_inputs: dict[int, CodeType] = {}
_parts: dict[int, int] = {}
# How many causes and contexts of an error are looked at.
CONTEXTS_MAX = 100
_MODULES: dict[str, str] = {
    **dict.fromkeys(_OF_OS.split(), "os"),
    "clock_settime": "time",
    "flock": "fcntl",
    "ioctl": "fcntl",
    "sethostname": "socket",
}
# From these, `multiprocessing` makes its locks and its shared memory.
_OF_SHARED_MEMORY = {"SemLock": "_multiprocessing", "shm_open": "_posixshmem"}
_MODULES.update(_OF_SHARED_MEMORY)


def calling(error: BaseException) -> CodeType | None:
    """The code whose call of a C function raised the error; None if a `raise` there raised it."""
    trace = _traceback(error)
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    # A program can make a traceback of its own, which leads anywhere.
    if not 0 <= trace.tb_lasti < len(code.co_code):
        return None
    return None if code.co_code[trace.tb_lasti] == _RAISE else code


def importing(error: BaseException) -> str:
    """The file and line whose import failed, as the path in it begins; empty for the program."""
    found, trace = "", _traceback(error)
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<"):
            roots = [each + "/" for each in sys.path if file.startswith(each + "/")]
            found = f"{file.removeprefix(max(roots, key=len, default=''))}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return found


def of_input(code: CodeType) -> None:
    """Note that this code, and the code defined in it, belongs to an expression of an input."""
    pending: list[Any] = [code]
    while pending:
        each = pending.pop()
        _of_inputs[identity(each)] = each
        pending += [held for held in each.co_consts if type(held) is type(code)]


def of_steps(code: CodeType, parts: int) -> None:
    """Note that this code, which belongs to an input, has so many parts, each on its own line."""
    _parts[identity(code)] = parts


def step_of(error: BaseException) -> int:
    """The number of the step in which the program raised the error; 0 if it raised it afterwards.

    What the step itself raises, a name that it gets wrong say, the program has not raised.
    """
    trace = _traceback(error) if _parts else None
    step = 0
    while trace is not None:
        code = trace.tb_frame.f_code
        if step and not is_of_input(code) and not is_ours(code):
            return step
        parts = _parts.get(identity(code), 0)
        if not step and parts:
            if trace.tb_lineno >= parts:
                return 0
            step = trace.tb_lineno
        trace = trace.tb_next
    return 0


def is_of_input(code: CodeType) -> bool:
    """Not by the name of its file, which any code can claim."""
    return identity(code) in _of_inputs


def is_passed_on(error: BaseException) -> bool:
    """Whether the error began in code of an expression of the input, called by the program."""
    trace = _traceback(error)
    within, caller_is_ours = False, False
    while trace is not None:
        code = trace.tb_frame.f_code
        within = is_of_input(code)
        if not within:
            caller_is_ours = is_ours(code)
        trace = trace.tb_next
    # If the input's expression itself fails, our code is the caller.
    return within and not caller_is_ours


def is_of_script(error: BaseException) -> bool:
    """Whether a script itself is at fault: it uses a name, or imports a module, that is not there.

    Whatever else its own code raises may be for what the program gave it, or did not raise: then a
    variable of the script may have no value.
    """
    kind = type(error)
    if kind is not NameError and not descends(kind, ImportError):
        return False
    trace, within = _traceback(error), False
    while trace is not None:
        within = is_of_input(trace.tb_frame.f_code)
        if not within and not is_ours(trace.tb_frame.f_code):
            return False
        trace = trace.tb_next
    return within


def is_of_memory(error: BaseException) -> bool:
    """Whether memory was short, rather than MemoryError raised by the program's own `raise`."""
    return any(
        # Where memory is short, there may have been none for a traceback.
        type(each) is MemoryError and (not _traceback(each) or calling(each) is not None)
        for each in with_causes(error)
    )


def with_causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was raised for, one after the other."""
    found: BaseException | None = error
    for _ in range(CONTEXTS_MAX):
        if found is None:
            return
        yield found
        cause = _cause(found)
        found = _context(found) if cause is None else cause


def only_call(code: CodeType) -> str | None:
    """The function of those above that this code names, if it names exactly one."""
    found = [name for name in code.co_names if name in _MODULES]
    return f"{_MODULES[found[0]]}.{found[0]}" if len(found) == 1 else None


def missing(error: BaseException) -> str | None:
    """The function that failed for want of shared memory, if the error comes from one."""
    code = calling(error)
    found = None if code is None else only_call(code)
    return found if found and found.rpartition(".")[2] in _OF_SHARED_MEMORY else None


def _instruction_of_raise() -> int:
    """The opcode of a `raise`, which differs from interpreter to interpreter."""
    try:
        raise ValueError
    except ValueError as error:
        trace = error.__traceback__
        assert trace is not None
        return trace.tb_frame.f_code.co_code[trace.tb_lasti]


_RAISE = _instruction_of_raise()
