"""Where an error comes from: the program's own `raise`, or a call of what is written in C."""

from __future__ import annotations

from .inspecting import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, TracebackType
    from typing import Any, Callable, Dict, List, Optional

# What the confinement refuses and no audit event tells of, with the module it is called by. Few and
# of telling names, so that hardly a frame names two, or means another function.
_OF_OS = """
chroot fchdir initgroups memfd_create mkfifo mknod nice openpty pidfd_open posix_fallocate
sched_setaffinity sched_setparam sched_setscheduler sendfile setegid seteuid setgid setgroups
setpgid setpriority setregid setresgid setresuid setreuid setsid setuid unshare wait3 wait4 waitpid
"""
# What expressions of inputs are compiled as.
INPUT_FILE = "<input>"
# How the files of this package's code begin.
_OURS = __file__[: -len("origin.py")]
# Not as attributes: a class of the program could answer for those.
_of_errors: Dict[str, Any] = dict(BaseException.__dict__)
_cause: Callable[[BaseException], Optional[BaseException]] = _of_errors["__cause__"].__get__
_context: Callable[[BaseException], Optional[BaseException]] = _of_errors["__context__"].__get__
_traceback: Callable[[BaseException], Optional[TracebackType]] = _of_errors["__traceback__"].__get__
# By its id, and kept, so that this is not given to another.
_of_inputs: Dict[int, CodeType] = {}
# How far it is looked for what an error was raised in place of.
CONTEXTS_MAX = 100
_MODULES: Dict[str, str] = {
    **dict.fromkeys(_OF_OS.split(), "os"),
    "clock_settime": "time",
    "flock": "fcntl",
    "ioctl": "fcntl",
    "sethostname": "socket",
}
# What `multiprocessing` makes its locks and its shared memory of.
_OF_SHARED_MEMORY = {"SemLock": "_multiprocessing", "shm_open": "_posixshmem"}
_MODULES.update(_OF_SHARED_MEMORY)


def calling(error: BaseException) -> Optional[CodeType]:
    """The code that made the call that the error came from; None if it was raised there."""
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


def of_input(code: CodeType) -> None:
    """Take note that this code, and what is defined in it, is of an expression of an input."""
    pending: List[Any] = [code]
    while pending:
        each = pending.pop()
        _of_inputs[identity(each)] = each
        pending += [held for held in each.co_consts if type(held) is type(code)]


def is_passed_on(error: BaseException) -> bool:
    """Whether it began in what an expression of the call's input holds, called by the program."""
    trace = _traceback(error)
    within, caller = False, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        # Not by the name of its file, which anybody may give.
        within = identity(code) in _of_inputs
        if not within:
            caller = code.co_filename
        trace = trace.tb_next
    # What the input itself does wrong is called by us.
    return within and not caller.startswith(_OURS)


def is_of_memory(error: BaseException) -> bool:
    """Whether memory was short, and not only a program's own `raise` of MemoryError."""
    found: Optional[BaseException] = error
    for _ in range(CONTEXTS_MAX):
        if found is None:
            return False
        # Where memory is short, there may have been none to say where.
        if type(found) is MemoryError and (not _traceback(found) or calling(found) is not None):
            return True
        cause = _cause(found)
        found = _context(found) if cause is None else cause
    return False


def only_call(code: CodeType) -> Optional[str]:
    """The one function of those above that this code names, if it is one."""
    found = [name for name in code.co_names if name in _MODULES]
    return f"{_MODULES[found[0]]}.{found[0]}" if len(found) == 1 else None


def missing(error: BaseException) -> Optional[str]:
    """What could not be made where there is no shared memory, if the error comes from that."""
    code = calling(error)
    found = None if code is None else only_call(code)
    return found if found and found.rpartition(".")[2] in _OF_SHARED_MEMORY else None


def _instruction_of_raise() -> int:
    """What a `raise` becomes, which is another number in every interpreter."""
    try:
        raise ValueError
    except ValueError as error:
        trace = error.__traceback__
        assert trace is not None
        return trace.tb_frame.f_code.co_code[trace.tb_lasti]


_RAISE = _instruction_of_raise()
